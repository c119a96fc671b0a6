//! What a rank sends, as trees: how often, which part of the payload, and what the payload is.

use mlsysim_scenario::{Derivation, Formula, constant};

use super::tree::{computed, count, given, number};
use crate::physics::communication::{ring_all_reduce_factor, ring_phase_factor};
use crate::transformer::{Accounting, Collective, Dimension, Exchange, Factors, Pass, Size};

impl Accounting<'_> {
    /// A factor of how often something happens or of what is sent, down to what somebody gave.
    pub(crate) fn factor(&self, name: &'static str, value: f64) -> Derivation {
        let layout = self.division.layout;
        let step = |name: &'static str, value: u64| given(name, count(value), "the step");
        match name {
            "micro_batches" => {
                let parts = vec![
                    step("batch", self.step.batch),
                    self.degree("dp", layout.dp),
                    step("micro_batch", self.load.sequences),
                ];
                computed(name, number(value), "", "batch / dp / micro_batch", parts)
            }
            "tokens" if value == self.load.tokens as f64 => {
                let mut parts =
                    vec![step("sequences", self.load.sequences), step("sequence", self.step.sequence)];
                let mut equation = "sequences × sequence".to_string();
                if layout.cp > 1 {
                    equation.push_str(" / cp");
                    parts.push(self.degree("cp", layout.cp));
                }
                computed(name, number(value), "", equation, parts)
            }
            "hidden" => {
                let size = Size { dimension: Dimension::Hidden, value: self.division.model.hidden };
                given(name, number(value), self.origin_of(size))
            }
            "element" | "gradient" => given(name, number(value), "the precision"),
            "layers" => given(name, number(value), "layers of this kind on the stage"),
            "parameters" => given(name, number(value), "the line `parameters` of this part"),
            _ => given(name, number(value), "the layout and the configuration"),
        }
    }

    /// What a rank sends for one kind of exchange in a step.
    pub(crate) fn exchange(&self, exchange: &Exchange) -> Derivation {
        let factors = |label: &'static str, meaning, factors: &Factors| {
            let parts = factors.iter().map(|(name, value)| self.factor(name, value)).collect();
            computed(label, number(factors.product()), meaning, factors.to_string(), parts)
        };
        let ranks = given("ranks", count(exchange.ranks), "the layout");
        let formula: Option<&'static Formula> = match exchange.collective {
            Collective::AllReduce => Some(&ring_all_reduce_factor::FORMULA),
            Collective::SendReceive => None,
            _ => Some(&ring_phase_factor::FORMULA),
        };
        let share = match formula {
            Some(formula) => {
                let mut share = computed(
                    "share",
                    number(exchange.share()),
                    "The part of the payload that a rank sends.",
                    formula.output.equation.text,
                    vec![ranks],
                );
                share.equation_source = formula.output.source;
                share
            }
            None => given("share", number(1.0), "one rank sends the whole to the next"),
        };
        let pass = exchange.pass.map_or("update", Pass::name);
        let part = exchange.part.name();
        let label = format!("{} ({part}, {}, {pass})", exchange.what, exchange.collective.name());
        let parts = vec![
            factors("times", "How often in a step.", &exchange.times),
            share,
            factors("payload", "Bytes of one exchange.", &exchange.payload),
        ];
        computed(label, constant(&exchange.sent()), "", "times × share × payload", parts)
    }
}
