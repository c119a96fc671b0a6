//! `Sending`: what the stages of a pipeline send to each other, of one micro-batch.

use mlsysim_quantity::Time;
use mlsysim_scenario::Result;

use super::terms::Least;
use super::{Pricing, Spent};
use crate::machine::{Machine, Reach};
use crate::transformer::{Accounting, Exchange, Layout};

/// How often the stages of a pipeline send to each other, by what that crosses.
///
/// It depends on how a layout lies on a machine, and not on the size of what is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Hops(Vec<Hop>);

/// Sends that cross the same.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hop {
    exchange: Exchange,
    reach: Reach,
    /// How many there are between neighbours for each chunk, and between the ends for each chunk but
    /// one, of all stages.
    all: [f64; 2],
    /// The same of the last stage.
    last: [f64; 2],
    /// How many there are between neighbours for each chunk of the stage that has most.
    most: f64,
}

/// What the stages of a pipeline send to each other, of one micro-batch: between neighbours for each
/// chunk, and between the ends for each chunk but one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sending {
    spent: [Spent; 2],
    least: [Least; 2],
    /// What the stage that sends most over one kind of links sends of a chunk, at the least.
    most: Least,
}

impl Hops {
    /// The sends of the layout of `accounting` on `machine`.
    pub fn new(accounting: &Accounting, machine: &Machine) -> Self {
        // Of two chunks, neighbours send two and the ends one, which tells them apart.
        let layout = Layout { vpp: 2, stages: None, ..accounting.division.layout.clone() };
        let division = accounting.division.relaid(&layout);
        let accounting = Accounting { division: &division, ..accounting.clone() };
        let mut hops: Vec<Hop> = Vec::new();
        for stage in 0..layout.pp {
            hops.iter_mut().for_each(|hop| hop.last = [0.0; 2]);
            accounting.sends(stage, |exchange| {
                let reach = exchange.reach(machine);
                let at = hops.iter().position(|hop| hop.reach == reach).unwrap_or_else(|| {
                    hops.push(Hop { exchange, reach, all: [0.0; 2], last: [0.0; 2], most: 0.0 });
                    hops.len() - 1
                });
                let is_of_ends = usize::from(exchange.times.product() < 2.0);
                hops[at].all[is_of_ends] += 1.0;
                hops[at].last[is_of_ends] += 1.0;
            });
            hops.iter_mut().for_each(|hop| hop.most = hop.most.max(hop.last[0]));
        }
        Hops(hops)
    }

    /// What they take of a micro-batch of `accounting`.
    ///
    /// # Errors
    ///
    /// They cross domains and the machine has no network.
    pub fn price(&self, accounting: &Accounting, pricing: &Pricing) -> Result<Sending> {
        let mut sending = Sending::default();
        let mut payload = None;
        accounting.sends(0, |exchange| payload = payload.or(Some(exchange.payload)));
        for Hop { exchange, all, last, most, .. } in &self.0 {
            let exchange = Exchange { payload: payload.unwrap_or(exchange.payload), ..*exchange };
            let question = pricing.collective(&exchange, None)?;
            for at in 0..2 {
                sending.spent[at].exchange(exchange.group, &question, &pricing.kernels, all[at]);
                sending.least[at].collective(last[at], question.least());
            }
            let mut of_kind = Least::default();
            of_kind.collective(*most, question.least());
            sending.most.links = sending.most.links.max(of_kind.links);
            sending.most.network = sending.most.network.max(of_kind.network);
        }
        Ok(sending)
    }
}

impl Sending {
    /// What all stages with so many chunks send.
    pub fn spent(&self, chunks: u64) -> Spent {
        let mut spent = Spent::default();
        spent.add(chunks as f64, &self.spent[0]);
        spent.add(chunks as f64 - 1.0, &self.spent[1]);
        spent
    }

    /// The least time of a step with so many `micro_batches` for what any stage with so many chunks sends to
    /// its neighbours; stages in the middle send more than the last one.
    pub fn bound(&self, chunks: u64, micro_batches: f64) -> Time {
        micro_batches * chunks as f64 * self.most.links.max(self.most.network)
    }

    /// What the last of them sends at the least.
    pub fn least(&self, chunks: u64) -> Least {
        let mut least = Least::default();
        least.add(chunks as f64, &self.least[0]);
        least.add(chunks as f64 - 1.0, &self.least[1]);
        least
    }
}
