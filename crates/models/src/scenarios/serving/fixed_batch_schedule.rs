//! `FixedBatchScheduleScenario`: what a batch idles that waits for its longest request.

use mlsysim_quantity::Time;
use mlsysim_scenario::{CountProduct, Error, Extremes, OptionExt, Result, Scenario, Total, equations};

use crate::physics::batching::{
    continuous_spans, elementwise_sum, in_order, last_end, request_level_spans, shorter_than_largest,
};

/// A batch in which every request holds its slot until the longest one ends, against one that
/// refills a slot as soon as it is free.
///
/// # Assumptions
/// Every request makes one token in each iteration; waiting requests are there from the start and
/// are admitted in order; a slot is as good as another.
///
/// # Excludes
/// Prefill, the growth of the KV cache, and that an iteration takes longer with more requests.
///
/// # Derivation
/// A slot is useful in as many iterations as its requests have tokens; the batch holds all slots
/// until its last request ends. Continuous batching schedules by iteration instead of by request
/// (Yu et al., 2022, Orca).
#[derive(Clone, Debug, PartialEq, Scenario)]
#[scenario(serving)]
pub struct FixedBatchScheduleScenario {
    /// How many tokens each request of the batch makes.
    #[range(>= 1, nonempty)]
    pub output_lengths: Vec<u64>,
    /// How many tokens the prompt of each of these requests has.
    #[range(>= 0)]
    pub prompt_lengths: Option<Vec<u64>>,
    /// What one iteration takes; no output depends on it.
    #[range(>= 0)]
    #[unit(ms)]
    pub iteration_time: Option<Time>,
    /// How many tokens each waiting request makes, in the order of admission.
    #[range(>= 1)]
    pub waiting_lengths: Option<Vec<u64>>,
}

#[equations]
impl FixedBatchScheduleScenario {
    /// The tokens of each request in the end, prompt and output.
    pub fn total_tokens(&self) -> Result<Vec<u64>> {
        Ok(elementwise_sum(&self.prompt_lengths.needed("prompt_lengths")?, &self.output_lengths))
    }

    /// The tokens of the longest output.
    pub fn max_output(&self) -> Result<u64> {
        self.output_lengths.largest()
    }

    /// The tokens of an output on average.
    pub fn mean_output(&self) -> f64 {
        self.useful_iterations() as f64 / self.slots() as f64
    }

    /// The iterations of all slots until the last request ends.
    pub fn slot_iterations(&self) -> Result<u64> {
        self.slots().times(self.max_output()?)
    }

    /// The iterations in which a slot makes a token.
    pub fn useful_iterations(&self) -> u64 {
        self.output_lengths.total()
    }

    /// The share of the slots' iterations that make nothing.
    pub fn idle_share(&self) -> Result<f64> {
        Ok(1.0 - self.mean_output() / self.max_output()? as f64)
    }

    /// How many requests are served or begun in the same iterations if every slot that is free
    /// early is refilled once.
    pub fn requests_advanced(&self) -> u64 {
        self.slots() + shorter_than_largest(&self.output_lengths)
    }

    /// The outputs of the batch, and then those of the waiting requests.
    pub fn all_lengths(&self) -> Vec<u64> {
        in_order(&self.output_lengths, &self.waiting())
    }

    /// The iterations in which a slot makes a token, with the waiting requests.
    pub fn all_useful_iterations(&self) -> u64 {
        self.all_lengths().total()
    }

    /// When each request begins and ends, in iterations, if the waiting ones begin when the whole
    /// batch has ended.
    #[method]
    pub fn request_level_spans(&self) -> Vec<Vec<u64>> {
        request_level_spans(&self.output_lengths, &self.waiting())
    }

    /// When each request begins and ends, in iterations, if each waiting one takes the slot that is
    /// free first.
    #[method]
    #[source("Yu et al. (2022), Orca: A Distributed Serving System, OSDI 2022")]
    pub fn continuous_spans(&self) -> Vec<Vec<u64>> {
        continuous_spans(&self.output_lengths, &self.waiting())
    }

    /// The iterations until all requests end if the waiting ones begin when the batch has ended.
    pub fn request_level_iterations(&self) -> u64 {
        last_end(&self.request_level_spans())
    }

    /// The iterations until all requests end if each slot is refilled at once.
    pub fn continuous_iterations(&self) -> u64 {
        last_end(&self.continuous_spans())
    }

    /// The share of useful iterations if the waiting requests begin when the batch has ended.
    pub fn request_level_utilization(&self) -> f64 {
        self.all_useful_iterations() as f64 / (self.slots() as f64 * self.request_level_iterations() as f64)
    }

    /// The share of useful iterations if each slot is refilled at once.
    pub fn continuous_utilization(&self) -> f64 {
        self.all_useful_iterations() as f64 / (self.slots() as f64 * self.continuous_iterations() as f64)
    }

    /// How many slots the batch has: one for each of its requests.
    fn slots(&self) -> u64 {
        self.output_lengths.len() as u64
    }

    /// The outputs of the waiting requests, if there are any.
    fn waiting(&self) -> Vec<u64> {
        self.waiting_lengths.clone().unwrap_or_default()
    }

    /// Every request has a prompt.
    #[check]
    fn one_prompt_each(&self) -> Result<()> {
        match &self.prompt_lengths {
            Some(prompts) if prompts.len() != self.output_lengths.len() => {
                let (prompts, outputs) = (prompts.len(), self.output_lengths.len());
                let message = format!("{prompts} lengths were given, but `output_lengths` has {outputs}");
                Err(Error::input("prompt_lengths", message))
            }
            _ => Ok(()),
        }
    }

    /// A second batch is no larger than the first, though the equation lets it be.
    #[note(request_level_spans, request_level_iterations, request_level_utilization)]
    fn crowded(&self) -> Option<String> {
        let (waiting, slots) = (self.waiting().len(), self.slots());
        (waiting as u64 > slots).then(|| {
            format!("{waiting} requests wait for {slots} slots; the equation begins all of them at once, which takes a slot for each")
        })
    }
}
