//! `Exchange`: what one rank sends to the others of a group, and how often.

use mlsysim_quantity::Bytes;
use mlsysim_scenario::choices;

use crate::machine::{Collective, Spread};
use crate::physics::communication::{ring_all_reduce_factor, ring_phase_factor};
use crate::transformer::{Part, Pass};

choices! {
    /// The ranks that exchange something.
    pub enum Group {
        /// Those that share each layer.
        Tensor = "tp",
        /// Those that share each sequence.
        Context = "cp",
        /// Those that share the experts.
        Expert = "ep",
        /// Those that share each expert.
        ExpertTensor = "etp",
        /// The stages of a pipeline.
        Pipeline = "pp",
        /// Those that hold the same part of the layers.
        Data = "dp",
        /// Those that hold the same part of the experts.
        ExpertData = "edp",
    }
}

/// An exchange of one rank with its group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exchange {
    /// What it is for, such as `attention output`.
    pub what: &'static str,
    /// The part of the model that it belongs to.
    pub part: Part,
    /// The pass in which it happens; nothing for what happens once a step, with the update.
    pub pass: Option<Pass>,
    /// The group.
    pub group: Group,
    /// How many ranks it has.
    pub ranks: u64,
    /// Which devices they are on: those of a stage and its neighbour where one sends to the other.
    pub spread: Spread,
    /// What they do.
    pub collective: Collective,
    /// The whole payload: what is reduced, or gathered, or held by a rank before an all-to-all; in
    /// bytes.
    pub payload: Factors,
    /// How often it happens in a step.
    pub times: Factors,
}

/// A product with the names of its factors, so that it explains itself.
///
/// ```
/// use mlsysim_models::transformer::Factors;
///
/// let payload = Factors::ONE.by("tokens", 4096.0).by("hidden", 8192.0).by("element", 2.0);
/// assert_eq!(payload.product(), 67108864.0);
/// assert_eq!(payload.to_string(), "tokens × hidden × element");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    factors: [(&'static str, f64); 5],
    count: usize,
}

impl Factors {
    /// The product of nothing.
    pub const ONE: Factors = Factors { factors: [("", 1.0); 5], count: 0 };

    /// This, times a factor; a sixth is multiplied into the fifth, under its name.
    #[must_use]
    pub const fn by(mut self, name: &'static str, value: f64) -> Self {
        if self.count < self.factors.len() {
            self.factors[self.count] = (name, value);
            self.count += 1;
        } else {
            self.factors[self.count - 1].1 *= value;
        }
        self
    }

    /// These factors and then those.
    #[must_use]
    pub fn and(self, others: Factors) -> Self {
        others.iter().fold(self, |product, (name, value)| product.by(name, value))
    }

    /// The value.
    pub fn product(&self) -> f64 {
        self.iter().fold(1.0, |product, (_, value)| product * value)
    }

    /// Whether the factors have the same names, and all but that of layers the same values.
    pub(crate) fn alike(&self, other: &Factors) -> bool {
        let same = |((name, value), (theirs, other)): ((&str, f64), (&str, f64))| {
            name == theirs && (name == "layers" || value == other)
        };
        self.count == other.count && self.iter().zip(other.iter()).all(same)
    }

    /// The same with the layers of `other` added to these.
    pub(crate) fn plus(mut self, other: &Factors) -> Self {
        for (factor, (name, value)) in self.factors.iter_mut().zip(other.iter()) {
            if name == "layers" {
                factor.1 += value;
            }
        }
        self
    }

    /// The factors by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        self.factors[..self.count].iter().copied()
    }
}

/// The factors by name: `tokens × hidden × element`.
impl std::fmt::Display for Factors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (name, _)) in self.iter().enumerate() {
            write!(f, "{}{name}", if index > 0 { " × " } else { "" })?;
        }
        if self.count == 0 { f.write_str("1") } else { Ok(()) }
    }
}

impl Exchange {
    /// What the rank sends each time, by the algorithm that sends least: a ring, or directly.
    ///
    /// A group of one sends nothing.
    pub fn sent_once(&self) -> Bytes {
        self.share() * self.payload_bytes()
    }

    /// The payload as a quantity.
    pub fn payload_bytes(&self) -> Bytes {
        Bytes::from_base(self.payload.product())
    }

    /// The part of the payload that the rank sends.
    pub fn share(&self) -> f64 {
        match self.collective {
            _ if self.ranks <= 1 => 0.0,
            Collective::AllReduce => ring_all_reduce_factor(self.ranks),
            Collective::ReduceScatter | Collective::AllGather | Collective::AllToAll => {
                ring_phase_factor(self.ranks)
            }
            Collective::SendReceive | Collective::Broadcast => 1.0,
        }
    }

    /// Whether it takes what `other` takes each time, wherever both lie.
    pub(crate) fn costs_as(&self, other: &Exchange) -> bool {
        let of = |exchange: &Exchange| (exchange.group, exchange.collective, exchange.spread);
        of(self) == of(other) && self.payload.product() == other.payload.product()
    }

    /// What the rank sends in a step.
    pub fn sent(&self) -> Bytes {
        self.times.product() * self.sent_once()
    }
}
