//! Every line explains itself: evaluating what is printed gives what is told.

use mlsysim::Derivation;
use mlsysim::machine::Machine;
use mlsysim::quantity::Bandwidth;
use mlsysim::transformer::{
    Account, Accounting, Division, GradientCopies, Layout, Line, Mask, MemoryPolicy, Optimizer, Placed,
    PlacedLine, Recompute, Schedule, Step,
};
use proptest::prelude::*;

use crate::cases::{Case, cases};
use crate::common::arithmetic::{Reader, number};
use crate::common::near;

/// Printed numbers are whole or printed in full; sums of them round.
const PRINTED: f64 = 1e-9;

/// How many equations were looked at, and how many were plain arithmetic.
#[derive(Debug, Default)]
struct Seen {
    equations: u64,
    read: u64,
}

impl Seen {
    fn tree(&mut self, derived: &Derivation) -> Result<(), TestCaseError> {
        let own = number(derived.value.as_ref().unwrap());
        for part in &derived.parts {
            self.tree(part)?;
        }
        let (Some(equation), Some(substituted)) = (&derived.equation, &derived.substituted) else {
            prop_assert!(derived.origin.is_some(), "{} has neither an equation nor a source", derived.label);
            return Ok(());
        };
        self.equations += 1;
        let labels: Vec<&str> = derived.parts.iter().map(|part| part.label.as_str()).collect();
        let values = || derived.parts.iter().map(|part| number(part.value.as_ref().unwrap()));
        if *equation == labels.join(" + ") {
            prop_assert!(near(own, values().sum(), PRINTED), "{derived}");
        }
        if *equation == labels.join(" × ") {
            prop_assert!(near(own, values().product(), PRINTED), "{derived}");
        }
        if let Some(value) = Reader::value(substituted) {
            self.read += 1;
            prop_assert!(
                near(own, value, PRINTED),
                "{} is {own}, but {substituted} is {value}\n{derived}",
                derived.label
            );
        }
        Ok(())
    }

    fn lines(&mut self, accounting: &Accounting, account: &Account) -> Result<(), TestCaseError> {
        for line in Line::all() {
            let derived = accounting.explain(account, line);
            let told = number(&line.value(account));
            let own = number(derived.value.as_ref().unwrap());
            prop_assert_eq!(told, own, "{}", line.name());
            self.tree(&derived)?;
        }
        Ok(())
    }

    /// Every line of the step on machines of several kinds, under policies of several kinds.
    fn placed(&mut self, accounting: &Accounting) -> Result<(), TestCaseError> {
        let policies = [
            MemoryPolicy::default(),
            MemoryPolicy {
                optimizer: Optimizer::Adafactor,
                schedule: Schedule::GPipe,
                gradient_copies: GradientCopies::Updated,
                fused_attention: false,
                fused_gate: false,
                dropout: true,
                ..MemoryPolicy::default()
            },
            MemoryPolicy {
                optimizer: Optimizer::Muon,
                gradient_copies: GradientCopies::All,
                stage_outputs: true,
                loss_in_place: false,
                fragmentation: 0.05,
                cache_block: 64,
                recompute_layers: (accounting.step.recompute == Recompute::Full).then_some(1),
                ..MemoryPolicy::default()
            },
        ];
        for (machine, policy) in machines().iter().zip(&policies) {
            let placed = Placed::new(accounting, machine, policy).unwrap();
            for line in PlacedLine::all() {
                let derived = placed.explain(line).unwrap();
                let told = number(&placed.value(line));
                prop_assert_eq!(told, number(derived.value.as_ref().unwrap()), "{}", line.name());
                self.tree(&derived)?;
            }
        }
        Ok(())
    }

    fn are_read(&self) -> Result<(), TestCaseError> {
        prop_assert!(self.read as f64 >= 0.95 * self.equations as f64, "{self:?}");
        Ok(())
    }
}

/// Domains of one, of a few and of many devices, with switches that add up and without.
fn machines() -> [Machine; 3] {
    let rate = |value: f64| Bandwidth::from_base(value * 1e9);
    let node = Machine::named("DGX_A100").unwrap();
    let of = |domain, adds| Machine {
        domain,
        domains: 1 << 16,
        link: rate(300.0),
        in_switch_reduction: adds,
        network: Some(rate(25.0)),
        in_network_reduction: adds,
        oversubscription: 1.5,
        ..node.clone()
    };
    [of(1, false), of(4, true), of(72, false)]
}

/// Lines of every stage of a case, for training, a prefill behind a cache, and decoding.
pub fn explain_all(case: &Case) -> Result<(), TestCaseError> {
    let model = case.sizes.model();
    let serving = Layout { zero: 0, shard: None, ..case.layout.clone() };
    let mut steps = vec![(&case.layout, case.step.clone())];
    if case.layout.cp == 1 {
        steps.push((&serving, Step::prefill(case.step.batch, case.step.sequence, 7)));
    }
    // An encoder does not decode.
    if case.layout.cp == 1 && !case.layout.sp && case.sizes.mask != Mask::Full {
        steps.push((&serving, Step::decode(case.step.batch, 50)));
    }
    let mut seen = Seen::default();
    for (layout, step) in &steps {
        let division = Division::new(&model, layout).unwrap();
        let accounting = Accounting::new(&division, step).unwrap();
        for stage in 0..case.layout.pp {
            seen.lines(&accounting, &accounting.account(stage).unwrap())?;
        }
        seen.placed(&accounting)?;
    }
    seen.are_read()
}

/// The same for one model and step that are given.
pub fn explain(accounting: &Accounting) -> Result<(), TestCaseError> {
    let mut seen = Seen::default();
    for stage in 0..accounting.division.layout.pp {
        seen.lines(accounting, &accounting.account(stage).unwrap())?;
    }
    seen.placed(accounting)?;
    seen.are_read()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Every printed equation of every line gives the number beside it.
    #[test]
    fn every_line_explains_itself(case in cases()) {
        explain_all(&case)?;
    }

    /// At least 95 % of equations are plain arithmetic; masks other than those that look back
    /// without end are told in words.
    #[test]
    fn words_stand_only_for_masks(case in cases()) {
        let mut case = case;
        case.sizes.mask = Mask::Causal;
        explain_all(&case)?;
    }
}
