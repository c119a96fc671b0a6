//! Whatever the numbers, the answer is an error that names a field, or an account of sane numbers.

use mlsysim::transformer::{
    Accounting, ContextExchange, Division, Layout, Line, Order, Phase, Recompute, Step, Transformer,
};
use mlsysim::{Define, Error, Value};
use proptest::prelude::*;

use crate::cases::sizes;

/// Degrees that somebody may give.
fn degree() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => prop::sample::select(vec![1u64, 2, 4, 8]),
        1 => 0..64u64,
        1 => prop::sample::select(vec![0u64, 3, 1000, 4096, 65_535, 65_536, 1 << 30, 1 << 32, 1 << 40, u64::MAX]),
    ]
}

prop_compose! {
    fn layouts()(
        [tp, pp, vpp, dp] in [degree(), degree(), degree(), degree()],
        [ep, cp, zero, multiple] in [degree(), degree(), degree(), degree()],
        shard in proptest::option::of(degree()), etp in proptest::option::of(degree()),
        stages in proptest::option::weighted(0.2, proptest::collection::vec(degree(), 0..5)),
        sp: bool, all_to_all: bool, order in Just(vec!["tp", "cp", "ep", "dp", "pp"]).prop_shuffle(),
    ) -> Layout {
        let cp_by = if all_to_all { ContextExchange::AllToAll } else { ContextExchange::Ring };
        let order = Order::parse(&order.join("-")).unwrap();
        Layout { tp, sp, pp, vpp, stages, dp, zero, shard, ep, etp, cp, cp_by, order, vocabulary_multiple: multiple }
    }
}

prop_compose! {
    fn steps()(
        phase in prop::sample::select(Phase::ALL), recompute in prop::sample::select(Recompute::ALL),
        [batch, sequence, context, micro_batch] in [degree(), degree(), degree(), degree()],
        precision in prop::sample::select(vec!["bf16", "fp8", "int4", "fp33", ""]),
    ) -> Step {
        Step { phase, recompute, batch, sequence, context, micro_batch, precision: precision.into(), ..Step::training(1, 1) }
    }
}

/// The lines of the first stage, if there is an account.
fn answer(model: &Transformer, layout: &Layout, step: &Step) -> Result<Vec<f64>, Error> {
    let division = Division::new(model, layout)?;
    let accounting = Accounting::new(&division, step)?;
    let account = accounting.account(0)?;
    let number = |line: &Line| match line.value(&account) {
        Value::Integer(whole) => whole as f64,
        Value::Quantity(quantity) => quantity.value(),
        other => panic!("{other} is no number"),
    };
    Ok(Line::all().iter().map(number).collect())
}

fn is_sane(answer: Result<Vec<f64>, Error>) -> Result<(), TestCaseError> {
    match answer {
        Ok(numbers) => {
            prop_assert!(numbers.iter().all(|number| number.is_finite() && *number >= 0.0), "{numbers:?}");
            prop_assert!(numbers.iter().any(|number| *number > 0.0));
        }
        Err(error) => {
            prop_assert!(error.field().is_some(), "{error}");
            prop_assert!(error.message().len() < 2000, "{error}");
        }
    }
    Ok(())
}

fn published(name: &str) -> Transformer {
    Transformer::named(name).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Literals that nobody has checked are refused or counted.
    #[test]
    fn any_literal_has_an_answer(sizes in sizes(), layout in layouts(), step in steps()) {
        is_sane(answer(&sizes.model(), &layout, &step))?;
    }

    /// So they are for models of any size.
    #[test]
    fn published_models_have_an_answer(layout in layouts(), step in steps()) {
        for name in ["Llama3_70B", "Llama3_405B"] {
            is_sane(answer(&published(name), &layout, &step))?;
        }
    }

    /// What the check of a layout lets through is what an account takes.
    #[test]
    fn checks_agree(sizes in sizes(), layout in layouts(), step in steps()) {
        let checked = layout.clone().checked().and_then(|_| step.clone().checked()).map(drop);
        if checked.is_err() {
            prop_assert!(answer(&sizes.model(), &layout, &step).is_err(), "{checked:?}");
        }
    }

    /// A layout as text is read or refused.
    #[test]
    fn any_text_is_a_layout_or_an_error(text in "(tp|pp|dp|ep|cp|etp|sp|zero|shard|stages|tq)=?[0-9\\[\\],a-z-]{0,8}(,(tp|vpp|dp)=[0-9]{1,6})?") {
        if let Err(error) = Layout::parse(&text) {
            prop_assert!(error.field().is_some(), "{text}: {error}");
        }
    }
}

/// A model whose sizes are as large as a configuration lets them be answers in good time.
#[test]
fn the_longest_sides_have_an_answer() {
    let config = r#"{"model_type": "llama", "hidden_size": 1, "intermediate_size": 1, "num_hidden_layers": 1,
        "num_attention_heads": 2147483648, "num_key_value_heads": 1, "head_dim": 1, "vocab_size": 1}"#;
    let model = Transformer::from_config(config).unwrap();
    let layout = Layout { tp: 3, ..Layout::whole() };
    let error = answer(&model, &layout, &Step::training(1, 1)).unwrap_err();
    assert_eq!(error.field(), Some("tp"));
    let whole = answer(&model, &Layout::whole(), &Step::training(1 << 10, 1 << 30)).unwrap();
    assert!(whole.iter().all(|number| number.is_finite()));
}
