//! What energy and money a predicted step takes, as estimates.

use mlsysim_quantity::{Energy, Money, Power, Price};
use mlsysim_scenario::{Define, Error, Library, Map, Record, Result, Value};

use super::Forecast;
use crate::library;
use crate::machine::Figures;

/// What power and time are taken to cost; what is left open is the registry's, or is not told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub struct Terms {
    /// The power of one device while it works; its thermal design power if left out.
    #[range(>= 0)]
    #[unit(W)]
    pub power: Option<Power>,
    /// The price of one device for the time that it is used.
    #[range(>= 0)]
    #[unit(USD/h)]
    pub price: Option<Price>,
}

impl Terms {
    /// The terms of inputs by name, in which a reference is a figure of the registry.
    ///
    /// ```
    /// use mlsysim_models::predict::Terms;
    /// use mlsysim_scenario::{Map, Value};
    ///
    /// let given = Map::from_iter([("power".into(), Value::text("600 W"))]);
    /// assert_eq!(Terms::of(given)?.power.map(|power| power.base()), Some(600.0));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// One is no power or no price, is below 0, or the registry has no such figure.
    pub fn of(given: Map<Value>) -> Result<Terms> {
        let resolved = given.into_iter().map(|(name, value)| match value {
            Value::Reference(path) => {
                let found = library().value(&path).map_err(|error| Error::input(&*name, error.message()))?;
                Ok((name, found))
            }
            value => Ok((name, value)),
        });
        Terms::from_inputs(resolved.collect::<Result<Map<Value>>>()?)
    }
}

impl Forecast<'_> {
    /// The power that one device is taken to draw.
    ///
    /// # Errors
    ///
    /// None is stated, and the device states no thermal design power.
    pub fn power(&self) -> Result<Power> {
        let device = &self.placed.machine.device;
        self.terms.power.or(device.tdp).ok_or_else(|| {
            Error::absent(format!(
                "{} states no thermal design power, `tdp`; give the `power` of a device, or {}",
                device.name,
                Figures::how_to_state("tdp", "W")
            ))
        })
    }

    /// The energy of a step, as an estimate: every device draws its power for the whole time. It is no
    /// measurement, and leaves out hosts, switches and cooling.
    ///
    /// # Errors
    ///
    /// The power of a device is not known.
    pub fn energy(&self) -> Result<Energy> {
        Ok(self.devices() as f64 * (self.power()? * self.predicted.total.time))
    }

    /// What a step costs; nothing where no price is stated.
    pub fn cost(&self) -> Option<Money> {
        Some(self.devices() as f64 * (self.terms.price? * self.predicted.total.time))
    }
}
