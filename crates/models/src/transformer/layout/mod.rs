//! `Layout`: how a model is split over devices.

mod division;
mod load;
mod order;
mod step;

use mlsysim_scenario::{Define, Error, Item, Map, Record, Result, Value, choices, equations, listed_in_part};

use crate::inputs::by_name;

pub use division::{Division, padded_vocabulary};
pub use load::Load;
pub use order::Order;
pub use step::{Phase, Recompute, Step};

choices! {
    /// How the ranks of a context-parallel group exchange keys and values.
    pub enum ContextExchange {
        /// Keys and values go round; each rank attends to one part after the other.
        Ring = "ring",
        /// Each rank gets the whole sequence of its part of the heads, and back.
        AllToAll = "all_to_all",
    }
}

/// The largest degree that is believed.
const MOST_RANKS: u64 = 65_535;

/// How a model is split over devices: the degree of each kind of parallelism.
///
/// `tp · pp · dp · cp` devices hold it. Experts are spread over the ranks that share a pipeline
/// stage: `ep` groups of `etp` ranks each. FSDP is `zero=3`; HSDP is `zero=3,shard=N`.
///
/// ```
/// use mlsysim_models::transformer::Layout;
///
/// let layout = Layout::parse("tp=8,pp=4,dp=16,sp")?;
/// assert_eq!(layout.devices(), 512);
///
/// let error = Layout::parse("tq=8").unwrap_err();
/// assert_eq!(error.to_string(), "tq: a layout has no such degree; did you mean `tp`?");
/// # Ok::<(), mlsysim_scenario::Error>(())
/// ```
///
/// Source: Shoeybi et al. (2019), arXiv:1909.08053 (tensor); Korthikanti et al. (2022),
/// arXiv:2205.05198 (sequence); Narayanan et al. (2021), arXiv:2104.04473 (pipeline, interleaved);
/// Rajbhandari et al. (2020), arXiv:1910.02054 (ZeRO); Lepikhin et al. (2020), arXiv:2006.16668
/// (expert); Liu et al. (2023), arXiv:2310.01889 and Jacobs et al. (2023), arXiv:2309.14509
/// (context).
#[derive(Clone, Debug, PartialEq, Record)]
#[record(equations)]
pub struct Layout {
    /// How many ranks share each layer (tensor parallelism).
    #[default(1)]
    #[range(>= 1, <= 65535)]
    pub tp: u64,
    /// Whether those ranks share the tokens between blocks too (sequence parallelism).
    #[default(false)]
    pub sp: bool,
    /// How many stages the layers are cut into (pipeline parallelism).
    #[default(1)]
    #[range(>= 1, <= 65535)]
    pub pp: u64,
    /// How many chunks of layers each stage has, where stages are interleaved.
    #[default(1)]
    #[range(>= 1, <= 65535)]
    pub vpp: u64,
    /// How many layers each stage has, where that is not as even as can be; of interleaved stages each
    /// chunk, in the order in which layers pass them.
    pub stages: Option<Vec<u64>>,
    /// How many replicas share the batch (data parallelism).
    #[default(1)]
    #[range(>= 1, <= 65535)]
    pub dp: u64,
    /// What replicas share of the state: 0 nothing, 1 the optimizer's, 2 gradients too, 3 weights too.
    #[default(0)]
    #[range(<= 3)]
    pub zero: u64,
    /// Over how many of the replicas' ranks that is shared, where not over all (HSDP).
    #[range(>= 1, <= 65535)]
    pub shard: Option<u64>,
    /// How many groups of ranks share the experts (expert parallelism).
    #[default(1)]
    #[range(>= 1, <= 65535)]
    pub ep: u64,
    /// How many ranks share each expert, where not as many as each layer.
    #[range(>= 1, <= 65535)]
    pub etp: Option<u64>,
    /// How many ranks share each sequence (context parallelism).
    #[default(1)]
    #[range(>= 1, <= 65535)]
    pub cp: u64,
    /// How they exchange keys and values: `ring` or `all_to_all`.
    #[default("ring")]
    pub cp_by: ContextExchange,
    /// In which order the groups are on devices, the one whose ranks are next to each other first.
    #[default("tp-cp-ep-dp-pp")]
    pub order: Order,
    /// What the vocabulary is a multiple of on each rank once it has been padded.
    #[default(128)]
    #[range(>= 1, <= 65535)]
    pub vocabulary_multiple: u64,
}

#[equations]
impl Layout {
    /// How many devices hold the model and its replicas.
    pub fn devices(&self) -> u64 {
        self.tp * self.pp * self.dp * self.cp
    }

    /// How many ranks share each expert.
    pub fn expert_tensor(&self) -> u64 {
        self.etp.unwrap_or(self.tp)
    }

    /// How many ranks share one stage of the pipeline, replicas included.
    pub fn stage_ranks(&self) -> u64 {
        self.tp * self.dp * self.cp
    }

    /// How many ranks have the same part of a layer, and add up its gradients.
    pub fn replicas(&self) -> u64 {
        self.dp * self.cp
    }

    /// How many ranks have the same part of the experts.
    pub fn expert_replicas(&self) -> u64 {
        self.stage_ranks() / (self.ep * self.expert_tensor())
    }

    /// Sequence parallelism needs a tensor-parallel group.
    #[check]
    fn sequence_needs_tensor(&self) -> Result<()> {
        if self.sp && self.tp == 1 {
            return Err(Error::input(
                "sp",
                "sequence parallelism shares tokens among the ranks of a tensor-parallel group, but tp is `1`",
            ));
        }
        Ok(())
    }

    /// Experts are spread over ranks of one stage.
    #[check]
    fn experts_fit_a_stage(&self) -> Result<()> {
        let (ranks, each) = (self.stage_ranks(), self.expert_tensor());
        if !ranks.is_multiple_of(each) {
            return Err(Error::input(
                "etp",
                format!(
                    "`{each}` ranks for each expert do not divide the {ranks} ranks of a stage (tp · dp · cp)"
                ),
            ));
        }
        let most = ranks / each;
        if !most.is_multiple_of(self.ep) {
            let legal = listed_divisors(most);
            let why = format!("tp {} · dp {} · cp {} / etp {each} = {most} ranks", self.tp, self.dp, self.cp);
            return Err(Error::input(
                "ep",
                format!("experts cannot be spread over `{}` of {why}; it can be {legal}", self.ep),
            ));
        }
        Ok(())
    }

    /// A shard is a part of the replicas, and shares something.
    #[check]
    fn shard_is_some_replicas(&self) -> Result<()> {
        match self.shard {
            Some(_) if self.zero == 0 => Err(Error::input(
                "shard",
                "nothing is shared among replicas with zero `0`; set zero to 1, 2 or 3",
            )),
            Some(shard) if !self.replicas().is_multiple_of(shard) => {
                let legal = listed_divisors(self.replicas());
                let (dp, cp) = (self.dp, self.cp);
                Err(Error::input(
                    "shard",
                    format!(
                        "`{shard}` ranks do not divide the dp {dp} · cp {cp} replicas; it can be {legal}"
                    ),
                ))
            }
            Some(shard) if !self.expert_replicas().is_multiple_of(shard.min(self.expert_replicas())) => {
                let legal = listed_divisors(self.expert_replicas());
                Err(Error::input(
                    "shard",
                    format!(
                        "`{shard}` ranks do not divide those that have the same experts; it can be {legal}"
                    ),
                ))
            }
            Some(shard) if self.spread_of_replicas().parts(shard).is_none() => Err(Error::input(
                "shard",
                format!(
                    "in the order `{}` the cp {} and dp {} ranks are on devices apart, of which `{shard}` are neither a part nor a multiple",
                    self.order.written(),
                    self.cp,
                    self.dp
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Layers and experts agree on which ranks a stage has.
    #[check]
    fn stages_are_kept(&self) -> Result<()> {
        self.order_keeps_stages()
    }

    /// A list of stages has one entry for each.
    #[check]
    fn stages_are_listed(&self) -> Result<()> {
        match &self.stages {
            Some(stages) if stages.len() as u64 != self.pp.saturating_mul(self.vpp) => Err(Error::input(
                "stages",
                format!(
                    "one number of layers for each of {} is needed, but {} were given",
                    match self.vpp {
                        1 => format!("pp `{}` stages", self.pp),
                        vpp => format!("pp `{}` · vpp `{vpp}` chunks", self.pp),
                    },
                    stages.len()
                ),
            )),
            // A chunk may be no more than the embedding or the head, but a stage has layers.
            Some(stages) if self.vpp > 1 && !stages.is_empty() => {
                let held =
                    |stage: u64| (0..self.vpp).any(|turn| stages[(turn * self.pp + stage) as usize] > 0);
                match (0..self.pp).find(|stage| !held(*stage)) {
                    None => Ok(()),
                    Some(stage) => Err(Error::input(
                        "stages",
                        format!("each stage needs a layer at least, but no chunk of stage {stage} has one"),
                    )),
                }
            }
            Some(stages) if stages.contains(&0) => {
                Err(Error::input("stages", "each stage needs a layer at least, but one has `0`"))
            }
            _ => Ok(()),
        }
    }

    /// Chunks are interleaved over stages.
    #[check]
    fn chunks_need_stages(&self) -> Result<()> {
        if self.vpp > 1 && self.pp == 1 {
            return Err(Error::input(
                "vpp",
                "chunks are interleaved over the stages of a pipeline, but pp is `1`",
            ));
        }
        Ok(())
    }
}

impl Layout {
    /// One device that holds everything.
    pub fn whole() -> Self {
        Layout {
            tp: 1,
            sp: false,
            pp: 1,
            vpp: 1,
            stages: None,
            dp: 1,
            zero: 0,
            shard: None,
            ep: 1,
            etp: None,
            cp: 1,
            cp_by: ContextExchange::Ring,
            order: Order::DEFAULT,
            vocabulary_multiple: 128,
        }
    }

    /// Reads `tp=8,pp=4,dp=16`; a bare `sp` is `sp=true`, a list is `stages=[16,16,15,14]`.
    ///
    /// # Errors
    ///
    /// A degree is misspelt, given twice, no number, or contradicts another.
    pub fn parse(text: &str) -> Result<Self> {
        Self::from_inputs(Self::inputs(text)?)
    }

    /// The degrees of a text, as they are given and not yet checked.
    ///
    /// # Errors
    ///
    /// A degree is misspelt or given twice.
    pub fn inputs(text: &str) -> Result<Map<Value>> {
        by_name::<Self>(text, "a layout has no such degree")
    }

    /// The degrees that are not their defaults, as [`parse`](Layout::parse) reads them; those of one
    /// device are `tp=1`.
    ///
    /// ```
    /// use mlsysim_models::transformer::Layout;
    ///
    /// assert_eq!(Layout::parse("pp=4, tp=8, sp, stages=[21,20,20,19]")?.written(), "tp=8,sp,pp=4,stages=[21,20,20,19]");
    /// assert_eq!(Layout::whole().written(), "tp=1");
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn written(&self) -> String {
        let fields = Self::describe().fields.iter().enumerate();
        let written = fields.filter_map(|(index, field)| {
            let value = self.field(index);
            let default = field.default.map_or(Value::Null, |default| default());
            match value {
                _ if value == default => None,
                Value::Bool(true) => Some(field.name.to_string()),
                value => Some(format!("{}={}", field.name, value.to_string().replace(' ', ""))),
            }
        });
        let written: Vec<String> = written.collect();
        if written.is_empty() { "tp=1".to_string() } else { written.join(",") }
    }

    /// Whether the layout is one that [`checked`](Define::checked) lets through, for one that is not
    /// known to have been there; it needs no copy.
    fn is_consistent(&self) -> Result<()> {
        let degrees = [
            ("tp", self.tp),
            ("pp", self.pp),
            ("vpp", self.vpp),
            ("dp", self.dp),
            ("shard", self.shard.unwrap_or(1)),
            ("ep", self.ep),
            ("etp", self.expert_tensor()),
            ("cp", self.cp),
            ("vocabulary_multiple", self.vocabulary_multiple),
        ];
        let is_wrong = |(_, degree): &(&str, u64)| !(1..=MOST_RANKS).contains(degree);
        if let Some((name, degree)) = degrees.into_iter().find(is_wrong) {
            return Err(Error::input(
                name,
                format!("a whole number from 1 to {MOST_RANKS} is needed, but `{degree}` was given"),
            ));
        }
        if self.zero > 3 {
            return Err(Error::input("zero", format!("0 to 3 is possible, but `{}` was given", self.zero)));
        }
        self.sequence_needs_tensor()?;
        self.experts_fit_a_stage()?;
        self.shard_is_some_replicas()?;
        self.stages_are_kept()?;
        self.stages_are_listed()?;
        self.chunks_need_stages()
    }

    /// Whether the layout has as many devices as there are.
    ///
    /// # Errors
    ///
    /// It has more or fewer.
    pub fn on_devices(&self, devices: u64) -> Result<()> {
        if self.devices() == devices {
            return Ok(());
        }
        let Layout { tp, pp, dp, cp, .. } = self;
        Err(Error::input(
            "devices",
            format!(
                "tp {tp} · pp {pp} · dp {dp} · cp {cp} takes {} of them, but `{devices}` were given",
                self.devices()
            ),
        ))
    }
}

/// All divisors of `number`, smallest first.
///
/// ```
/// assert_eq!(mlsysim_models::transformer::divisors(12), [1, 2, 3, 4, 6, 12]);
/// ```
pub fn divisors(number: u64) -> Vec<u64> {
    let small = (1..=number.isqrt()).take(1 << 20).filter(|divisor| number.is_multiple_of(*divisor));
    let small: Vec<u64> = small.collect();
    let large = small.iter().rev().map(|divisor| number / divisor);
    let mut all: Vec<u64> = small.iter().copied().chain(large).collect();
    all.dedup();
    all
}

/// The divisors of `number`, as a message lists them.
pub(crate) fn listed_divisors(number: u64) -> String {
    listed_in_part(&divisors(number).iter().map(u64::to_string).collect::<Vec<_>>())
}
