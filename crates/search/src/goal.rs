//! `Goal`: what a plan is to be best at.

use mlsysim_quantity::{Time, nearest};
use mlsysim_scenario::{Error, Result, listed};

/// What a plan is to be best at: the time of a step, the tokens of a dollar, the energy of a token, or
/// all three by weights.
///
/// Devices that are rented cost as much whether they compute or wait, and the registry states what they
/// draw at most and not when they wait; so cost and energy are both proportional to devices and time,
/// and differ only where the number of devices may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The weight of time.
    pub time: f64,
    /// The weight of money.
    pub cost: f64,
    /// The weight of energy.
    pub energy: f64,
}

/// The names of goals, with what each of them weighs.
const NAMES: [(&str, Goal); 3] = [
    ("time", Goal { time: 1.0, cost: 0.0, energy: 0.0 }),
    ("cost", Goal { time: 0.0, cost: 1.0, energy: 0.0 }),
    ("energy", Goal { time: 0.0, cost: 0.0, energy: 1.0 }),
];

impl Default for Goal {
    fn default() -> Self {
        NAMES[0].1
    }
}

impl Goal {
    /// Reads `time`, `cost`, `energy`, or weights of them, `time=2,cost=1`.
    ///
    /// With weights, what counts is the product of the three, each to the power of its weight, so that
    /// no unit matters.
    ///
    /// ```
    /// use mlsysim_search::Goal;
    ///
    /// assert_eq!(Goal::read("cost=2,time=1")?.cost, 2.0);
    /// assert_eq!(Goal::read("speed").unwrap_err().field(), Some("goal"));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A goal does not exist, or a weight is none. The field is `goal`.
    pub fn read(text: &str) -> Result<Goal> {
        let mut goal = Goal { time: 0.0, cost: 0.0, energy: 0.0 };
        for item in text.split(',').map(str::trim) {
            let (name, weight) = match item.split_once('=') {
                Some((name, weight)) => (name.trim(), weight.trim()),
                None => (item, "1"),
            };
            let weight = weight.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0);
            let weight = weight.ok_or_else(|| {
                Error::input("goal", format!("a weight above 0 is needed, but `{item}` was given"))
            })?;
            match name {
                "time" | "step_time" => goal.time += weight,
                "cost" | "tokens_per_dollar" => goal.cost += weight,
                "energy" => goal.energy += weight,
                other => {
                    let names = || NAMES.iter().map(|(name, _)| *name);
                    let hint = match nearest(other, names()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => {
                            format!("there are {}, and weights of them: `time=2,cost=1`", listed(names()))
                        }
                    };
                    return Err(Error::input("goal", format!("there is no goal `{other}`; {hint}")));
                }
            }
        }
        Ok(goal)
    }

    /// What is to be least, for a step of `time` on `devices`; it grows with both.
    pub fn value(&self, time: Time, devices: u64) -> f64 {
        let of_devices = (self.cost + self.energy) / (self.time + self.cost + self.energy);
        match of_devices == 0.0 {
            true => time.base(),
            false => time.base() * (devices as f64).powf(of_devices),
        }
    }

    /// As a reader would say it.
    pub fn said(&self) -> String {
        let weights = [("time", self.time), ("cost", self.cost), ("energy", self.energy)];
        let said = weights.iter().filter(|(_, weight)| *weight > 0.0);
        let said: Vec<(&str, f64)> = said.copied().collect();
        match said.as_slice() {
            [(name, _)] => (*name).to_string(),
            several => {
                let each: Vec<String> =
                    several.iter().map(|(name, weight)| format!("{name}={weight}")).collect();
                each.join(",")
            }
        }
    }
}
