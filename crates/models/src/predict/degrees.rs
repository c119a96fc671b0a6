//! `Degrees`: a step at each degree of tensor parallelism, and what the split loses.

use mlsysim_quantity::{Bytes, Time};
use mlsysim_scenario::{Define, Error, Map, Result, Value, constant};

use super::{CalibrationSet, Categories, Category, Engine, Forecast, Ratio, SpeedUps, StepPrediction, Terms};
use crate::machine::Machine;
use crate::transformer::explain::table;
use crate::transformer::{Accounting, Division, Layout, MemoryPolicy, Step, Transformer};

/// What share of its time a doubling has to save to pay for latency.
const PAYS: f64 = 0.1;

/// A step at each degree of tensor parallelism that a model and a machine allow: 1, 2, 4 and so on.
///
/// ```
/// use mlsysim_models::machine::Machine;
/// use mlsysim_models::predict::{CalibrationSet, Degrees, Engine, Terms};
/// use mlsysim_models::transformer::{Layout, MemoryPolicy, Step, Transformer};
///
/// let (model, machine) = (Transformer::named("Llama3_70B")?, Machine::named("DGX_H100")?);
/// let (step, engine) = (Step::prefill(1, 2048, 0), Engine::default());
/// let degrees = Degrees::new(
///     &model, &Layout::whole(), &step, &machine, &MemoryPolicy::default(), &engine, Terms::default(),
///     CalibrationSet::shipped()?,
/// )?;
/// let speed_ups: Vec<f64> = degrees.all.iter().map(|degree| degrees.speed_up(degree)).collect();
/// assert_eq!((speed_ups.len(), speed_ups[0]), (4, 1.0));
/// assert!(speed_ups[3] > 3.0 && speed_ups[3] < 8.0);
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Degrees {
    /// The degrees, from 1.
    pub all: Vec<Degree>,
    /// The first doubling that the machine has devices for and the layout does not allow, and why.
    pub refused: Option<(u64, Error)>,
    speed_ups: SpeedUps,
}

/// A step at one degree.
#[derive(Clone, Debug)]
pub struct Degree {
    /// How many ranks share a layer.
    pub tp: u64,
    /// The layout.
    pub layout: Layout,
    /// Between how many domains of fast links a group lies; 1 where it stays within one.
    pub domains: u64,
    /// The time with its interval, and its parts.
    pub predicted: StepPrediction,
    /// What the device takes of one layer, the mean of them all: all passes of all micro-batches.
    pub layer: [Time; 7],
    /// Whether it is served, and not trained.
    is_served: bool,
    /// What is left on the fullest device; below 0 where it does not fit.
    pub free: Bytes,
    /// How many devices the machine has too few.
    pub missing: u64,
    /// The tokens of a step.
    pub tokens: f64,
    /// What a million tokens cost, in USD; nothing where no price is stated.
    pub cost: Option<f64>,
}

/// A time as an ideal split and what is lost beside: they add up to the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// The time of one rank, divided by the degree.
    pub ideal: Time,
    /// What each category takes beyond its part of that, in the order of [`Category::ALL`]; below 0
    /// where a part of the work becomes more than that much faster.
    pub losses: [Time; 7],
}

/// Why a doubling no longer pays for latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It saves less than a tenth of the time.
    Little,
    /// Its time lies within the interval of the degree before.
    Within,
}

impl Split {
    /// How `own` comes about from `reference`, the same at degree 1, at the degree `tp`:
    /// `total = Σ c(1) / t + Σ (c(t) - c(1) / t)`.
    pub fn new(reference: &[Time; 7], own: &[Time; 7], tp: u64) -> Self {
        let share = 1.0 / tp as f64;
        let ideal = share * reference.iter().fold(Time::ZERO, |sum, time| sum + *time);
        Split { ideal, losses: std::array::from_fn(|at| own[at] - share * reference[at]) }
    }

    /// What it adds up to.
    pub fn total(&self) -> Time {
        self.losses.iter().fold(self.ideal, |sum, loss| sum + *loss)
    }

    /// Ideal and losses by name.
    fn report(&self) -> Value {
        let losses = Category::ALL.iter().zip(&self.losses);
        let losses: Map<Value> = losses
            .map(|(category, loss)| (category.name().replace(' ', "_").into(), constant(loss)))
            .collect();
        Value::Map(table([("ideal", constant(&self.ideal)), ("losses", Value::Map(losses))]))
    }
}

impl Degrees {
    /// Predicts `step` at each degree, with the other degrees of `layout`.
    ///
    /// Sequence parallelism of the layout is left out at degree 1, which it means nothing to.
    ///
    /// # Errors
    ///
    /// The layout states a degree of tensor parallelism, or does not suit the model without; the machine
    /// has too few devices for it, or lacks a figure; or a precision is not known.
    #[expect(clippy::too_many_arguments, reason = "all that a step is asked with")]
    pub fn new(
        model: &Transformer,
        layout: &Layout,
        step: &Step,
        machine: &Machine,
        policy: &MemoryPolicy,
        engine: &Engine,
        terms: Terms,
        calibrations: &CalibrationSet,
    ) -> Result<Self> {
        if layout.tp > 1 {
            let message =
                format!("the degree is what is varied, but `{}` was given; leave it out", layout.tp);
            return Err(Error::input("tp", message));
        }
        let (mut all, mut refused) = (Vec::new(), None);
        let mut tp = 1;
        loop {
            let layout = Layout { tp, sp: layout.sp && tp > 1, ..layout.clone() };
            if tp > 1 && (layout.devices() > machine.devices() || tp > u64::from(u16::MAX)) {
                break;
            }
            let division = match Division::new(model, &layout) {
                Ok(division) => division,
                Err(error) if tp == 1 => return Err(error),
                Err(error) => {
                    refused = Some((tp, error));
                    break;
                }
            };
            let accounting = Accounting::new(&division, step)?;
            let forecast = Forecast::new(&accounting, machine, policy, engine, terms, calibrations)?;
            all.push(Degree::of(&forecast)?);
            tp *= 2;
        }
        Ok(Degrees { all, refused, speed_ups: calibrations.speed_ups.clone() })
    }

    /// The layout of `given` degrees: its sequence parallelism is that of every degree but 1, which knows
    /// none.
    ///
    /// ```
    /// use mlsysim_models::{predict::Degrees, transformer::Layout};
    ///
    /// assert!(Layout::parse("pp=2,sp").is_err());
    /// assert!(Degrees::layout(Layout::inputs("pp=2,sp")?)?.sp);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A degree is misspelt, no number, or contradicts another.
    pub fn layout(given: Map<Value>) -> Result<Layout> {
        let (mut given, mut sp) = (given, false);
        if let Some(shares) = given.shift_remove("sp") {
            sp = Layout::from_inputs(Map::from_iter([("tp".into(), 2.into()), ("sp".into(), shares)]))?.sp;
        }
        Ok(Layout { sp, ..Layout::from_inputs(given)? })
    }

    /// Degree 1, against which the others are told, whether it fits or not.
    fn reference(&self) -> Option<&Degree> {
        self.all.first()
    }

    /// How many times faster than degree 1.
    pub fn speed_up(&self, degree: &Degree) -> f64 {
        self.reference().map_or(1.0, |one| one.time() / degree.time())
    }

    /// The same with the interval of it, from published sweeps of such steps: that of degree 1 is known.
    pub fn speed_up_within(&self, degree: &Degree) -> Ratio {
        let ratio = self.speed_up(degree);
        let Some(one) = self.reference().filter(|one| one.tp < degree.tp) else { return Ratio::exact(ratio) };
        let is_beyond = [one, degree].iter().any(|each| each.predicted.total.is_beyond);
        self.speed_ups.around(ratio, degree.is_served, is_beyond)
    }

    /// The speed-up as a share of the degree.
    pub fn efficiency(&self, degree: &Degree) -> f64 {
        self.speed_up(degree) / degree.tp as f64
    }

    /// What share of the time of half the degree is saved; nothing at degree 1.
    pub fn gain(&self, degree: &Degree) -> Option<f64> {
        let half = self.all.iter().find(|half| 2 * half.tp == degree.tp)?;
        Some(1.0 - degree.time() / half.time())
    }

    /// What the step is the sum of.
    pub fn whole(&self, degree: &Degree) -> Split {
        let of = |degree: &Degree| degree.predicted.parts.categories.whole;
        Split::new(&self.reference().map_or_else(|| of(degree), of), &of(degree), degree.tp)
    }

    /// What one layer is the sum of.
    pub fn layer(&self, degree: &Degree) -> Split {
        Split::new(&self.reference().map_or(degree.layer, |one| one.layer), &degree.layer, degree.tp)
    }

    /// The degree up to which doublings pay for latency, and why the next one does not; nothing of the
    /// latter where all do.
    ///
    /// A doubling pays when it saves at least a tenth of the time, and its time is below the interval of
    /// the degree before. `alike` leaves the interval out, as if the times of both degrees erred alike.
    pub fn latency(&self, alike: bool) -> Option<(&Degree, Option<Stop>)> {
        let stop = |half: &Degree, double: &Degree| match () {
            () if double.time() > (1.0 - PAYS) * half.time() => Some(Stop::Little),
            () if !alike && double.time() >= half.predicted.total.low => Some(Stop::Within),
            () => None,
        };
        let doublings = self.all.iter().zip(self.all.iter().skip(1));
        let first = doublings.filter_map(|(half, double)| Some((half, Some(stop(half, double)?)))).next();
        first.or_else(|| self.all.last().map(|last| (last, None)))
    }

    /// The degree with the fewest device-seconds for a token: of those that fit, or of all where none
    /// does.
    pub fn cheapest(&self) -> Option<&Degree> {
        let any = self.all.iter().any(Degree::fits);
        let candidates = self.all.iter().filter(|degree| degree.fits() || !any);
        candidates.min_by(|one, other| one.device_seconds().total_cmp(&other.device_seconds()))
    }

    /// All of it as one value: a row for each degree.
    pub fn report(&self) -> Value {
        let number = Value::Number;
        let whole = |count: u64| Value::Integer(i64::try_from(count).unwrap_or(i64::MAX));
        let row = |degree: &Degree| {
            let (total, speed_up) = (&degree.predicted.total, self.speed_up_within(degree));
            Value::Map(table([
                ("tp", whole(degree.tp)),
                ("devices", whole(degree.layout.devices())),
                ("domains", whole(degree.domains)),
                ("time", constant(&total.time)),
                ("low", constant(&total.low)),
                ("high", constant(&total.high)),
                ("bound", constant(&total.bound)),
                ("speed_up", number(speed_up.ratio)),
                ("speed_up_low", number(speed_up.low)),
                ("speed_up_high", number(speed_up.high)),
                ("efficiency", number(self.efficiency(degree))),
                ("gain", self.gain(degree).map_or(Value::Null, number)),
                ("step", self.whole(degree).report()),
                ("layer", self.layer(degree).report()),
                ("fits", Value::Bool(degree.fits())),
                ("free", constant(&degree.free)),
                ("device_seconds_per_token", number(degree.device_seconds())),
                ("usd_per_million_tokens", degree.cost.map_or(Value::Null, number)),
            ]))
        };
        let latency = |alike| self.latency(alike).map_or(Value::Null, |(degree, _)| whole(degree.tp));
        let cost = self.cheapest().map_or(Value::Null, |degree| whole(degree.tp));
        Value::Map(table([
            ("degrees", Value::List(self.all.iter().map(row).collect())),
            ("pays_for_latency_up_to", latency(false)),
            ("pays_for_latency_if_errors_are_alike_up_to", latency(true)),
            ("cheapest", cost),
        ]))
    }
}

impl Degree {
    fn of(forecast: &Forecast) -> Result<Self> {
        let placed = &forecast.placed;
        let Accounting { division, step, .. } = placed.accounting;
        let (model, layout) = (division.model, division.layout);
        let total = &forecast.predicted.total;
        let tokens = (step.batch as f64) * (step.sequence as f64);
        // A served token passes the layers of all stages, a stage of training has its own.
        let stages = if forecast.workload.is_some() { 1 } else { layout.pp };
        let layers = f64::from(model.layers()) / stages as f64;
        let Categories { layers: in_layers, .. } = forecast.predicted.parts.categories;
        Ok(Degree {
            tp: layout.tp,
            layout: layout.clone(),
            domains: placed.machine.reach(layout.tp, 1).domains,
            predicted: forecast.predicted.clone(),
            layer: in_layers.map(|time| (1.0 / layers) * time),
            is_served: forecast.workload.is_some(),
            free: placed.fit.free(),
            missing: layout.devices().saturating_sub(placed.machine.devices()),
            tokens,
            cost: forecast.cost().filter(|_| total.time > Time::ZERO).map(|cost| 1e6 * cost.base() / tokens),
        })
    }

    /// How long the step takes.
    pub fn time(&self) -> Time {
        self.predicted.total.time
    }

    /// Whether the machine has the devices and the memory.
    pub fn fits(&self) -> bool {
        self.missing == 0 && self.free >= Bytes::ZERO
    }

    /// How long all devices together work for a token, in seconds.
    pub fn device_seconds(&self) -> f64 {
        self.layout.devices() as f64 * self.time().base() / self.tokens
    }
}
