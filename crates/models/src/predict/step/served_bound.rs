//! What bounds serving: the least time of its steps, and of a token under load.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Name, Result};

use super::{Served, Workload};
use crate::transformer::{Accounting, Division, Rates, Step};

/// What one replica computes, reads and sends for a sequence, at the least.
#[derive(Clone, Copy, Debug, Default)]
struct Least {
    arithmetic: Time,
    cache: Time,
    links: Time,
    network: Time,
}

impl Served<'_> {
    /// The least time of `workload`, and what takes it.
    pub(super) fn bound(&self, workload: Workload) -> Result<(Time, &'static str)> {
        let step = |step: Step| self.least_step(step);
        match workload {
            Workload::DecodeStep { batch, context } => step(Step::decode(batch, context)),
            Workload::Prefill { batch, prompt, context } => step(Step::prefill(batch, prompt, context)),
            Workload::StaticBatch { batch, prompt, answer } => {
                let (first, binds) = step(Step::prefill(batch, prompt, 0))?;
                let steps = answer.saturating_sub(1);
                if steps == 0 {
                    return Ok((first, binds));
                }
                let (each, each_binds) = step(Step::decode(batch, prompt + steps / 2))?;
                let rest = steps as f64 * each;
                Ok((first + rest, if rest > first { each_binds } else { binds }))
            }
            // Of a token whose neighbours in the batch are not known.
            Workload::LoadedStep { prompt, .. } => step(Step::decode(self.layout.dp, prompt)),
            Workload::Load { prompt, answer, requests } => self.least_load(prompt, answer, requests),
        }
    }

    fn rates(&self) -> Result<(Rates, Name, Name)> {
        let [known, cache] = self.precisions()?;
        let device = &self.machine.device;
        let rates = Rates { peak: device.compute.peak(known.peak)?, memory: device.memory.bandwidth };
        Ok((rates, Name::from(known.storage), Name::from(cache.storage)))
    }

    /// The least time of a step: that of the stage which takes longest.
    fn least_step(&self, step: Step) -> Result<(Time, &'static str)> {
        let (rates, precision, kv_precision) = self.rates()?;
        let step = Step { precision, kv_precision, ..step };
        let division = Division::new(self.model, self.layout)?;
        // Replicas share the batch as evenly as can be; the least is that of a whole one.
        let batch = step.batch.div_ceil(self.layout.dp) * self.layout.dp;
        let step = Step { batch, micro_batch: batch, ..step };
        let accounting = Accounting::new(&division, &step)?;
        let mut slowest = (Time::ZERO, "nothing");
        for stage in 0..self.layout.pp {
            let bound = accounting.bound_at(&accounting.account(stage)?, self.machine, rates)?;
            if bound.time() > slowest.0 {
                slowest = (bound.time(), bound.binds());
            }
        }
        Ok(slowest)
    }

    /// The least time between two tokens of all requests, in as many sequences as the whole memory holds.
    fn least_load(&self, prompt: u64, answer: u64, requests: Option<u64>) -> Result<(Time, &'static str)> {
        let (rates, precision, kv_precision) = self.rates()?;
        let division = Division::new(self.model, self.layout)?;
        let stages = self.layout.pp as f64;
        let dp = self.layout.dp;
        let mean = prompt + answer / 2;
        let least = |step: Step| -> Result<Least> {
            let step = Step { precision: precision.clone(), kv_precision: kv_precision.clone(), ..step };
            let accounting = Accounting::new(&division, &step)?;
            let mut sum = Least::default();
            for stage in 0..self.layout.pp {
                let account = accounting.account(stage)?;
                let bound = accounting.bound_at(&account, self.machine, rates)?;
                sum.arithmetic += bound.arithmetic;
                sum.links += bound.links;
                sum.network += bound.network;
                accounting.operations(stage, |operation, layers, _| {
                    let [_, cache] = accounting.read_by(operation);
                    sum.cache += layers as f64 * cache / rates.memory;
                });
            }
            Ok(sum)
        };
        let decode = least(Step::decode(dp, mean))?;
        let prefill = least(Step::prefill(dp, prompt.max(1), 0))?;
        // The cache may fill all of the memory, and a sequence holds no more than it has so far.
        let fits = self.sequences(0, mean.max(1), false)?.max(1.0);
        let batch = requests.map_or(fits, |requests| fits.min((requests as f64 / dp as f64).max(1.0)));
        let whole =
            Step { precision, kv_precision, ..Step::decode(dp * batch.floor().max(1.0) as u64, mean) };
        let accounting = Accounting::new(&division, &whole)?;
        let mut weights = Time::ZERO;
        for stage in 0..self.layout.pp {
            accounting.operations(stage, |operation, layers, _| {
                let [read, _] = accounting.read_by(operation);
                weights += layers as f64 * read / rates.memory;
            });
        }
        let each = 1.0 / answer.max(1) as f64;
        let both = |of: fn(&Least) -> Time| of(&decode) + each * of(&prefill);
        let ways = [
            ("arithmetic", both(|least| least.arithmetic)),
            ("memory", decode.cache + weights / batch),
            ("links", both(|least| least.links)),
            ("network", both(|least| least.network)),
        ];
        let (binds, time) = ways
            .into_iter()
            .fold(("nothing", Time::ZERO), |most, way| if way.1 > most.1 { way } else { most });
        Ok((time / (stages * dp as f64), binds))
    }
}
