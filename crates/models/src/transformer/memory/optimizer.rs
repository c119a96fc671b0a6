//! What optimizers keep of each weight.

use mlsysim_quantity::{Bytes, BytesPerParam, Params};
use mlsysim_scenario::choices;

use crate::physics::training_state::STORED_32_BIT;
use crate::transformer::{Account, Accounting, Operation, Part, Shares, Work};

choices! {
    /// What updates the weights, with a 32-bit master copy of each that is held in fewer bits.
    pub enum Optimizer {
        /// Two moments in 32 bits (Rajbhandari et al. 2020, section 3.1, arXiv:1910.02054).
        Adam = "adam",
        /// Two moments in 16 bits.
        Adam16 = "adam_16bit",
        /// Two moments in 8 bits (Dettmers et al. 2021, arXiv:2110.02861).
        Adam8 = "adam_8bit",
        /// Sums of the rows and columns of a matrix (Shazeer and Stern 2018, arXiv:1804.04235).
        Adafactor = "adafactor",
        /// Nothing.
        Sgd = "sgd",
        /// One moment in 32 bits.
        Momentum = "sgd_momentum",
        /// One moment in 32 bits for the matrices of layers, and Adam for the rest (Jordan et al.
        /// 2024; Liu et al. 2025, arXiv:2502.16982).
        Muon = "muon",
    }
}

impl Optimizer {
    /// What is kept of each of the weights of an operation beside the master copy; nothing of matrices
    /// with factored moments.
    fn moments(self, operation: &Operation) -> BytesPerParam {
        let half = BytesPerParam::from_base(2.0);
        let byte = BytesPerParam::from_base(1.0);
        let matrix = matches!(operation.work, Work::Linear { .. } | Work::Expert { .. });
        match self {
            Optimizer::Adam => 2.0 * STORED_32_BIT,
            Optimizer::Adam16 => 2.0 * half,
            Optimizer::Adam8 => 2.0 * byte,
            Optimizer::Adafactor if matrix || matches!(operation.work, Work::LookUp { .. }) => {
                BytesPerParam::ZERO
            }
            Optimizer::Adafactor => STORED_32_BIT,
            Optimizer::Sgd => BytesPerParam::ZERO,
            Optimizer::Momentum => STORED_32_BIT,
            Optimizer::Muon if matrix && operation.part != Part::Head => STORED_32_BIT,
            Optimizer::Muon => 2.0 * STORED_32_BIT,
        }
    }

    /// The numbers of an operation's factored moments on a rank: one for each row and column.
    fn factors(self, operation: &Operation, shares: &Shares) -> f64 {
        let sides = match (self, &operation.work) {
            (Optimizer::Adafactor, Work::Linear { inputs, outputs, .. }) if !operation.shared => {
                inputs.on(shares) + outputs.on(shares)
            }
            (Optimizer::Adafactor, Work::Expert { experts, inputs, outputs, .. }) => {
                experts.on(shares) * (inputs.on(shares) + outputs.on(shares))
            }
            (Optimizer::Adafactor, Work::LookUp { rows, width }) => rows.on(shares) + width.on(shares),
            _ => 0,
        };
        sides as f64
    }
}

impl Accounting<'_> {
    /// What the optimizer keeps on a rank of `account`'s stage.
    pub(super) fn optimizer_state(&self, account: &Account, optimizer: Optimizer) -> Bytes {
        let shares = &self.division.shares;
        let zero = self.division.layout.zero;
        let mut state = Bytes::ZERO;
        self.operations(account.stage, |operation, layers, _| {
            let parameters = Params::from_base(operation.parameters(shares) as f64);
            let factors = optimizer.factors(operation, shares) * Bytes::from_base(4.0);
            // Weights in 32 bits are their own master copy.
            let master = if self.elements.activation.base() < 4.0 { 1.0 } else { 0.0 };
            let kept = optimizer.moments(operation) + master * STORED_32_BIT;
            let over = if zero >= 1 { self.sharded_over(operation.part) } else { 1.0 };
            state += layers as f64 * (parameters * kept + factors) / over;
        });
        state
    }
}
