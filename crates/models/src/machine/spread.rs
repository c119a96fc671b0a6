//! `Spread`: which devices the ranks of a group are on.

/// Which devices the ranks of a group are on, when ranks are numbered dimension by dimension and each
/// number is a device's: a row of them `stride` devices apart, or several such rows.
///
/// As many such groups as are needed for all ranks lie between and behind each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How many ranks a row has.
    pub(super) row: u64,
    /// How many devices apart they are.
    pub(super) stride: u64,
    /// How many rows there are.
    pub(super) rows: u64,
    /// How many devices apart those begin.
    pub(super) apart: u64,
    /// As many groups begin on devices next to each other.
    pub(super) unit: u64,
    /// How far from the beginning of a block of devices the group begins.
    pub(super) first: u64,
    /// After as many devices, groups lie as before.
    pub(super) block: u64,
}

impl Spread {
    /// `ranks` that are `stride` devices apart.
    pub const fn line(ranks: u64, stride: u64) -> Self {
        let (row, stride) = (at_least_one(ranks), at_least_one(stride));
        let block = row.saturating_mul(stride);
        Spread { row, stride, rows: 1, apart: block, unit: stride, first: 0, block }
    }

    /// The ranks along two dimensions, each `[ranks, devices apart]`, of which the nearer is first.
    ///
    /// ```
    /// use mlsysim_models::machine::Spread;
    ///
    /// // Where one begins when the other ends, they are one.
    /// assert_eq!(Spread::rows([2, 4], [8, 8]), Spread::line(16, 4));
    /// assert_eq!(Spread::rows([1, 4], [8, 16]), Spread::line(8, 16));
    /// assert_eq!(Spread::rows([2, 4], [8, 32]).ranks(), 16);
    /// ```
    pub const fn rows([row, stride]: [u64; 2], [rows, apart]: [u64; 2]) -> Self {
        let (line, stride) = (Spread::line(row, stride), at_least_one(stride));
        if row <= 1 {
            return Spread::line(rows, apart);
        }
        if rows <= 1 {
            return line;
        }
        if apart == line.block {
            return Spread::line(row.saturating_mul(rows), stride);
        }
        Spread { rows, apart, block: rows.saturating_mul(apart), ..line }
    }

    /// Two of the `of` places of a dimension that are `stride` devices apart, such as two stages.
    pub const fn pair([one, other]: [u64; 2], of: u64, stride: u64) -> Self {
        let (first, block) = (one.saturating_mul(stride), of.saturating_mul(stride));
        let line = Spread::line(2, other.saturating_sub(one).saturating_mul(stride));
        Spread { unit: at_least_one(stride), first, block, ..line }
    }

    /// How many ranks the group has.
    pub const fn ranks(&self) -> u64 {
        self.row.saturating_mul(self.rows)
    }

    /// How many devices apart neighbours are.
    pub const fn stride(&self) -> u64 {
        self.stride
    }

    /// The first `ranks` of the group, next to each other, and those that have the same place in every
    /// such part; nothing where rows do not divide into parts.
    pub const fn parts(&self, ranks: u64) -> Option<[Spread; 2]> {
        let &Spread { row, stride, rows, apart, .. } = self;
        if ranks == 0 || !self.ranks().is_multiple_of(ranks) {
            return None;
        }
        if row.is_multiple_of(ranks) {
            let behind = Spread::rows([row / ranks, stride * ranks], [rows, apart]);
            return Some([Spread::line(ranks, stride), behind]);
        }
        if ranks.is_multiple_of(row) {
            let own = ranks / row;
            return Some([Spread::rows([row, stride], [own, apart]), Spread::line(rows / own, apart * own)]);
        }
        None
    }

    /// Whether it is one row of all places of a dimension.
    pub(super) const fn is_line(&self) -> bool {
        self.rows == 1 && self.block == self.row.saturating_mul(self.stride)
    }
}

const fn at_least_one(count: u64) -> u64 {
    if count == 0 { 1 } else { count }
}
