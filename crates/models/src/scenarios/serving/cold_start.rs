//! `ColdStartScenario`: how long a new replica takes before it serves.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, BytesPerParam, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{OptionExt, Result, Scenario, equations};

/// A replica that starts on a machine which has nothing of the model yet, and what starting replicas
/// ahead of the load saves.
///
/// # Assumptions
/// The three phases follow one another: the machine is provisioned, the weights are fetched, then
/// loaded and warmed up. The fetch runs at its full bandwidth. The sizes of the fleet at its peak
/// are stated, not computed.
///
/// # Excludes
/// Phases that overlap, weights that are cached or streamed while they load, and many replicas that
/// fetch at once and share the bandwidth.
///
/// # Derivation
/// The artifact holds every parameter once, those of all experts included, and its fetch takes size
/// over bandwidth. A fleet that must react to a ramp runs more replicas at the peak than one that
/// starts them `prewarm_lead` ahead of it.
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct ColdStartScenario {
    /// The model that the replica serves.
    pub workload: Arc<Workload>,
    /// How large a stored parameter is.
    #[range(> 0)]
    pub weight_bytes_per_param: BytesPerParam,
    /// How fast the weights arrive from where they are stored.
    #[range(> 0)]
    #[unit(GB/s)]
    pub fetch_bandwidth: Bandwidth,
    /// How long it takes until the machine is there and the container runs.
    #[range(>= 0)]
    pub provisioning_time: Time,
    /// How long loading the fetched weights into the device and warming up takes.
    #[range(>= 0)]
    pub load_warmup_time: Time,
    /// How many replicas the peak takes when scaling only reacts to load.
    #[range(>= 1)]
    pub reactive_peak_replicas: u64,
    /// How many replicas the peak takes when they start ahead of the load.
    #[range(>= 0)]
    pub predictive_peak_replicas: u64,
    /// How long before the load replicas are started.
    #[range(>= 0)]
    #[unit(min)]
    pub prewarm_lead: Time,
}

#[equations]
impl ColdStartScenario {
    /// The size of the weights that the replica fetches.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters.
    #[unit(GB)]
    pub fn artifact(&self) -> Result<Bytes> {
        Ok(self.workload.parameters.needed("parameters")? * self.weight_bytes_per_param)
    }

    /// The time for fetching the weights.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters.
    #[unit(s)]
    pub fn fetch_time(&self) -> Result<Time> {
        Ok(self.artifact()? / self.fetch_bandwidth)
    }

    /// The time from the decision to start a replica until it serves.
    ///
    /// # Errors
    ///
    /// The model states no number of parameters.
    #[unit(s)]
    pub fn cold_start_time(&self) -> Result<Time> {
        Ok(self.provisioning_time + self.fetch_time()? + self.load_warmup_time)
    }

    /// The share of the peak fleet that starting ahead saves.
    pub fn peak_saving(&self) -> f64 {
        1.0 - self.predictive_peak_replicas as f64 / self.reactive_peak_replicas as f64
    }

    /// The model is one whose weights can be counted.
    #[check]
    fn weights_are_countable(&self) -> Result<()> {
        self.workload.states(&["parameters"]).map_err(|error| error.about("workload"))
    }

    /// A lead that is shorter than the start does not hide it.
    #[note(cold_start_time)]
    fn late(&self) -> Option<String> {
        let start = self.cold_start_time().ok().filter(|start| *start > self.prewarm_lead)?;
        Some(format!(
            "a replica needs {} s, more than the lead of {} s: it is not ready when the load arrives",
            start.base(),
            self.prewarm_lead.base()
        ))
    }

    /// A prediction that starts more replicas than reacting saves none.
    #[note(peak_saving)]
    fn wasteful(&self) -> Option<String> {
        (self.predictive_peak_replicas > self.reactive_peak_replicas).then(|| {
            "starting ahead takes more replicas than reacting, so that the saving is negative".to_string()
        })
    }
}
