//! `DataParallelScaleOutModel`: a data-parallel job on one node and on several.

use std::sync::Arc;

use mlsysim_quantity::{Bandwidth, Bytes, Money, Price, Time};
use mlsysim_registry::Workload;
use mlsysim_scenario::{CountProduct, Error, Name, OptionExt, Result, Solver, equations};

use crate::physics::communication::ring_all_reduce_factor;
use crate::physics::memory::{element_size, weight_bytes};

/// A data-parallel job on the devices of one or more nodes, from what one device takes for it.
///
/// Each update sums all gradients: by a ring among the devices of every node, and, where there are
/// several nodes, then by a ring through all devices, which is as slow as the links between nodes.
/// Nothing overlaps and no message has a latency. Accumulation runs several local steps for each
/// update.
///
/// Source: Patarasuk and Yuan (2009), doi:10.1016/j.jpdc.2008.09.002.
#[derive(Clone, Debug, PartialEq, Solver)]
#[solver(result = DataParallelScaleOutResult)]
pub struct DataParallelScaleOutModel {
    /// The model that is trained.
    pub model: Arc<Workload>,
    /// The precision in which gradients are sent.
    pub precision: Name,
    /// How long one device takes for a local step.
    #[range(> 0)]
    #[unit(s)]
    pub step_time: Time,
    /// How long one device takes for the whole training.
    #[range(>= 0)]
    #[unit(h)]
    pub training_time: Time,
    /// How many samples a device takes in a local step.
    #[range(>= 1)]
    pub per_device_batch: u64,
    /// How many devices a node has.
    #[range(>= 1)]
    pub devices_per_node: u64,
    /// How many nodes there are.
    #[range(>= 1)]
    pub nodes: u64,
    /// The bandwidth between devices of a node in one direction.
    #[range(> 0)]
    #[unit(GB/s)]
    pub intra_bandwidth: Bandwidth,
    /// The bandwidth between nodes in one direction; needed where there are several.
    #[range(> 0)]
    #[unit(Gbps)]
    pub inter_bandwidth: Option<Bandwidth>,
    /// How many local steps an update takes together.
    #[range(>= 1)]
    #[default(1)]
    pub accumulation_steps: u64,
    /// What a node costs.
    #[range(>= 0)]
    #[unit("USD/h")]
    pub node_hour_rate: Option<Price>,
}

#[equations(result = DataParallelScaleOutResult)]
impl DataParallelScaleOutModel {
    /// How many devices there are.
    pub fn n_devices(&self) -> Result<u64> {
        self.devices_per_node.times(self.nodes)
    }

    /// The gradients of all parameters.
    #[unit(B)]
    pub fn gradient_bytes(&self) -> Result<Bytes> {
        Ok(weight_bytes(self.model.parameters.needed("model.parameters")?, self.element()?))
    }

    /// What a device sends for each update within its node.
    #[unit(B)]
    pub fn intra_bytes(&self) -> Result<Bytes> {
        Ok(self.gradient_bytes()? * ring_all_reduce_factor(self.devices_per_node))
    }

    /// What crosses the link of a node for each update.
    #[unit(B)]
    pub fn inter_bytes(&self) -> Result<Bytes> {
        if self.nodes > 1 {
            Ok(self.gradient_bytes()? * ring_all_reduce_factor(self.n_devices()?))
        } else {
            Ok(Bytes::ZERO)
        }
    }

    /// The time of the exchange within the nodes.
    #[unit(ms)]
    pub fn intra_time(&self) -> Result<Time> {
        Ok(self.intra_bytes()? / self.intra_bandwidth)
    }

    /// The time of the exchange between the nodes.
    #[unit(ms)]
    pub fn inter_time(&self) -> Result<Time> {
        if self.nodes > 1 {
            Ok(self.inter_bytes()? / self.inter_bandwidth.needed("inter_bandwidth")?)
        } else {
            Ok(Time::ZERO)
        }
    }

    /// The time of both exchanges, one after the other.
    #[unit(ms)]
    pub fn communication_time(&self) -> Result<Time> {
        Ok(self.intra_time()? + self.inter_time()?)
    }

    /// The compute of an update: all of its local steps.
    #[unit(ms)]
    pub fn compute_time(&self) -> Time {
        self.accumulation_steps * self.step_time
    }

    /// The time of an update.
    #[unit(ms)]
    pub fn update_time(&self) -> Result<Time> {
        Ok(self.compute_time() + self.communication_time()?)
    }

    /// The communication of an update as a multiple of its compute.
    pub fn communication_overhead(&self) -> Result<f64> {
        Ok(self.communication_time()? / self.compute_time())
    }

    /// The share of an update that is compute.
    pub fn compute_share(&self) -> Result<f64> {
        Ok(self.compute_time() / self.update_time()?)
    }

    /// The share of an update that is communication.
    pub fn communication_share(&self) -> Result<f64> {
        Ok(self.communication_time()? / self.update_time()?)
    }

    /// How many times faster than one device all of them train.
    pub fn speedup(&self) -> Result<f64> {
        Ok(self.n_devices()? as f64 * self.compute_share()?)
    }

    /// The speed-up as a share of the number of devices.
    pub fn efficiency(&self) -> Result<f64> {
        Ok(self.speedup()? / self.n_devices()? as f64)
    }

    /// How many samples an update takes.
    pub fn global_batch(&self) -> Result<u64> {
        self.per_device_batch.times(self.n_devices()?)?.times(self.accumulation_steps)
    }

    /// How long all devices take for the whole training.
    #[unit(h)]
    pub fn training_time(&self) -> Result<Time> {
        self.scaled_time()
    }

    /// What the nodes cost for the whole training.
    #[unit(USD)]
    pub fn cost(&self) -> Result<Option<Money>> {
        let scaled_time = self.scaled_time()?;
        Ok(self.node_hour_rate.map(|node_hour_rate| scaled_time * self.nodes * node_hour_rate))
    }

    /// How long all devices take for the whole training.
    #[unit(h)]
    fn scaled_time(&self) -> Result<Time> {
        Ok(self.training_time / self.speedup()?)
    }

    /// The size of one gradient.
    #[unit(B)]
    fn element(&self) -> Result<Bytes> {
        element_size(&self.precision)
    }

    /// The gradients have a size, and a way between the nodes.
    #[check]
    fn gradients_can_be_sent(&self) -> Result<()> {
        self.element()?;
        if self.nodes > 1 && self.inter_bandwidth.is_none() {
            let message = format!("{} nodes need the bandwidth between them, which is not set", self.nodes);
            return Err(Error::input("inter_bandwidth", message));
        }
        Ok(())
    }

    /// A hierarchical exchange moves less between nodes.
    #[note(inter_bytes, inter_time)]
    fn flat_ring(&self) -> Option<String> {
        let gradients = self.gradient_bytes().ok().filter(|_| self.nodes > 1 && self.devices_per_node > 1)?;
        let hierarchical = gradients * ring_all_reduce_factor(self.nodes);
        Some(format!(
            "by a ring through all devices; one that sums within the nodes first and then between them moves {:.3} GB over each node's link",
            hierarchical.base() / 1e9
        ))
    }

    /// A single device has nobody to exchange with.
    #[note(communication_time)]
    fn lonely(&self) -> Option<String> {
        (self.devices_per_node == 1 && self.nodes == 1)
            .then(|| "a single device exchanges nothing".to_string())
    }

    /// Savings from accumulation are those of fewer updates, not of the same training.
    #[note(speedup, training_time, cost)]
    fn larger_batch(&self) -> Option<String> {
        (self.accumulation_steps > 1)
            .then(|| "the larger batch is taken to need as many samples in all as the small one".to_string())
    }
}
