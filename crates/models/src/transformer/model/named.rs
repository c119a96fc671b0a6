//! Models of the registry as Transformers, from their configurations.

use mlsysim_registry::{Workload, configuration};
use mlsysim_scenario::{Error, Library, Result, Value};

use crate::library;
use crate::transformer::Transformer;

impl Transformer {
    /// The model of the registry at `path`, such as `Llama3_70B`, from its configuration.
    ///
    /// ```
    /// use mlsysim_models::transformer::Transformer;
    ///
    /// let model = Transformer::named("Llama3_8B")?;
    /// assert_eq!(model.counts().total, 8_030_261_248);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such model, or its architecture is not published.
    pub fn named(path: &str) -> Result<Transformer> {
        // A configuration without an entry, such as one that measurements need.
        let value = match (library().value(path), configuration(path)) {
            (Err(_), Some(text)) => {
                let mut model = Transformer::from_config(text)?;
                model.name = path.into();
                return Ok(model);
            }
            (value, _) => value?,
        };
        let workload = match &value {
            Value::Object(object) => object.downcast::<Workload>(),
            _ => None,
        };
        let Some(workload) = workload else {
            return Err(Error::unknown(format!(
                "`{path}` is no model; `mlsysim list models` shows them all"
            )));
        };
        Transformer::of(&workload)
    }

    /// The model that `workload` describes, from its configuration.
    ///
    /// # Errors
    ///
    /// Its architecture is not published.
    pub fn of(workload: &Workload) -> Result<Transformer> {
        let Some(text) = workload.configuration.as_deref().and_then(configuration) else {
            return Err(Error::input(
                "model",
                format!("{} has no published configuration; `mlsysim import FILE` reads one", workload.name),
            ));
        };
        let mut model = Transformer::from_config(text)?;
        model.name = workload.name.clone();
        Ok(model)
    }
}
