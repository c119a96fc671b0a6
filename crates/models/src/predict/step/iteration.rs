//! `Flow`: what an iteration of an engine works on, and what a model takes for it.

use mlsysim_scenario::{Name, Result};

use super::pieces::repeated;
use super::{AttentionKernel, Cost, Piece, Pricing, Spent, experts_touched};
use crate::transformer::{
    Accounting, Block, Division, Exchange, Extent, Kernel, Layout, Load, Operation, Part, Phase, Step,
    Transformer, Work,
};

/// What one iteration of one replica works on: a token of each of some sequences, and prompts.
///
/// Both may be means over many iterations, and no whole numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// The sequences that get a token.
    pub sequences: f64,
    /// The tokens that each of those has cached.
    pub context: u64,
    /// The prompts that are read.
    pub prompts: f64,
    /// The tokens of a prompt.
    pub prompt: u64,
    /// The tokens before those that each prompt has cached.
    pub behind: u64,
}

impl Flow {
    /// The tokens that matrices work on.
    pub fn tokens(&self) -> f64 {
        self.sequences + self.prompts * self.prompt as f64
    }

    /// The tokens of which the vocabulary is scored.
    pub fn scored(&self) -> f64 {
        self.sequences + self.prompts
    }
}

/// Products that read the same activations, as one kernel computes them.
#[derive(Clone, Copy)]
struct Merged<'a> {
    first: &'a Operation,
    inputs: Extent,
    columns: u64,
    // Those of them that other ranks have as well.
    repeated: f64,
}

/// A piece with how often it stands in an iteration.
pub type Pieces = Vec<(Piece, f64)>;

/// What one token of each of the phases takes of a model, from which iterations are made.
struct Units<'a> {
    decode: Accounting<'a>,
    prefill: Accounting<'a>,
    flow: Flow,
}

impl Units<'_> {
    /// The cached tokens that a product of `inputs` works on again: those of prompts of whose latents keys
    /// and values are made anew.
    fn made_anew(&self, operation: &Operation, inputs: &Extent) -> f64 {
        let load = &self.prefill.load;
        self.flow.prompts * (load.linear_tokens(operation, inputs, Phase::Prefill) - load.of(operation))
    }
}

impl Pricing<'_> {
    /// The pieces of an iteration of one replica of `model` on `layout` with their numbers, all stages
    /// one after the other, each layer once where there are many of its kind.
    ///
    /// # Errors
    ///
    /// The model cannot do it, or a group spans domains and the machine has no network.
    pub fn iteration(&self, model: &Transformer, layout: &Layout, flow: Flow) -> Result<Pieces> {
        let division = Division::new(model, layout)?;
        let stored = |step: Step| Step {
            precision: Name::from("bf16"),
            kv_precision: self.stored_cache.clone(),
            ..step
        };
        let [decode, prefill] = [
            stored(Step::decode(layout.dp, flow.context)),
            stored(Step::prefill(layout.dp, flow.prompt.max(1), flow.behind)),
        ];
        let units = Units {
            decode: Accounting::new(&division, &decode)?,
            prefill: Accounting::new(&division, &prefill)?,
            flow,
        };
        let mut pieces = Vec::new();
        for (layer, layers) in model.counted_kinds() {
            for block in &layer.blocks {
                self.block(&units, block, layers as f64, &mut pieces)?;
            }
        }
        let ends = [&model.embedding, &model.head];
        for operations in ends {
            let block = Block { operations: operations.clone() };
            self.operations(&units, &block, 1.0, &mut pieces);
        }
        let traffic = units.decode.traffic();
        let mut exchanges = Vec::new();
        traffic.head(&mut |exchange| exchanges.push((exchange, flow.scored())));
        if layout.pp > 1 {
            for stage in 0..layout.pp {
                traffic.pipeline(stage, &mut |exchange| exchanges.push((exchange, flow.tokens())));
            }
        }
        for (exchange, tokens) in exchanges {
            pieces.push((self.scaled(&units, &exchange, tokens)?, exchange.times.product()));
        }
        Ok(pieces)
    }

    /// What those pieces take together.
    pub fn spent_on(&self, pieces: &Pieces) -> Spent {
        let mut spent = Spent::default();
        pieces.iter().for_each(|(piece, times)| spent.take(piece, &self.kernels, *times));
        spent
    }

    fn block(&self, units: &Units, block: &Block, layers: f64, pieces: &mut Pieces) -> Result<()> {
        self.operations(units, block, layers, pieces);
        let mut exchanges: Vec<Exchange> = Vec::new();
        units.decode.traffic().block(block, &mut |exchange| exchanges.push(exchange));
        for exchange in exchanges {
            let piece = self.scaled(units, &exchange, units.flow.tokens())?;
            pieces.push((piece, layers * exchange.times.product()));
        }
        Ok(())
    }

    /// An exchange of one token, as one of `tokens`.
    fn scaled(&self, units: &Units, exchange: &Exchange, tokens: f64) -> Result<Piece> {
        let payload = exchange.payload.by("sequences", tokens);
        self.exchange(&Exchange { payload, ..*exchange }, units.decode.division.model.routing)
    }

    fn operations(&self, units: &Units, block: &Block, times: f64, pieces: &mut Pieces) {
        let shares = &units.decode.division.shares;
        let mut merged: Option<Merged> = None;
        let mut add = |piece: Piece| pieces.push((piece, times));
        for operation in &block.operations {
            if let Work::Linear { inputs, outputs, .. } | Work::Expert { inputs, outputs, .. } =
                &operation.work
            {
                let columns = outputs.on(shares);
                let repeated = columns as f64 * repeated(operation, shares, Phase::Prefill);
                if let Some(open) = merged.as_mut()
                    && open.first.part == operation.part
                    && open.inputs == *inputs
                {
                    open.columns += columns;
                    open.repeated += repeated;
                } else {
                    merged.take().map(|open| self.merged(units, &open)).into_iter().for_each(&mut add);
                    merged = Some(Merged { first: operation, inputs: *inputs, columns, repeated });
                }
                continue;
            }
            // What lies between two products that read the same does not keep them apart.
            if let Work::Attention { .. } = operation.work {
                self.attended(units, operation).into_iter().for_each(&mut add);
                continue;
            }
            self.moved(units, operation).into_iter().for_each(&mut add);
        }
        merged.take().map(|open| self.merged(units, &open)).into_iter().for_each(&mut add);
    }

    fn merged(&self, units: &Units, open: &Merged) -> Piece {
        let shares = &units.decode.division.shares;
        let sides = [open.columns, open.inputs.on(shares)];
        let tokens = units.flow.tokens();
        let cost = match &open.first.work {
            Work::Expert { experts, per_token, .. } => {
                let routed = units.decode.load.routed() * tokens;
                let (held, all) = (experts.on(shares) as f64, experts.whole() as f64);
                let touched = experts_touched(held, all, f64::from(*per_token), routed);
                self.product(open.first.part, routed / touched, sides, touched)
            }
            _ if open.first.part == Part::Head => self.product(Part::Head, units.flow.scored(), sides, 1.0),
            _ => {
                self.product(open.first.part, tokens + units.made_anew(open.first, &open.inputs), sides, 1.0)
            }
        };
        let repeated = if open.columns > 0 { open.repeated / open.columns as f64 } else { 0.0 };
        Piece { what: open.first.name, part: open.first.part, cost, repeated }
    }

    /// Attention of the sequences that get a token, and of the prompts.
    fn attended(&self, units: &Units, operation: &Operation) -> Vec<Piece> {
        let flow = &units.flow;
        let phases = [
            (&units.decode, Phase::Decode, flow.sequences, flow.context + 1),
            (&units.prefill, Phase::Prefill, flow.prompts, flow.behind + flow.prompt),
        ];
        let mut pieces = Vec::new();
        for (accounting, phase, number, keys) in phases {
            if number <= 0.0 {
                continue;
            }
            let Accounting { division, load, elements, .. } = accounting;
            let kernel = Kernel {
                flops: operation.forward_flops(&division.shares, load, phase),
                moved: operation.forward_bytes(&division.shares, load, phase, elements),
            };
            let unit = self.operation(operation, &division.shares, load, phase, elements);
            let scores = match unit.map(|piece| piece.cost) {
                Some(Cost::Attention { scores, .. })
                    if self.practice.attention == AttentionKernel::Unfused && phase == Phase::Prefill =>
                {
                    number * scores
                }
                _ => mlsysim_quantity::Time::ZERO,
            };
            let keys = kept_keys(operation, load, keys);
            let question =
                self.attention.attention(kernel.repeated(number), keys, phase == Phase::Decode, false);
            let question = if phase == Phase::Prefill { question.of_prompts() } else { question };
            let cost = Cost::Attention { question, scores };
            let repeated = repeated(operation, &division.shares, phase);
            pieces.push(Piece { what: operation.name, part: operation.part, cost, repeated });
        }
        pieces
    }

    /// A pass over the activations of all tokens.
    fn moved(&self, units: &Units, operation: &Operation) -> Option<Piece> {
        let Accounting { division, load, elements, step } = &units.decode;
        let unit = self.operation(operation, &division.shares, load, step.phase, elements)?;
        let Cost::Moves(time) = unit.cost else { return None };
        let tokens = if operation.part == Part::Head { units.flow.scored() } else { units.flow.tokens() };
        Some(Piece { cost: Cost::Moves(tokens * time), ..unit })
    }
}

/// The keys that the last token attends to: as many as it has, or as its mask lets it see.
fn kept_keys(operation: &Operation, load: &Load, keys: u64) -> f64 {
    match &operation.work {
        Work::Attention { mask, .. } => {
            let seen = load.cached_keys(*mask) + load.new as f64;
            (keys as f64).min(seen)
        }
        _ => keys as f64,
    }
}
