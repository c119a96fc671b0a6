//! `Division`: a layout applied to a model: what each rank has of every dimension and stage.

use mlsysim_scenario::{Error, Result};

use super::{MOST_RANKS, listed_divisors};
use crate::transformer::{Axis, Dimension, Group, Layout, Operation, Shares, Size, Transformer, Work};

/// A layout that a model allows, with what follows from it.
#[derive(Clone, Debug)]
pub struct Division<'a> {
    /// The model.
    pub model: &'a Transformer,
    /// The layout.
    pub layout: &'a Layout,
    /// How each dimension is divided.
    pub shares: Shares,
    /// How many devices apart neighbours of each group are.
    pub(crate) strides: [u64; Group::ALL.len()],
}

/// How the vocabulary is padded: to a multiple of `multiple` for each rank, where it does not
/// divide by `ranks` as it is.
///
/// ```
/// use mlsysim_models::transformer::padded_vocabulary;
///
/// assert_eq!(padded_vocabulary(50257, 5, 128), 50560);
/// assert_eq!(padded_vocabulary(50257, 8, 128), 51200);
/// assert_eq!(padded_vocabulary(128256, 8, 128), 128256);
/// ```
///
/// Source: Megatron-LM, `vocab_size_with_padding`.
pub fn padded_vocabulary(vocabulary: u64, ranks: u64, multiple: u64) -> u64 {
    if vocabulary.is_multiple_of(ranks) {
        return vocabulary;
    }
    vocabulary.checked_next_multiple_of(multiple.saturating_mul(ranks)).unwrap_or(u64::MAX)
}

impl<'a> Division<'a> {
    /// Applies `layout` to `model`.
    ///
    /// # Errors
    ///
    /// A degree does not divide what it divides; the message lists those that do. Or the layout is a
    /// literal that contradicts itself.
    pub fn new(model: &'a Transformer, layout: &'a Layout) -> Result<Self> {
        layout.is_consistent()?;
        if let Some(what) = model.unmodelled {
            return Err(Error::input(
                "model",
                format!("its parameters are counted, but the arithmetic of {what} is not modelled"),
            ));
        }
        if model.kinds().iter().any(|layer| layer.encoder) {
            return Err(Error::input(
                "model",
                "its parameters are counted, but the passes of an encoder with a decoder are not modelled",
            ));
        }
        let vocabulary =
            padded_vocabulary(u64::from(model.vocabulary), layout.tp, layout.vocabulary_multiple);
        let vocabulary = u32::try_from(vocabulary).map_err(|_| {
            Error::input("vocabulary_multiple", format!("a vocabulary of {vocabulary} rows is too large"))
        })?;
        // Degrees are at most `MOST_RANKS`.
        let shares = Shares {
            tensor: layout.tp as u32,
            expert: layout.ep as u32,
            expert_tensor: layout.expert_tensor() as u32,
            vocabulary,
        };
        let division = Division { model, layout, shares, strides: strides(layout) };
        if layout.tp > 1 || layout.ep > 1 || layout.cp > 1 || layout.expert_tensor() > 1 {
            let operations = model.kinds().iter().flat_map(|layer| layer.operations());
            for operation in operations {
                division.divides(operation)?;
            }
            if layout.ep > 1 && model.routing.is_none() {
                return Err(Error::input(
                    "ep",
                    format!("the model has no experts to spread over `{}`", layout.ep),
                ));
            }
        }
        division.stages_fit()?;
        Ok(division)
    }

    /// The same dimensions with other stages, replicas or another order on devices; nothing is checked
    /// again.
    pub fn relaid<'b>(&self, layout: &'b Layout) -> Division<'b>
    where
        'a: 'b,
    {
        Division { model: self.model, layout, shares: self.shares, strides: strides(layout) }
    }

    /// Whether every size of `operation` divides as the layout wants.
    fn divides(&self, operation: &Operation) -> Result<()> {
        let check = |size: Size| self.size_divides(size);
        match &operation.work {
            Work::Linear { inputs, outputs, .. } => inputs.sizes().chain(outputs.sizes()).try_for_each(check),
            Work::Expert { experts, inputs, outputs, .. } => {
                experts.sizes().chain(inputs.sizes()).chain(outputs.sizes()).try_for_each(check)
            }
            Work::Attention { heads, .. } => {
                heads.sizes().try_for_each(check)?;
                self.context_divides(heads.on(&self.shares))
            }
            _ => Ok(()),
        }
    }

    fn size_divides(&self, Size { dimension, value }: Size) -> Result<()> {
        let Layout { tp, ep, .. } = *self.layout;
        let value = u64::from(value);
        let name = dimension.name();
        match dimension.axis() {
            Axis::Tensor if !value.is_multiple_of(tp) => Err(Error::input(
                "tp",
                format!("the {value} {name} do not divide by `{tp}`; it can be {}", self.legal_tensor()),
            )),
            Axis::TensorReplicated if !value.is_multiple_of(tp) && !tp.is_multiple_of(value) => {
                Err(Error::input(
                    "tp",
                    format!(
                        "the {value} {name} neither divide by `{tp}` nor can each be held by as many of the ranks; it can be {}",
                        self.legal_tensor()
                    ),
                ))
            }
            Axis::Expert if !value.is_multiple_of(ep) => Err(Error::input(
                "ep",
                format!("the {value} {name} do not divide by `{ep}`; it can be {}", listed_divisors(value)),
            )),
            Axis::ExpertTensor if !value.is_multiple_of(self.layout.expert_tensor()) => {
                // Where nobody gave it, each expert is shared by as many ranks as a layer.
                let field = if self.layout.etp.is_some() { "etp" } else { "tp" };
                let each = self.layout.expert_tensor();
                let legal = listed_divisors(value);
                Err(Error::input(
                    field,
                    format!("the {name} of {value} does not divide by `{each}`; etp can be {legal}"),
                ))
            }
            _ => Ok(()),
        }
    }

    /// The tensor-parallel degrees that divide the heads and inner widths of every layer.
    fn legal_tensor(&self) -> String {
        let operations = self.model.kinds().iter().flat_map(|layer| layer.operations());
        let mut sizes: Vec<Size> = Vec::new();
        for operation in operations {
            if let Work::Linear { inputs, outputs, .. } = &operation.work {
                sizes.extend(inputs.sizes().chain(outputs.sizes()));
            }
        }
        let allows = |degree: u64, size: &Size| {
            let value = u64::from(size.value);
            match size.dimension.axis() {
                Axis::Tensor => value.is_multiple_of(degree),
                Axis::TensorReplicated => value.is_multiple_of(degree) || degree.is_multiple_of(value),
                _ => true,
            }
        };
        let heads = sizes.iter().filter(|size| size.dimension == Dimension::Heads);
        let most = heads.map(|size| u64::from(size.value)).max().unwrap_or(1).min(MOST_RANKS);
        let legal = (1..=most).filter(|degree| sizes.iter().all(|size| allows(*degree, size)));
        let legal: Vec<String> = legal.map(|degree| degree.to_string()).collect();
        mlsysim_scenario::listed(legal.iter().map(String::as_str))
    }

    /// All-to-all context parallelism divides the heads of a rank once more.
    fn context_divides(&self, heads: u64) -> Result<()> {
        let cp = self.layout.cp;
        if self.layout.cp_by == super::ContextExchange::AllToAll && !heads.is_multiple_of(cp) {
            return Err(Error::input(
                "cp",
                format!(
                    "an all-to-all gives each of `{cp}` ranks a part of the {heads} heads of a rank; it can be {}",
                    listed_divisors(heads)
                ),
            ));
        }
        Ok(())
    }

    /// Every stage has a layer, and interleaved chunks are equal.
    fn stages_fit(&self) -> Result<()> {
        let Layout { pp, vpp, ref stages, .. } = *self.layout;
        let layers = u64::from(self.model.layers());
        if pp > layers {
            return Err(Error::input(
                "pp",
                format!("`{pp}` stages are more than the {layers} layers; it can be 1 to {layers}"),
            ));
        }
        if vpp > 1 && stages.is_none() && !layers.is_multiple_of(pp * vpp) {
            let legal = if layers.is_multiple_of(pp) {
                format!("; it can be {}", listed_divisors(layers / pp))
            } else {
                format!("; the {layers} layers do not even divide by the pp `{pp}` stages")
            };
            return Err(Error::input(
                "vpp",
                format!(
                    "the {layers} layers make no equal chunks, `{vpp}` on each of {pp} stages{legal}; `stages` can list unequal ones"
                ),
            ));
        }
        let sum = |stages: &Vec<u64>| stages.iter().fold(0u64, |sum, layers| sum.saturating_add(*layers));
        match stages.as_ref().map(sum) {
            Some(sum) if sum != layers => Err(Error::input(
                "stages",
                format!("they have {sum} layers together, but the model has {layers}"),
            )),
            _ => Ok(()),
        }
    }

    /// The layers of a stage (from 0), as ranges of layer numbers, one for each chunk.
    ///
    /// Without a list, stages are as even as can be, earlier ones taking one layer more.
    pub fn chunks(&self, stage: u64) -> impl Iterator<Item = std::ops::Range<u64>> + use<'_> {
        let Layout { pp, vpp, ref stages, .. } = *self.layout;
        let layers = u64::from(self.model.layers());
        let even = move |chunk: u64, chunks: u64| {
            let (each, more) = (layers / chunks, layers % chunks);
            let start = chunk * each + chunk.min(more);
            start..start + each + u64::from(chunk < more)
        };
        (0..vpp).map(move |turn| match stages {
            Some(stages) => {
                let chunk = (turn * pp + stage) as usize;
                let start = stages.iter().take(chunk).sum();
                start..start + stages.get(chunk).copied().unwrap_or(0)
            }
            None => even(turn * pp + stage, pp * vpp),
        })
    }

    /// How many layers of each kind a stage has.
    pub fn layers_of(&self, stage: u64) -> impl Iterator<Item = u64> + use<'_> {
        let kinds = 0..self.model.kinds().len();
        kinds.map(move |kind| self.chunks(stage).map(|range| self.model.layers_of(kind, &range)).sum())
    }

    /// Stages that follow each other and are alike, those at the ends apart: the first of them, and how
    /// many they are. What they hold and compute differs by the micro-batches in flight alone.
    ///
    /// ```
    /// use mlsysim_models::transformer::{Division, Layout, Transformer};
    ///
    /// let (model, layout) = (Transformer::named("Llama3_70B")?, Layout::parse("pp=6")?);
    /// // Of 80 layers, the first and the second stage have 14 each, and the others 13.
    /// let runs: Vec<(u64, u64)> = Division::new(&model, &layout)?.runs().collect();
    /// assert_eq!(runs, [(0, 1), (1, 1), (2, 3), (5, 1)]);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn runs(&self) -> impl Iterator<Item = (u64, u64)> + use<'_> {
        let (pp, mut next) = (self.layout.pp, 0);
        std::iter::from_fn(move || {
            let first = next;
            next = (first + 1..pp).find(|stage| !self.is_as_before(*stage)).unwrap_or(pp);
            (first < pp).then(|| (first, next - first))
        })
    }

    /// Whether a stage lies between others and has as many layers of each kind as the one before.
    fn is_as_before(&self, stage: u64) -> bool {
        if stage < 2 || stage + 1 >= self.layout.pp {
            return false;
        }
        self.layers_of(stage).eq(self.layers_of(stage - 1))
    }

    /// How many of `layers` each of `chunks` has, as even as can be: those at the ends, which work on the
    /// embedding and on the head beside, are the first to have one fewer, the last of them before the
    /// first.
    ///
    /// ```
    /// use mlsysim_models::transformer::Division;
    ///
    /// assert_eq!(Division::spread(30, 8), [3, 4, 4, 4, 4, 4, 4, 3]);
    /// assert_eq!(Division::spread(126, 128)[..2], [0, 1]);
    /// ```
    ///
    /// Source: Megatron-LM, `account_for_embedding_in_pipeline_split` and its twin for the loss.
    pub fn spread(layers: u64, chunks: u64) -> Vec<u64> {
        let chunks = chunks.clamp(1, u64::from(u16::MAX));
        let most = layers.div_ceil(chunks);
        let mut fewer = chunks * most - layers;
        let mut spread = vec![most; chunks as usize];
        let (mut first, mut last) = (0, spread.len());
        while fewer > 0 && first < last {
            last -= 1;
            spread[last] -= 1;
            fewer -= 1;
            if fewer > 0 && first < last {
                spread[first] -= 1;
                fewer -= 1;
            }
            first += 1;
        }
        spread
    }

    /// What a reader should know: padding, replication and uneven stages.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let Layout { tp, pp, vpp, .. } = *self.layout;
        let (vocabulary, padded) = (self.model.vocabulary, self.shares.vocabulary);
        if padded != vocabulary {
            notes.push(format!(
                "the vocabulary of {vocabulary} does not divide by tp {tp} and is padded with {} rows to {padded}",
                padded - vocabulary
            ));
        }
        let sizes = self.model.kinds().iter().flat_map(|layer| layer.operations()).filter_map(|operation| {
            match &operation.work {
                Work::Linear { outputs, .. } => {
                    outputs.sizes().find(|size| size.dimension == Dimension::KvHeads)
                }
                _ => None,
            }
        });
        let fewest = sizes.map(|size| u64::from(size.value)).min();
        if let Some(fewest) = fewest.filter(|fewest| *fewest < tp) {
            notes.push(format!(
                "there are fewer KV heads ({fewest}) than ranks (tp {tp}): each is held by {} of them",
                tp / fewest
            ));
        }
        let layers = u64::from(self.model.layers());
        if self.layout.stages.is_none() && !layers.is_multiple_of(pp * vpp) {
            let (each, more) = (layers / pp, layers % pp);
            notes.push(format!(
                "{layers} layers do not divide by pp {pp}: the first {more} stages have {} and the others {each}",
                each + 1
            ));
        }
        notes
    }
}

/// How many devices apart neighbours of each group are.
fn strides(layout: &Layout) -> [u64; Group::ALL.len()] {
    let mut strides = [1; Group::ALL.len()];
    for (stride, group) in strides.iter_mut().zip(Group::ALL) {
        *stride = layout.stride(*group);
    }
    strides
}
