//! `Order`: in which order the groups of a layout are on devices.

use mlsysim_quantity::{Unit, nearest};
use mlsysim_scenario::{Datum, Error, Field, Result, Type, Value, listed};

use crate::machine::Spread;
use crate::transformer::{Group, Layout};

/// In which order the groups of a layout are on devices, the one whose ranks are next to each other
/// first, written `tp-cp-ep-dp-pp`.
///
/// Ranks of a layer are numbered along `tp`, `cp`, `dp` and `pp`, and those of experts along `tp` (the
/// ranks that share an expert), `ep`, `dp` (those that have the same experts) and `pp`, in this order.
///
/// Source: Megatron-LM, `RankGenerator` in `core/parallel_state.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order([Group; 5]);

impl Order {
    /// Ranks that share a layer are next to each other, then those that share a sequence, then
    /// replicas, then stages.
    pub const DEFAULT: Order =
        Order([Group::Tensor, Group::Context, Group::Expert, Group::Data, Group::Pipeline]);

    /// Reads `tp-cp-ep-dp-pp`.
    ///
    /// # Errors
    ///
    /// A group is misspelt, missing or there twice; the message says which.
    pub fn parse(text: &str) -> Result<Self> {
        let known = || Order::DEFAULT.0.map(Group::name);
        let refused = |why: String| {
            let message = format!(
                "the groups in their order are needed, as in `{}`, but {why}",
                Order::DEFAULT.written()
            );
            Error::unplaced(message)
        };
        let mut given: Vec<Group> = Vec::new();
        for name in text.split('-').map(str::trim) {
            let Some(group) = Order::DEFAULT.0.into_iter().find(|group| group.name() == name) else {
                let alike =
                    known().into_iter().find(|known| !name.is_empty() && known.get(..1) == name.get(..1));
                let hint = match nearest(name, known()).or(alike) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", listed(known().into_iter())),
                };
                return Err(refused(format!("`{name}` of `{text}` is no group; {hint}")));
            };
            if given.contains(&group) {
                return Err(refused(format!("`{text}` has `{name}` twice")));
            }
            given.push(group);
        }
        let missing = Order::DEFAULT.0.into_iter().filter(|group| !given.contains(group));
        let missing: Vec<&str> = missing.map(Group::name).collect();
        match given.try_into() {
            Ok(groups) => Ok(Order(groups)),
            Err(_) => Err(refused(format!("`{text}` lacks {}", listed(missing.into_iter())))),
        }
    }

    /// The order as it is read.
    pub fn written(self) -> String {
        self.0.map(Group::name).join("-")
    }

    /// The groups before `group`.
    fn before(self, group: Group) -> impl Iterator<Item = Group> {
        self.0.into_iter().take_while(move |other| *other != group)
    }
}

impl Datum for Order {
    const TYPE: Type = Type::Text;

    fn from_value(value: Value, _field: &Field) -> Result<Self> {
        match &value {
            Value::Text(text) => Order::parse(text),
            _ => Order::parse(&value.to_string()),
        }
    }

    fn to_value(&self, _unit: &Unit) -> Value {
        Value::text(self.written())
    }

    fn check(&self, _field: &Field) -> Result<()> {
        Ok(())
    }
}

impl Layout {
    /// How many devices apart neighbours of a group are.
    ///
    /// ```
    /// use mlsysim_models::transformer::{Group, Layout};
    ///
    /// let layout = Layout::parse("tp=2,cp=4,dp=8,pp=16")?;
    /// let strides = [Group::Tensor, Group::Context, Group::Data, Group::Pipeline].map(|group| layout.stride(group));
    /// assert_eq!(strides, [1, 2, 8, 64]);
    /// // Stages next to each other leave the replicas far apart.
    /// let layout = Layout::parse("tp=2,cp=4,dp=8,pp=16,order=tp-cp-pp-ep-dp")?;
    /// assert_eq!((layout.stride(Group::Pipeline), layout.stride(Group::Data)), (8, 128));
    /// # Ok::<(), mlsysim_scenario::Error>(())
    /// ```
    pub fn stride(&self, group: Group) -> u64 {
        let (place, of_experts) = match group {
            Group::ExpertTensor => (Group::Tensor, true),
            Group::Expert => (Group::Expert, true),
            Group::ExpertData => (Group::Data, true),
            other => (other, false),
        };
        self.order.before(place).map(|before| self.ranks_along(before, of_experts)).product()
    }

    /// How many ranks there are along a group of the order, as those of a layer or as those of experts
    /// are numbered.
    fn ranks_along(&self, group: Group, of_experts: bool) -> u64 {
        match group {
            Group::Tensor if of_experts => self.expert_tensor(),
            Group::Data if of_experts => self.expert_replicas(),
            Group::Expert if of_experts => self.ep,
            Group::Context if of_experts => 1,
            Group::Tensor => self.tp,
            Group::Context => self.cp,
            Group::Data => self.dp,
            Group::Pipeline => self.pp,
            Group::Expert | Group::ExpertTensor | Group::ExpertData => 1,
        }
    }

    /// Which devices the ranks with the same part of a layer are on.
    pub(crate) fn spread_of_replicas(&self) -> Spread {
        let [context, data] = [[self.cp, self.stride(Group::Context)], [self.dp, self.stride(Group::Data)]];
        if context[1] <= data[1] { Spread::rows(context, data) } else { Spread::rows(data, context) }
    }

    /// Whether experts are spread in a way of their own, which the order numbers.
    fn spreads_experts(&self) -> bool {
        self.ep > 1 || self.expert_tensor() != self.tp
    }

    /// Which devices the ranks with the same part of the experts are on.
    pub(crate) fn spread_of_expert_replicas(&self) -> Spread {
        if self.spreads_experts() {
            return Spread::line(self.expert_replicas(), self.stride(Group::ExpertData));
        }
        self.spread_of_replicas()
    }

    /// A stage has the same ranks, whether those are numbered for its layers or for its experts.
    pub(super) fn order_keeps_stages(&self) -> Result<()> {
        let between = |of_experts: bool| -> u64 {
            self.order.before(Group::Pipeline).map(|group| self.ranks_along(group, of_experts)).product()
        };
        if self.pp == 1 || !self.spreads_experts() || between(false) == between(true) {
            return Ok(());
        }
        Err(Error::input(
            "order",
            format!(
                "in `{}` stages are {} devices apart for layers but {} for experts; put `pp` last, or choose degrees whose products before it are equal",
                self.order.written(),
                between(false),
                between(true),
            ),
        ))
    }
}
