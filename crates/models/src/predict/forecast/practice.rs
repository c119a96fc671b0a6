//! What a framework does of its own choice, from texts and inputs.

use mlsysim_quantity::nearest;
use mlsysim_scenario::{Error, Map, Name, Result, Value, chosen, listed};

use crate::predict::{AttentionKernel, CollectiveLibrary, Engine, Practice, ServingClass};
use crate::transformer::{MemoryPolicy, Phase, Step};

/// The settings by name, each with what it says.
pub const SETTINGS: [(&str, &str); 15] = [
    ("products", "the precision of matrix products within layers"),
    ("cache", "the precision of the KV cache"),
    ("attention", "how attention is computed"),
    ("graphs", "whether whole steps are launched as CUDA graphs"),
    ("overlaps", "whether products run beside the exchanges over tp of their layer, in training"),
    ("library", "what runs the AllReduces of a layer"),
    ("unpacks_beyond", "the rows of a product beyond which weights in integers are written out in 16 bits"),
    ("prescales", "whether what lies before a product scales its activations"),
    ("attends_in_cache_precision", "whether attention of prompts multiplies in the precision of the cache"),
    ("shares_links", "whether the devices of a host share their links, where those are PCIe"),
    ("class", "what runs the kernels of an engine that serves"),
    ("max_batch", "the most sequences that an engine serves at once"),
    ("max_tokens", "the most tokens of an iteration of an engine"),
    ("tunes", "whether an engine's limits are set to what its memory holds"),
    ("memory_fraction", "the share of the free memory that the KV cache of an engine gets"),
];

impl Practice {
    /// The practice of `step` with the settings that are given: products are in the precision of the
    /// step, engines that serve scale activations before products, and attention is as `policy` keeps its
    /// activations, unless they are stated.
    ///
    /// ```
    /// use mlsysim_models::predict::{AttentionKernel, Practice};
    /// use mlsysim_models::transformer::{MemoryPolicy, Step};
    ///
    /// let given = Practice::parse("products=fp8,attention=unfused")?;
    /// let practice = Practice::of(given, &Step::training(8, 4096), &MemoryPolicy::default())?;
    /// assert_eq!((&*practice.products, practice.attention), ("fp8", AttentionKernel::Unfused));
    ///
    /// let error = Practice::parse("atention=fused").unwrap_err();
    /// assert!(error.to_string().ends_with("did you mean `attention`?"));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such setting, or it cannot be what was given.
    pub fn of(given: Map<Value>, step: &Step, policy: &MemoryPolicy) -> Result<Practice> {
        Self::settled(given, step, policy).map_err(in_practice)
    }

    fn settled(given: Map<Value>, step: &Step, policy: &MemoryPolicy) -> Result<Practice> {
        let usual = Practice::default();
        let attention =
            if policy.fused_attention { AttentionKernel::Fused } else { AttentionKernel::Unfused };
        let mut practice = Practice {
            products: step.precision.clone(),
            cache: step.kv_precision.clone(),
            attention,
            prescales: step.phase != Phase::Training,
            ..usual
        };
        for (name, value) in given {
            let put = |error: Error| error.within(&name);
            match &*name {
                "products" => practice.products = text(&name, value)?,
                "cache" => practice.cache = text(&name, value)?,
                "attention" => {
                    practice.attention =
                        AttentionKernel::ALL[chosen(&value, AttentionKernel::NAMES).map_err(put)?];
                }
                "graphs" => practice.graphs = flag(&name, &value)?,
                "overlaps" => practice.overlaps = flag(&name, &value)?,
                "unpacks_beyond" => practice.unpacks_beyond = rows(&name, &value)?,
                "prescales" => practice.prescales = flag(&name, &value)?,
                "attends_in_cache_precision" => {
                    practice.attends_in_cache_precision = flag(&name, &value)?;
                }
                "shares_links" => practice.shares_links = flag(&name, &value)?,
                "class" | "max_batch" | "max_tokens" | "tunes" | "memory_fraction" => {}
                "library" => {
                    practice.library =
                        CollectiveLibrary::ALL[chosen(&value, CollectiveLibrary::NAMES).map_err(put)?];
                }
                other => return Err(unknown(other)),
            }
        }
        if practice.attention == AttentionKernel::Fused && !policy.fused_attention {
            let message = "`fused` was given, but memory is to be reckoned with attention that is not";
            return Err(Error::input("attention", message));
        }
        Ok(practice)
    }

    /// `error` about the input that the user wrote, where it is about a setting: the precision of the
    /// step, called `names`, is that of what was not `given`.
    pub fn as_written(error: Error, given: &Map<Value>, names: [&str; 2]) -> Error {
        let [precision, cached] = names;
        match error.field() {
            Some(field @ ("products" | "cache")) if given.contains_key(field) => in_practice(error),
            Some("products") => error.about(precision),
            Some("cache") => error.about(cached),
            _ => error,
        }
    }

    /// Reads `products=fp8,attention=unfused`; a bare `graphs` is `graphs=true`.
    ///
    /// # Errors
    ///
    /// A setting is misspelt or given twice.
    pub fn parse(text: &str) -> Result<Map<Value>> {
        let mut given = Map::new();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, value) = match item.split_once('=') {
                Some((name, value)) => (name.trim(), Value::from_argument(value)),
                None => (item, Value::Bool(true)),
            };
            if !SETTINGS.iter().any(|(known, _)| *known == name) {
                return Err(in_practice(unknown(name)));
            }
            if given.insert(Name::from(name), value).is_some() {
                return Err(in_practice(Error::input(name, "it is given twice")));
            }
        }
        Ok(given)
    }
}

impl Engine {
    /// The engine of `step` with the settings that are given, what is left open as [`Practice::of`] and
    /// the default have it; and `policy` with the activations that its attention keeps.
    ///
    /// ```
    /// use mlsysim_models::predict::{Engine, Practice, ServingClass};
    /// use mlsysim_models::transformer::{MemoryPolicy, Step};
    ///
    /// let given = Practice::parse("class=eager,max_batch=64,attention=unfused")?;
    /// let (engine, policy) = Engine::of(&given, &Step::decode(64, 4096), MemoryPolicy::default())?;
    /// assert_eq!((engine.class, engine.max_batch), (ServingClass::Eager, 64));
    /// assert!(!policy.fused_attention);
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such setting, or it cannot be what was given.
    pub fn of(given: &Map<Value>, step: &Step, policy: MemoryPolicy) -> Result<(Engine, MemoryPolicy)> {
        let practice = Practice::of(given.clone(), step, &policy)?;
        let fused_attention = practice.attention == AttentionKernel::Fused;
        let engine = Self::settled(given, practice).map_err(in_practice)?;
        Ok((engine, MemoryPolicy { fused_attention, ..policy }))
    }

    fn settled(given: &Map<Value>, practice: Practice) -> Result<Engine> {
        let mut engine = Engine { practice, ..Engine::default() };
        for (name, value) in given {
            match &**name {
                "class" => {
                    let chosen = chosen(value, ServingClass::NAMES).map_err(|error| error.within(name))?;
                    engine.class = ServingClass::ALL[chosen];
                }
                "max_batch" => engine.max_batch = count(name, value)?,
                "max_tokens" => engine.max_tokens = count(name, value)?,
                "tunes" => engine.tunes = flag(name, value)?,
                "memory_fraction" => engine.memory_fraction = share(name, value)?,
                _ => {}
            }
        }
        Ok(engine)
    }

    /// Every setting with its value that a step of training has, or one of serving, in the order of
    /// [`SETTINGS`].
    pub fn settings(&self, trains: bool) -> Vec<(&'static str, Value)> {
        let practice = &self.practice;
        let whole = |count: u64| i64::try_from(count).map_or(Value::Null, Value::Integer);
        let all = [
            (true, "products", Value::text(&practice.products)),
            (!trains, "cache", Value::text(&practice.cache)),
            (true, "attention", Value::text(practice.attention.name())),
            (trains, "graphs", Value::Bool(practice.graphs)),
            (trains, "overlaps", Value::Bool(practice.overlaps)),
            (true, "library", Value::text(practice.library.name())),
            (!trains, "unpacks_beyond", practice.unpacks_beyond.map_or(Value::text(NEVER), whole)),
            (!trains, "prescales", Value::Bool(practice.prescales)),
            (!trains, "attends_in_cache_precision", Value::Bool(practice.attends_in_cache_precision)),
            (!trains, "shares_links", Value::Bool(practice.shares_links)),
            (!trains, "class", Value::text(self.class.name())),
            (!trains, "max_batch", whole(self.max_batch)),
            (!trains, "max_tokens", whole(self.max_tokens)),
            (!trains, "tunes", Value::Bool(self.tunes)),
            (!trains, "memory_fraction", Value::Number(self.memory_fraction)),
        ];
        all.into_iter().filter(|(is_had, ..)| *is_had).map(|(_, name, value)| (name, value)).collect()
    }
}

/// A setting as an input that users know.
fn in_practice(error: Error) -> Error {
    error.within("practice")
}

fn count(name: &str, value: &Value) -> Result<u64> {
    match value {
        Value::Integer(count) if *count > 0 => Ok(count.unsigned_abs()),
        other => Err(Error::input(
            name,
            format!("a whole number of at least 1 is needed, but `{other}` was given"),
        )),
    }
}

/// What a number of rows is that no product has.
const NEVER: &str = "never";

fn rows(name: &str, value: &Value) -> Result<Option<u64>> {
    match value {
        Value::Text(text) if &**text == NEVER => Ok(None),
        Value::Integer(rows) if *rows >= 0 => Ok(Some(rows.unsigned_abs())),
        other => Err(Error::input(
            name,
            format!("a whole number from 0 up or `{NEVER}` is needed, but `{other}` was given"),
        )),
    }
}

fn share(name: &str, value: &Value) -> Result<f64> {
    match value {
        Value::Number(share) if *share > 0.0 && *share <= 1.0 => Ok(*share),
        Value::Integer(1) => Ok(1.0),
        other => Err(Error::input(
            name,
            format!("a number above 0 and at most 1 is needed, but `{other}` was given"),
        )),
    }
}

/// The refusal of a setting that there is not.
fn unknown(name: &str) -> Error {
    let known = SETTINGS.iter().map(|(name, _)| *name);
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", listed(known)),
    };
    Error::input(name, format!("a practice has no such setting; {hint}"))
}

fn text(name: &str, value: Value) -> Result<Name> {
    match value {
        Value::Text(text) => Ok(text),
        other => {
            Err(Error::input(name, format!("the name of a precision is needed, but `{other}` was given")))
        }
    }
}

fn flag(name: &str, value: &Value) -> Result<bool> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        other => Err(Error::input(name, format!("`true` or `false` is needed, but `{other}` was given"))),
    }
}
