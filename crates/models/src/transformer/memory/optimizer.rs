//! What optimizers keep of each weight.

use mlsysim_quantity::{Bytes, BytesPerParam, Params};
use mlsysim_scenario::choices;

use crate::physics::training_state::STORED_32_BIT;
use crate::transformer::{Accounting, Operation, Part, Shares, Work};

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
    /// What is kept of each weight beside the master copy, where that is the same for all.
    fn of_any(self) -> Option<BytesPerParam> {
        let bytes = BytesPerParam::from_base;
        match self {
            Optimizer::Adam => Some(2.0 * STORED_32_BIT),
            Optimizer::Adam16 => Some(2.0 * bytes(2.0)),
            Optimizer::Adam8 => Some(2.0 * bytes(1.0)),
            Optimizer::Sgd => Some(BytesPerParam::ZERO),
            Optimizer::Momentum => Some(STORED_32_BIT),
            Optimizer::Adafactor | Optimizer::Muon => None,
        }
    }

    /// What is kept of each of the weights of an operation beside the master copy; nothing of matrices
    /// with factored moments.
    fn moments(self, operation: &Operation) -> BytesPerParam {
        if let Some(moments) = self.of_any() {
            return moments;
        }
        let matrix = matches!(operation.work, Work::Linear { .. } | Work::Expert { .. });
        match self {
            Optimizer::Adafactor if matrix || matches!(operation.work, Work::LookUp { .. }) => {
                BytesPerParam::ZERO
            }
            Optimizer::Muon if !matrix || operation.part == Part::Head => 2.0 * STORED_32_BIT,
            _ => STORED_32_BIT,
        }
    }

    /// The numbers of an operation's factored moments on a rank: one for each row and column.
    pub(crate) fn factors(self, operation: &Operation, shares: &Shares) -> f64 {
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
    /// The master copy of a weight; weights in 32 bits are their own.
    fn master_copy(&self) -> BytesPerParam {
        if self.elements.activation.base() < 4.0 { STORED_32_BIT } else { BytesPerParam::ZERO }
    }

    /// What is kept of each of the weights of an operation, master copy included.
    pub(crate) fn kept_each(&self, optimizer: Optimizer, operation: &Operation) -> BytesPerParam {
        optimizer.moments(operation) + self.master_copy()
    }

    /// What the optimizer keeps of the weights of an operation on a rank, before replicas share it.
    pub(super) fn optimizer_state(&self, operation: &Operation, optimizer: Optimizer) -> Bytes {
        let shares = &self.division.shares;
        let parameters = Params::from_base(operation.parameters(shares) as f64);
        let factors = optimizer.factors(operation, shares) * Bytes::from_base(4.0);
        parameters * self.kept_each(optimizer, operation) + factors
    }
}
