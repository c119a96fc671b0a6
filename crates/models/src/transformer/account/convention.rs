//! The conventions by which published figures count the arithmetic of a training step.

use mlsysim_quantity::units::FLOP;
use mlsysim_quantity::{Flops, FlopsPerToken, Tokens};
use mlsysim_scenario::{Define, Result, choices};

use crate::transformer::{
    Accounting, Division, Layout, Mask, Operation, Part, Recompute, Step, Transformer, Work, attention_flops,
    attention_pairs,
};

choices! {
    /// A way to count the arithmetic of training a token; published MFUs differ by it.
    pub enum Convention {
        /// Six operations for each parameter that a token passes, tables included.
        ///
        /// Source: Hoffmann et al. (2022), arXiv:2203.15556, section 3.3 (C ≈ 6ND).
        Parameters = "6n",
        /// The same without the tables of the embedding.
        ///
        /// Source: Kaplan et al. (2020), arXiv:2001.08361, section 2.1.
        NonEmbedding = "6n_non_embedding",
        /// Six for each parameter and twelve for each layer, head, number of a head and token of the
        /// sequence: attention as if every token saw every other.
        ///
        /// Source: Chowdhery et al. (2022), PaLM, appendix B, arXiv:2204.02311.
        Palm = "palm",
        /// Every product of matrices, forward and twice back, attention as if every token saw every
        /// other.
        ///
        /// Source: Narayanan et al. (2021), appendix, arXiv:2104.04473, without its recomputation.
        Square = "square",
        /// Every product of matrices, forward and twice back, attention only where the mask lets a
        /// token see: what has to be computed.
        Masked = "masked",
        /// The same with what the backward pass computes again: what HFU counts.
        Hardware = "hardware",
    }
}

impl Transformer {
    /// The arithmetic of training one token of a sequence of `sequence` tokens, by `convention`.
    ///
    /// ```
    /// use mlsysim_models::transformer::{Convention, Recompute, Transformer};
    ///
    /// let model = Transformer::named("GPT3")?;
    /// let count = |convention| model.training_flops(convention, 2048, Recompute::Full).map(|flops| flops.base() / 1e9);
    /// assert_eq!(count(Convention::Parameters)?.round(), 1048.0);
    /// assert!(count(Convention::Masked)? < count(Convention::Square)?);
    /// assert!(count(Convention::Square)? < count(Convention::Hardware)?);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The model has weights whose arithmetic is not modelled.
    pub fn training_flops(
        &self,
        convention: Convention,
        sequence: u64,
        recompute: Recompute,
    ) -> Result<FlopsPerToken> {
        let counts = self.counts();
        let six = |parameters: u64| 6.0 * parameters as f64 * FLOP;
        let products = |square: bool, recompute: Recompute| -> Result<Flops> {
            let layout = Layout::whole();
            let step = Step { recompute, ..Step::training(1, sequence) }.checked()?;
            let division = Division::new(self, &layout)?;
            let accounting = Accounting::new(&division, &step)?;
            let mut sum = Flops::ZERO;
            accounting.operations(0, |operation, layers, in_layer| {
                let operation = if square { unmasked(operation) } else { *operation };
                for flops in accounting.flops_of(&operation, in_layer) {
                    sum += layers as f64 * flops;
                }
            });
            Ok(sum)
        };
        let tokens = Tokens::from_base(sequence as f64);
        let one = Tokens::from_base(1.0);
        Ok(match convention {
            Convention::Parameters => six(counts.active) / one,
            Convention::NonEmbedding => six(counts.active - counts.parts[Part::Embedding]) / one,
            Convention::Palm => (six(counts.active) + 3.0 * self.square_attention(sequence)) / one,
            Convention::Square => products(true, Recompute::Nothing)? / tokens,
            Convention::Masked => products(false, Recompute::Nothing)? / tokens,
            Convention::Hardware => products(false, recompute)? / tokens,
        })
    }

    /// The arithmetic of the attention of one token, forward, as if it saw the whole sequence.
    fn square_attention(&self, sequence: u64) -> Flops {
        let attention = self.operations().filter_map(|(operation, times)| match &operation.work {
            Work::Attention { heads, key_width, value_width, .. } => {
                let pairs = attention_pairs(Mask::Full, 1, sequence.saturating_sub(1)) as f64;
                Some(
                    times as f64
                        * attention_flops(pairs, heads.whole(), key_width.whole(), value_width.whole()),
                )
            }
            _ => None,
        });
        attention.fold(Flops::ZERO, |sum, flops| sum + flops)
    }
}

/// The same operation with every token seeing every other.
fn unmasked(operation: &Operation) -> Operation {
    match operation.work {
        Work::Attention { heads, key_width, value_width, read, cached, .. } => {
            let work = Work::Attention { heads, key_width, value_width, read, cached, mask: Mask::Full };
            Operation { work, ..*operation }
        }
        _ => *operation,
    }
}
