//! `StatedDegrees`: a case that states the times of a layer, at each degree, with its predicted twin.

use mlsysim_quantity::Time;
use mlsysim_scenario::{Case, Error, Library, Map, Result, Value};

use super::{Asked, Implied, inputs, predicted_case};
use crate::transformer::explain::table;
use crate::transformer::{Division, Layout};

/// The scenario whose degree can be varied.
const VARIED: &str = "TensorParallelSpeedupScenario";

/// A case that states the times of a layer, at each degree of tensor parallelism.
///
/// ```
/// use mlsysim_models::{library, predict::{Asked, StatedDegrees}};
///
/// let case = library().case("Llama2_70BPrefillTensorParallel8")?;
/// let degrees = StatedDegrees::of(&case, &Asked::default())?;
/// let own = degrees.all.iter().find(|degree| degree.tp == 8).ok_or("no such degree")?;
/// assert_eq!(format!("{:.4}", own.speed_up), "6.8966");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct StatedDegrees {
    /// What the case implies: what it is, and where that stands.
    pub implied: Vec<(&'static str, String)>,
    /// The degree that the case states.
    pub own: u64,
    /// The degrees, from 1.
    pub all: Vec<StatedDegree>,
}

/// A case at one degree, by its own equations.
#[derive(Clone, Debug)]
pub struct StatedDegree {
    /// How many devices share a layer.
    pub tp: u64,
    /// What a layer takes.
    pub layer: Time,
    /// Its compute, evenly split.
    pub ideal: Time,
    /// What all layers take.
    pub total: Time,
    /// How many times faster than one device.
    pub speed_up: f64,
    /// What the same equations make of predicted times, or why there are none.
    pub predicted: Result<PredictedDegree>,
}

/// What the equations of a case make of predicted times.
#[derive(Clone, Debug)]
pub struct PredictedDegree {
    /// What a layer takes: as predicted, and at both ends of the interval, all times erring alike.
    pub layer: [Time; 3],
    /// Its compute, evenly split.
    pub ideal: Time,
    /// How many times faster than one device.
    pub speed_up: f64,
}

impl StatedDegrees {
    /// The degrees of `case`: 1, 2, 4 and so on as far as the model and a domain of the machine that it
    /// implies allow, and its own. What is `asked` takes the place of what it implies.
    ///
    /// At degree 1 nothing is exchanged, unless that is what the case itself states.
    ///
    /// # Errors
    ///
    /// The case is of another scenario, or implies no model or no machine.
    pub fn of(case: &Case, asked: &Asked) -> Result<Self> {
        let kind = case.item().description().name;
        if kind != VARIED {
            let message =
                format!("the cases of `{VARIED}` state times that can be split, this is a `{kind}`");
            return Err(Error::input("scenario", message));
        }
        let implied = Implied::of(case, asked)?;
        let own = implied.tp;
        let mut degrees = vec![1];
        while let Some(next) =
            degrees.last().map(|last| 2 * last).filter(|next| *next <= implied.machine.domain)
        {
            let layout = Layout { tp: next, ..Layout::whole() };
            if Division::new(&implied.model, &layout).is_err() {
                break;
            }
            degrees.push(next);
        }
        degrees.push(own);
        degrees.sort_unstable();
        degrees.dedup();
        let all =
            degrees.into_iter().map(|tp| StatedDegree::of(case, &implied, tp)).collect::<Result<_>>()?;
        Ok(StatedDegrees { implied: implied.told(), own, all })
    }

    /// What share of the time of half the degree is saved; nothing where half of it is not there.
    pub fn gain(&self, degree: &StatedDegree) -> Option<f64> {
        let half = self.all.iter().find(|half| 2 * half.tp == degree.tp)?;
        Some(1.0 - degree.layer / half.layer)
    }

    /// All of it as one value: a row for each degree.
    pub fn report(&self) -> Value {
        let time = |time: Time| mlsysim_scenario::constant(&time);
        let row = |degree: &StatedDegree| {
            let mut row = table([
                ("tp", Value::Integer(i64::try_from(degree.tp).unwrap_or(i64::MAX))),
                ("layer", time(degree.layer)),
                ("ideal", time(degree.ideal)),
                ("exchanges", time(degree.layer - degree.ideal)),
                ("total", time(degree.total)),
                ("speed_up", Value::Number(degree.speed_up)),
                ("efficiency", Value::Number(degree.speed_up / degree.tp as f64)),
                ("gain", self.gain(degree).map_or(Value::Null, Value::Number)),
            ]);
            row.extend(match &degree.predicted {
                Ok(predicted) => {
                    let [layer, low, high] = predicted.layer.map(time);
                    table([
                        ("predicted_layer", layer),
                        ("predicted_low", low),
                        ("predicted_high", high),
                        ("predicted_ideal", time(predicted.ideal)),
                        ("predicted_speed_up", Value::Number(predicted.speed_up)),
                    ])
                }
                Err(error) => {
                    table([("predicted_layer", Value::Null), ("reason", Value::text(error.to_string()))])
                }
            });
            Value::Map(row)
        };
        let implied = self.implied.iter().map(|(what, said)| ((*what).into(), Value::text(said)));
        Value::Map(table([
            ("implied", Value::Map(implied.collect())),
            ("degrees", Value::List(self.all.iter().map(row).collect())),
        ]))
    }
}

impl StatedDegree {
    fn of(case: &Case, implied: &Implied, tp: u64) -> Result<Self> {
        let mut changes: Map<Value> = Map::new();
        if tp != implied.tp {
            changes.insert("tp_size".into(), Value::Integer(i64::try_from(tp).unwrap_or(i64::MAX)));
            if tp == 1 {
                changes.insert("collectives_per_layer".into(), Value::Integer(0));
            }
        }
        let case = match changes.is_empty() {
            true => case.clone(),
            false => case.variant(changes, crate::library() as &dyn Library)?,
        };
        let mut implied = implied.clone();
        implied.tp = tp;
        Ok(StatedDegree {
            tp,
            layer: time(&case, "parallel_layer_time")?,
            ideal: time(&case, "sharded_compute_time")?,
            total: time(&case, "parallel_total")?,
            speed_up: number(&case, "speedup")?,
            predicted: PredictedDegree::of(&case, &implied),
        })
    }
}

impl PredictedDegree {
    fn of(case: &Case, implied: &Implied) -> Result<Self> {
        let inputs = inputs::of(case, implied);
        for input in &inputs {
            input.predicted.as_ref().map_err(Clone::clone)?;
        }
        let predicted = predicted_case(case, &inputs, |predicted| predicted.time)?;
        let (low, high) = (
            predicted_case(case, &inputs, |predicted| predicted.low)?,
            predicted_case(case, &inputs, |predicted| predicted.high)?,
        );
        let layer = |case| time(case, "parallel_layer_time");
        Ok(PredictedDegree {
            layer: [layer(&predicted)?, layer(&low)?, layer(&high)?],
            ideal: time(&predicted, "sharded_compute_time")?,
            speed_up: number(&predicted, "speedup")?,
        })
    }
}

/// The output called `name`, in the base unit of its dimensions.
fn number(case: &Case, name: &str) -> Result<f64> {
    match case.output(name, &[])? {
        Value::Quantity(quantity) => Ok(quantity.base()),
        Value::Number(number) => Ok(number),
        other => Err(Error::absent(format!("{name} is no number, but `{other}`"))),
    }
}

fn time(case: &Case, name: &str) -> Result<Time> {
    number(case, name).map(Time::from_base)
}
