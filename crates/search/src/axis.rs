//! `Axis`: what a search may choose, and `Condition`: what a user wants of it.

use mlsysim_models::transformer::{ContextExchange, Recompute, Schedule};
use mlsysim_quantity::nearest;
use mlsysim_scenario::{Error, Name, Result, choices, listed};

use crate::Candidate;

choices! {
    /// What a search may choose.
    pub enum Axis {
        /// How many devices are used, of those that were given.
        Devices = "devices",
        /// How many ranks share each layer (tensor parallelism).
        Tp = "tp",
        /// Whether those share the tokens between blocks (sequence parallelism).
        Sp = "sp",
        /// How many stages there are (pipeline parallelism).
        Pp = "pp",
        /// How many chunks of layers a stage has, interleaved.
        Vpp = "vpp",
        /// How many replicas there are (data parallelism).
        Dp = "dp",
        /// What replicas share: the stage of ZeRO.
        Zero = "zero",
        /// Over how many of them that is shared (HSDP).
        Shard = "shard",
        /// How many groups of ranks share the experts.
        Ep = "ep",
        /// How many ranks share each expert.
        Etp = "etp",
        /// How many ranks share each sequence (context parallelism).
        Cp = "cp",
        /// How they exchange keys and values.
        CpBy = "cp_by",
        /// How many sequences pass at a time.
        MicroBatch = "micro_batch",
        /// What the backward pass computes again.
        Recompute = "recompute",
        /// The precision of matrix products.
        Precision = "precision",
        /// The order of a pipeline's passes.
        Schedule = "schedule",
        /// The order of groups on devices (placement).
        Order = "order",
    }
}

/// The orders of groups on devices that may be chosen: stages far apart or next to each other.
pub(crate) const ORDERS: [&str; 2] = ["tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"];

/// What is wanted of one axis: a range of numbers or some values.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The axis.
    pub axis: Axis,
    /// The values that meet it.
    pub values: Values,
}

/// Values on an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Those of a list; choices by their places.
    Some(Vec<u64>),
    /// All from the first to the second, both included.
    Range(u64, u64),
}

impl Values {
    /// Whether `value` is one of them.
    pub fn has(&self, value: u64) -> bool {
        match self {
            Values::Some(values) => values.contains(&value),
            Values::Range(low, high) => (*low..=*high).contains(&value),
        }
    }
}

impl Condition {
    /// Whether `candidate` meets it.
    pub fn holds(&self, candidate: &Candidate) -> bool {
        self.values.has(candidate.on(self.axis))
    }

    /// As a user writes it.
    pub(crate) fn written(&self, precisions: &[Name]) -> String {
        let one = |value: &u64| shown(self.axis, *value, precisions);
        let name = self.axis.name();
        match &self.values {
            Values::Some(values) => {
                format!("{name}={}", values.iter().map(one).collect::<Vec<_>>().join("|"))
            }
            Values::Range(0, high) => format!("{name}<={}", one(high)),
            Values::Range(low, u64::MAX) => format!("{name}>={}", one(low)),
            Values::Range(low, high) => format!("{name}={}..{}", one(low), one(high)),
        }
    }

    /// Reads the conditions of `text`, which the user gave for `field`: `tp=8,pp=2|4,vpp<=4,sp`.
    ///
    /// ```
    /// use mlsysim_search::{Axis, Condition, Values};
    ///
    /// let read = Condition::read("fix", "tp=8, pp=2|4, cp<=2, recompute=full", &[])?;
    /// assert_eq!(read[1].values, Values::Some(vec![2, 4]));
    /// assert_eq!((read[2].axis, &read[2].values), (Axis::Cp, &Values::Range(0, 2)));
    /// let error = Condition::read("fix", "micro_bach=2", &[]).unwrap_err();
    /// assert_eq!(error.to_string(), "fix: there is no axis `micro_bach`; did you mean `micro_batch`?");
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// An axis does not exist, a value is none of its, or a range is empty. The field is `field`.
    pub fn read(field: &str, text: &str, precisions: &[Name]) -> Result<Vec<Condition>> {
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        let read: Vec<Condition> =
            items.map(|item| Self::read_one(field, item, precisions)).collect::<Result<_>>()?;
        match read.is_empty() {
            true => Err(Error::input(field, "nothing is stated; write `tp=8` or `pp<=4`")),
            false => Ok(read),
        }
    }

    fn read_one(field: &str, item: &str, precisions: &[Name]) -> Result<Condition> {
        let at = item.find(['=', '<', '>']).unwrap_or(item.len());
        let (name, rest) = item.split_at(at);
        let (name, axis) = (name.trim(), axis(field, name.trim())?);
        let sign = rest.chars().take_while(|letter| matches!(letter, '=' | '<' | '>')).collect::<String>();
        let wanted = rest.get(sign.len()..).unwrap_or_default().trim();
        let one = |text: &str| value(field, axis, text.trim(), precisions);
        let values = match sign.as_str() {
            "" => Values::Some(vec![one("true")?]),
            "<=" => Values::Range(0, one(wanted)?),
            ">=" => Values::Range(one(wanted)?, u64::MAX),
            "<" => Values::Range(0, one(wanted)?.saturating_sub(1)),
            ">" => Values::Range(one(wanted)?.saturating_add(1), u64::MAX),
            "=" | "==" => match wanted.split_once("..") {
                Some((low, high)) => {
                    let (low, high) = (one(low)?, one(high.trim_start_matches('='))?);
                    if low > high {
                        return Err(Error::input(field, format!("`{wanted}` of `{name}` is an empty range")));
                    }
                    Values::Range(low, high)
                }
                None => Values::Some(wanted.split('|').map(one).collect::<Result<_>>()?),
            },
            other => {
                let message = format!("`{other}` in `{item}` is none of `=`, `<`, `<=`, `>` and `>=`");
                return Err(Error::input(field, message));
            }
        };
        Ok(Condition { axis, values })
    }
}

fn axis(field: &str, name: &str) -> Result<Axis> {
    let written = name.replace('-', "_");
    let names = || Axis::ALL.iter().map(|axis| axis.name());
    Axis::ALL.iter().copied().find(|axis| axis.name() == written).ok_or_else(|| {
        // Two letters are too few to be alike; the first of them says which degree is meant.
        let alike = |known: &&str| [known.len(), name.len()] == [2, 2] && known.get(..1) == name.get(..1);
        let hint = match nearest(&written, names()).or(names().find(alike)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", listed(names())),
        };
        Error::input(field, format!("there is no axis `{name}`; {hint}"))
    })
}

/// The names of the values of an axis, by their places; nothing where they are numbers.
fn names(axis: Axis, precisions: &[Name]) -> Option<Vec<&str>> {
    match axis {
        Axis::Sp => Some(vec!["false", "true"]),
        Axis::CpBy => Some(ContextExchange::NAMES.to_vec()),
        Axis::Recompute => Some(Recompute::NAMES.to_vec()),
        Axis::Schedule => Some(Schedule::NAMES.to_vec()),
        Axis::Order => Some(ORDERS.to_vec()),
        Axis::Precision => Some(precisions.iter().map(|name| &**name).collect()),
        _ => None,
    }
}

/// A value of an axis as a user writes it.
pub(crate) fn shown(axis: Axis, value: u64, precisions: &[Name]) -> String {
    let names = names(axis, precisions);
    let name = names.and_then(|names| names.get(usize::try_from(value).ok()?).map(ToString::to_string));
    name.unwrap_or_else(|| value.to_string())
}

fn value(field: &str, axis: Axis, text: &str, precisions: &[Name]) -> Result<u64> {
    let Some(names) = names(axis, precisions) else {
        return text.parse::<u64>().map_err(|_| {
            let message = format!("a whole number is needed for `{}`, but `{text}` was given", axis.name());
            Error::input(field, message)
        });
    };
    names.iter().position(|name| *name == text).map(|place| place as u64).ok_or_else(|| {
        let hint = match nearest(text, names.iter().copied()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        let (axis, all) = (axis.name(), listed(names.iter().copied()));
        Error::input(field, format!("`{axis}` can be {all}, but `{text}` was given{hint}"))
    })
}
