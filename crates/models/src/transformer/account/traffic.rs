//! Which exchanges a rank takes part in for each micro-batch: in its blocks and at the ends of its
//! stage.

use mlsysim_quantity::Bytes;

use super::is_latent;
use crate::machine::Spread;
use crate::transformer::{
    Axis, Block, Collective, ContextExchange, Division, Elements, Exchange, Extent, Factors, Group, Layout,
    Load, Part, Pass, Phase, Recompute, Step, Work,
};

/// The numbers that a loss over a divided vocabulary exchanges of each token: the largest score, the
/// sum of exponentials and the score of the target, in 32 bits.
///
/// Source: Shoeybi et al. (2019), Megatron-LM, section 3, arXiv:1909.08053.
const LOSS_EXCHANGES: f64 = 3.0;

/// A number in 32 bits.
const FULL_PRECISION: Bytes = Bytes::from_base(4.0);

/// What decides the exchanges of a rank in one micro-batch.
pub(crate) struct Traffic<'a> {
    pub division: &'a Division<'a>,
    pub step: &'a Step,
    pub load: &'a Load,
    pub elements: &'a Elements,
}

impl Traffic<'_> {
    pub(super) fn layout(&self) -> &Layout {
        self.division.layout
    }

    /// The activations of the tokens within a block.
    fn activations(&self, tokens: u64) -> Factors {
        let hidden = f64::from(self.division.model.hidden);
        Factors::ONE.by("tokens", tokens as f64).by("hidden", hidden).by("element", self.element())
    }

    /// The bytes of a weight or an activation.
    pub(super) fn element(&self) -> f64 {
        self.elements.activation.base()
    }

    /// The passes of the phase in which a block's forward exchanges happen.
    fn forward_passes(&self) -> impl Iterator<Item = Pass> + use<> {
        let again = self.step.phase == Phase::Training && self.step.recompute == Recompute::Full;
        [Pass::Forward].into_iter().chain(again.then_some(Pass::Recompute))
    }

    pub(super) fn trains(&self) -> bool {
        self.step.phase == Phase::Training
    }

    /// The exchanges of `block` for one micro-batch, to `visit`.
    pub fn block(&self, block: &Block, visit: &mut impl FnMut(Exchange)) {
        self.tensor(block, visit);
        if block.is_routed() {
            self.experts(visit);
        }
        if self.layout().cp > 1 {
            self.context(block, visit);
        }
    }

    /// The sums, gathers and scatters of a block that is divided among the ranks of a layer.
    fn tensor(&self, block: &Block, visit: &mut impl FnMut(Exchange)) {
        let &Layout { tp, sp, .. } = self.layout();
        // Experts that the same ranks share as the layer join in its sums, unless each rank sends
        // its own tokens to them.
        let joint = block.is_routed() && self.experts_share_ranks() && (self.layout().ep == 1 || !sp);
        if tp == 1 || !(block.is_tensor_parallel() || joint) {
            return;
        }
        let exchange = self.among_tensor(block_part(block), self.activations(self.load.tokens), Factors::ONE);
        for pass in self.forward_passes() {
            if sp {
                visit(exchange("block input", pass, Collective::AllGather));
                visit(exchange("block output", pass, Collective::ReduceScatter));
            } else {
                visit(exchange("block output", pass, Collective::AllReduce));
            }
        }
        if self.trains() {
            if sp {
                visit(exchange("gradient of block output", Pass::Backward, Collective::AllGather));
                visit(exchange("block input again", Pass::Backward, Collective::AllGather));
                visit(exchange("gradient of block input", Pass::Backward, Collective::ReduceScatter));
            } else {
                visit(exchange("gradient of block input", Pass::Backward, Collective::AllReduce));
            }
        }
    }

    /// Whether each expert is shared by the same ranks as a layer.
    fn experts_share_ranks(&self) -> bool {
        self.layout().expert_tensor() == self.layout().tp
    }

    /// The dispatch of tokens to experts and their way back.
    ///
    /// Where the ranks of a layer have the same tokens and experts are not shared by all of them,
    /// each rank sends its part of the tokens, and the results are gathered.
    fn experts(&self, visit: &mut impl FnMut(Exchange)) {
        let &Layout { tp, sp, ep, .. } = self.layout();
        let etp = self.layout().expert_tensor();
        let part = Part::Experts;
        let exchange = |what, pass, group, ranks, collective, payload| Exchange {
            what,
            part,
            pass: Some(pass),
            group,
            ranks,
            spread: self.line(group, ranks),
            collective,
            payload,
            times: Factors::ONE,
        };
        let per_token = self.division.model.routing.map_or(1.0, |routing| f64::from(routing.per_token));
        // Tokens that every rank has are sent by each where an expert needs them on each.
        let whole = !sp && self.experts_share_ranks();
        let all = self.activations(self.load.tokens);
        let own = if whole { all } else { all.by("1 / tp", 1.0 / tp as f64) };
        let copies = own.by("experts per token", per_token);
        // The ranks of an expert gather what each of them was sent; without a dispatch that is every
        // token once, and the sums of the block do it where the same ranks share the layer.
        let joint = self.experts_share_ranks() && (ep == 1 || !sp);
        let gathered = if ep > 1 { copies } else { own }.by("etp", etp as f64);
        let passes = self.forward_passes().map(|pass| (pass, ["tokens to experts", "tokens from experts"]));
        let backward = (Pass::Backward, ["gradients to experts", "gradients from experts"]);
        let passes = passes.chain(self.trains().then_some(backward));
        for (pass, [there, back]) in passes {
            if ep > 1 {
                visit(exchange(there, pass, Group::Expert, ep, Collective::AllToAll, copies));
            }
            if !joint && etp > 1 {
                visit(exchange(there, pass, Group::ExpertTensor, etp, Collective::AllGather, gathered));
                visit(exchange(back, pass, Group::ExpertTensor, etp, Collective::ReduceScatter, gathered));
            }
            if ep > 1 {
                visit(exchange(back, pass, Group::Expert, ep, Collective::AllToAll, copies));
            }
            if !sp && !whole && tp > 1 {
                visit(exchange(back, pass, Group::Tensor, tp, Collective::AllGather, all));
            }
        }
    }

    /// The keys and values that ranks with parts of a sequence exchange.
    fn context(&self, block: &Block, visit: &mut impl FnMut(Exchange)) {
        let &Layout { cp, cp_by, .. } = self.layout();
        let shares = &self.division.shares;
        for operation in &block.operations {
            let Work::Attention { heads, key_width, value_width, read: [first, second], mask, .. } =
                &operation.work
            else {
                continue;
            };
            let number = |extent: &Extent| extent.on(shares) as f64;
            let tokens = Factors::ONE.by("tokens", self.load.tokens as f64);
            let of_heads = number(heads) * (number(key_width) + number(value_width));
            // What is made of a latent goes round, as attention needs it.
            let keys_and_values = if is_latent(first) { of_heads } else { number(first) + number(second) };
            let exchange = |what, pass, collective, payload, times| Exchange {
                what,
                part: Part::Attention,
                pass: Some(pass),
                group: Group::Context,
                ranks: cp,
                spread: self.line(Group::Context, cp),
                collective,
                payload,
                times,
            };
            let again = operation.is_recomputed(self.step.recompute) && self.trains();
            let forward = [Pass::Forward].into_iter().chain(again.then_some(Pass::Recompute));
            match cp_by {
                ContextExchange::Ring => {
                    // Those of cached tokens, of which each rank has a part, go round too.
                    let cached = self.load.cached_keys(*mask);
                    let shown = match cached > 0.0 {
                        true => Factors::ONE.by("tokens and cached ones", self.load.tokens as f64 + cached),
                        false => tokens,
                    };
                    let own = shown.by("keys and values", keys_and_values).by("element", self.element());
                    let both = own.by("with gradients", 2.0);
                    let hops = Factors::ONE.by("cp - 1", (cp - 1) as f64);
                    for pass in forward {
                        visit(exchange("keys and values", pass, Collective::SendReceive, own, hops));
                    }
                    if self.trains() {
                        visit(exchange(
                            "keys, values and their gradients",
                            Pass::Backward,
                            Collective::SendReceive,
                            both,
                            hops,
                        ));
                    }
                }
                ContextExchange::AllToAll => {
                    // A key or value head that several ranks need is sent to each.
                    let kv_heads =
                        if is_latent(first) { number(heads) } else { number(first) / number(key_width) };
                    let copies = (cp as f64 / kv_heads).max(1.0);
                    let inputs = number(heads) * number(key_width) + copies * keys_and_values;
                    let inputs = tokens.by("queries, keys and values", inputs).by("element", self.element());
                    let output = number(heads) * number(value_width);
                    let output = tokens.by("heads × value_width", output).by("element", self.element());
                    let once = Factors::ONE;
                    for pass in forward {
                        visit(exchange("queries, keys and values", pass, Collective::AllToAll, inputs, once));
                        visit(exchange("attention output", pass, Collective::AllToAll, output, once));
                    }
                    if self.trains() {
                        visit(exchange(
                            "gradient of attention output",
                            Pass::Backward,
                            Collective::AllToAll,
                            output,
                            once,
                        ));
                        visit(exchange(
                            "gradients of queries, keys and values",
                            Pass::Backward,
                            Collective::AllToAll,
                            inputs,
                            once,
                        ));
                    }
                }
            }
        }
    }

    /// The exchanges of the table of tokens, for one micro-batch.
    pub fn embedding(&self, visit: &mut impl FnMut(Exchange)) {
        let &Layout { tp, sp, .. } = self.layout();
        if tp == 1 {
            return;
        }
        let exchange = self.among_tensor(Part::Embedding, self.activations(self.load.tokens), Factors::ONE);
        if sp {
            visit(exchange("embedded tokens", Pass::Forward, Collective::ReduceScatter));
            if self.trains() {
                visit(exchange("gradient of embedded tokens", Pass::Backward, Collective::AllGather));
            }
        } else {
            visit(exchange("embedded tokens", Pass::Forward, Collective::AllReduce));
        }
    }

    /// The exchanges of the projection onto the vocabulary and of the loss, for one micro-batch.
    pub fn head(&self, visit: &mut impl FnMut(Exchange)) {
        let &Layout { tp, sp, .. } = self.layout();
        if tp == 1 {
            return;
        }
        let scored = self.load.scored;
        let exchange = |what, pass, collective, payload, times| {
            self.among_tensor(Part::Head, payload, times)(what, pass, collective)
        };
        let input = self.activations(scored);
        let once = Factors::ONE;
        if !self.trains() {
            let vocabulary = f64::from(self.division.shares.vocabulary);
            let scores = Factors::ONE.by("tokens", scored as f64).by("vocabulary", vocabulary);
            let scores = scores.by("element", self.element());
            visit(exchange("scores of the vocabulary", Pass::Forward, Collective::AllGather, scores, once));
            return;
        }
        if sp {
            visit(exchange("head input", Pass::Forward, Collective::AllGather, input, once));
            visit(exchange("head input again", Pass::Backward, Collective::AllGather, input, once));
            visit(exchange("gradient of head input", Pass::Backward, Collective::ReduceScatter, input, once));
        } else {
            visit(exchange("gradient of head input", Pass::Backward, Collective::AllReduce, input, once));
        }
        let loss = Factors::ONE.by("tokens", scored as f64).by("element", FULL_PRECISION.base());
        let thrice = once.by("exchanges of a loss", LOSS_EXCHANGES);
        visit(exchange("loss", Pass::Forward, Collective::AllReduce, loss, thrice));
    }

    /// What a stage sends to its neighbours, for one micro-batch.
    pub fn pipeline(&self, stage: u64, visit: &mut impl FnMut(Exchange)) {
        let &Layout { pp, vpp, sp, tp, .. } = self.layout();
        if pp == 1 {
            return;
        }
        let payload = self.activations(if sp { self.load.tokens / tp } else { self.load.tokens });
        let mut exchange = |what, pass, stages, times: u64| {
            if times > 0 {
                visit(Exchange {
                    what,
                    part: Part::Other,
                    pass: Some(pass),
                    group: Group::Pipeline,
                    ranks: pp,
                    spread: self.pair(stages),
                    collective: Collective::SendReceive,
                    payload,
                    times: Factors::ONE.by("chunks", times as f64),
                });
            }
        };
        let (last, ends) = (pp - 1, [0, pp - 1]);
        let (to_next, to_last) = ("activations to the next stage", "gradients to the stage before");
        // Chunks of interleaved stages go on from the last stage to the first.
        if stage < last {
            exchange(to_next, Pass::Forward, [stage, stage + 1], vpp);
        } else {
            exchange(to_next, Pass::Forward, ends, vpp - 1);
        }
        if self.trains() && stage > 0 {
            exchange(to_last, Pass::Backward, [stage - 1, stage], vpp);
        } else if self.trains() {
            exchange(to_last, Pass::Backward, ends, vpp - 1);
        }
    }

    /// What the ranks of a layer exchange of `payload`, each time it is named.
    fn among_tensor(
        &self,
        part: Part,
        payload: Factors,
        times: Factors,
    ) -> impl Fn(&'static str, Pass, Collective) -> Exchange {
        let ranks = self.layout().tp;
        let spread = self.line(Group::Tensor, ranks);
        move |what, pass, collective| Exchange {
            what,
            part,
            pass: Some(pass),
            group: Group::Tensor,
            ranks,
            spread,
            collective,
            payload,
            times,
        }
    }

    /// Which devices a group of neighbours is on.
    pub(super) fn line(&self, group: Group, ranks: u64) -> Spread {
        Spread::line(ranks, self.division.strides[group as usize])
    }

    /// Which devices the same ranks of two stages are on.
    pub(super) fn pair(&self, stages: [u64; 2]) -> Spread {
        Spread::pair(stages, self.layout().pp, self.division.strides[Group::Pipeline as usize])
    }
}

/// The part that a block's own exchanges are told under.
fn block_part(block: &Block) -> Part {
    let first = block.operations.iter().find(|operation| {
        operation.part != Part::Norms
            && (operation.is_divided(Axis::Tensor) || operation.part == Part::Experts)
    });
    first.map_or(Part::Other, |operation| operation.part)
}
