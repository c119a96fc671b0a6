//! What a rank exchanges once a step: the gradients of weights that other ranks have too, and the
//! weights that it shares with replicas.

use super::traffic::Traffic;
use crate::machine::Spread;
use crate::transformer::{Collective, Dimension, Exchange, Factors, Group, Layer, Part, Pass, Size, Work};

impl Traffic<'_> {
    /// What replicas exchange of `parameters` of `part` that a rank has, in a step.
    pub fn replicas(&self, part: Part, parameters: u64, visit: &mut impl FnMut(Exchange)) {
        let layout = self.layout();
        let (group, ranks) = match part {
            Part::Experts => (Group::ExpertData, layout.expert_replicas()),
            _ => (Group::Data, layout.replicas()),
        };
        if !self.trains() || ranks == 1 || parameters == 0 {
            return;
        }
        let held = Factors::ONE.by("parameters", parameters as f64);
        let weights = held.by("element", self.element());
        let gradients = held.by("gradient", self.elements.gradient.base());
        let shard = if layout.zero == 0 { 1 } else { layout.shard.unwrap_or(ranks).min(ranks) };
        let once = Factors::ONE;
        let every = once.by("micro_batches", self.load.micro_batches as f64);
        let all = match part {
            Part::Experts => layout.spread_of_expert_replicas(),
            _ => layout.spread_of_replicas(),
        };
        // A layout whose shards are no parts of its replicas is refused.
        let [within, beyond] = all.parts(shard).unwrap_or([all, Spread::line(1, 1)]);
        let mut exchange = |what, pass, spread: Spread, collective, payload, times| {
            let ranks = spread.ranks();
            if ranks > 1 {
                visit(Exchange { what, part, pass, group, ranks, spread, collective, payload, times });
            }
        };
        if layout.zero == 3 {
            exchange("weights", Some(Pass::Forward), within, Collective::AllGather, weights, every);
            exchange("weights", Some(Pass::Backward), within, Collective::AllGather, weights, every);
        }
        if layout.zero > 0 {
            // Shared gradients cannot be added up over micro-batches before they are reduced.
            let times = if layout.zero == 1 { once } else { every };
            exchange("gradients", Some(Pass::Backward), within, Collective::ReduceScatter, gradients, times);
        }
        let rest = if shard == 1 { gradients } else { gradients.by("1 / shard", 1.0 / shard as f64) };
        exchange("gradients", None, beyond, Collective::AllReduce, rest, once);
        if layout.zero == 1 || layout.zero == 2 {
            exchange("updated weights", None, within, Collective::AllGather, weights, once);
        }
    }

    /// The sum of the gradients of `parameters` of `part` that each rank of a layer has whole and
    /// uses for a part of the tokens or of the heads.
    ///
    /// Source: Megatron-LM, `_allreduce_non_tensor_model_parallel_grads`.
    pub fn replicated(&self, part: Part, parameters: u64, visit: &mut impl FnMut(Exchange)) {
        if self.trains() && parameters > 0 {
            visit(Exchange {
                what: "gradients of undivided weights",
                part,
                pass: None,
                group: Group::Tensor,
                ranks: self.layout().tp,
                spread: self.line(Group::Tensor, self.layout().tp),
                collective: Collective::AllReduce,
                payload: self.gradients(parameters),
                times: Factors::ONE,
            });
        }
    }

    /// The sum of the gradients of KV heads that several ranks of a layer hold, each for queries of
    /// its own.
    pub fn shared_heads(&self, layer: &Layer, layers: u64, visit: &mut impl FnMut(Exchange)) {
        let tp = self.layout().tp;
        let is_shared = |size: &Size| size.dimension == Dimension::KvHeads && u64::from(size.value) < tp;
        let (mut heads, mut parameters) = (0, 0);
        for operation in layer.operations() {
            let (Work::Linear { outputs: weights, .. } | Work::Norm { weights, .. }) = &operation.work else {
                continue;
            };
            if let Some(size) = weights.sizes().find(is_shared) {
                heads = u64::from(size.value);
                parameters += operation.parameters(&self.division.shares);
            }
        }
        if self.trains() && heads > 0 {
            visit(Exchange {
                what: "gradients of KV heads",
                part: Part::Attention,
                pass: None,
                group: Group::Tensor,
                ranks: tp / heads,
                spread: self.line(Group::Tensor, tp / heads),
                collective: Collective::AllReduce,
                payload: self.gradients(parameters),
                times: Factors::ONE.by("layers", layers as f64),
            });
        }
    }

    /// The gradients of so many parameters.
    fn gradients(&self, parameters: u64) -> Factors {
        Factors::ONE.by("parameters", parameters as f64).by("gradient", self.elements.gradient.base())
    }

    /// The sum of the gradients of a table that the first and the last stage both have.
    pub fn tied(&self, parameters: u64, visit: &mut impl FnMut(Exchange)) {
        if self.trains() && self.layout().pp > 1 {
            visit(Exchange {
                what: "gradients of the tied table",
                part: Part::Embedding,
                pass: None,
                group: Group::Pipeline,
                ranks: 2,
                // The first stage and the last.
                spread: self.pair([0, self.layout().pp - 1]),
                collective: Collective::AllReduce,
                payload: self.gradients(parameters),
                times: Factors::ONE,
            });
        }
    }
}
