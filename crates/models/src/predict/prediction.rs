//! `Prediction`: a predicted time with its band, and `Question`: what a time is predicted of.

use std::sync::Arc;

use mlsysim_quantity::Time;
use mlsysim_scenario::{Derivation, Kind};

use super::{Band, Coefficients};

/// A predicted time.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The time, never below the bound.
    pub time: Time,
    /// What one measurement in twenty is below.
    pub low: Time,
    /// What one measurement in twenty is above.
    pub high: Time,
    /// What kind of number the time is.
    pub kind: Kind,
    /// The least time that is possible.
    pub bound: Time,
    /// What takes most of the time.
    pub binds: &'static str,
    /// The regime that the band was validated in.
    pub regime: &'static str,
    /// Whether the calibration lacks something of it, so that the band is that of families of devices
    /// left out.
    pub is_beyond: bool,
    /// Why the band is as wide as it is.
    pub reasons: Vec<String>,
}

impl Prediction {
    /// What share of the bound is reached: 1 where nothing can be faster.
    pub fn share_of_bound(&self) -> f64 {
        if self.time == Time::ZERO { 1.0 } else { self.bound / self.time }
    }
}

/// What a question has that the calibration lacks, in words; most have nothing of that kind or something
/// that has no figure in it, and cost nothing to copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beyond {
    written: Option<Arc<[String]>>,
    fixed: Option<&'static str>,
}

impl Beyond {
    /// These reasons.
    pub fn of(reasons: Vec<String>) -> Self {
        Beyond { written: (!reasons.is_empty()).then(|| reasons.into()), fixed: None }
    }

    /// The same with one more where there is one.
    #[must_use]
    pub fn and_fixed(self, fixed: Option<&'static str>) -> Self {
        Beyond { fixed, ..self }
    }

    /// These and one more.
    #[must_use]
    pub fn and(&self, reason: String) -> Self {
        Beyond::of(self.iter().map(str::to_string).chain([reason]).collect())
    }

    /// These and a framework that nobody knows.
    #[must_use]
    pub fn by_unknown(&self, framework: &str) -> Self {
        self.and(format!("the framework `{framework}` is not known, and taken to do what most do"))
    }

    /// Whether the calibration lacks nothing.
    pub fn is_empty(&self) -> bool {
        self.written.is_none() && self.fixed.is_none()
    }

    /// The reasons.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.written.iter().flat_map(|reasons| reasons.iter().map(String::as_str)).chain(self.fixed)
    }
}

/// What a time is predicted of, with all that the prediction needs of the machine.
pub trait Question: Clone {
    /// The coefficients of its model.
    type Of: Coefficients;

    /// The time by the model, which may be below the bound.
    fn time(&self, coefficients: &Self::Of) -> Time;

    /// The least time that is possible.
    fn bound(&self) -> Time;

    /// What it takes at the full rates of the machine, without latency and without caches: the longer of
    /// arithmetic and memory, or what the link takes.
    fn speed_of_light(&self) -> Time;

    /// What takes most of the time.
    fn binds(&self, coefficients: &Self::Of) -> &'static str;

    /// How the time of the model comes about.
    fn derivation(&self, coefficients: &Self::Of) -> Derivation;

    /// The regime, whose errors make the band.
    fn regime(&self) -> &'static str;

    /// What it has that the calibration lacks, in words; nothing where it lacks nothing.
    fn beyond(&self) -> &Beyond;

    /// The same, as if no kernel of the device's family had been measured.
    #[must_use]
    fn as_unseen(&self) -> Self {
        self.clone()
    }

    /// The time that is predicted: that of the model, and no less than the bound.
    fn predicted(&self, coefficients: &Self::Of) -> Time {
        self.time(coefficients).max(self.bound())
    }

    /// The prediction, with the band of its regime around it.
    fn prediction(&self, coefficients: &Self::Of, band: Band, mut reasons: Vec<String>) -> Prediction {
        let (time, bound) = (self.predicted(coefficients), self.bound());
        reasons.extend(self.beyond().iter().map(str::to_string));
        Prediction {
            time,
            low: (band.low * time).max(bound),
            high: band.high * time,
            kind: if time == Time::ZERO { Kind::Exact } else { Kind::Fitted },
            bound,
            binds: self.binds(coefficients),
            regime: self.regime(),
            is_beyond: !self.beyond().is_empty(),
            reasons,
        }
    }
}
