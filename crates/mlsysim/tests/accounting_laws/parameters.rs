//! Parameters: what the ranks of one copy of a model have together is the model, and replicas, each
//! sort of which has a name.

use mlsysim::transformer::{Account, Part};
use proptest::prelude::*;

use crate::cases::{Case, Cut, cases};

/// What ranks hold beyond one copy of each parameter.
#[derive(Debug, Default)]
struct Replicas {
    undivided: u64,
    output_biases: u64,
    kv_heads: u64,
    vocabulary_padding: u64,
    tied_table: u64,
}

impl Replicas {
    fn of(case: &Case) -> Self {
        let (sizes, tp) = (&case.sizes, case.layout.tp);
        let mut replicas = Replicas::default();
        for matrix in sizes.dense_matrices() {
            match matrix.cut {
                Cut::Whole | Cut::Router => replicas.undivided += (tp - 1) * matrix.weights(),
                Cut::Rows if matrix.bias => replicas.output_biases += (tp - 1) * matrix.columns,
                Cut::KvColumns => {
                    let heads = u64::from(sizes.kv_heads);
                    replicas.kv_heads += tp.saturating_sub(heads) * (matrix.weights() / heads);
                }
                Cut::Rows | Cut::Columns => {}
            }
        }
        replicas.undivided += (tp - 1) * sizes.norm_weights();
        let padding = case.padded_vocabulary() - u64::from(sizes.vocabulary);
        let tables = if sizes.tied { 1 } else { 2 };
        replicas.vocabulary_padding = tables * sizes.table(padding);
        if sizes.tied && case.layout.pp > 1 {
            replicas.tied_table = sizes.table(case.padded_vocabulary());
        }
        replicas
    }

    fn total(&self) -> u64 {
        let Replicas { undivided, output_biases, kv_heads, vocabulary_padding, tied_table } = self;
        undivided + output_biases + kv_heads + vocabulary_padding + tied_table
    }
}

/// One copy of every parameter that is no expert's.
fn dense(case: &Case) -> u64 {
    let sizes = &case.sizes;
    let matrices: u64 = sizes.dense_matrices().iter().map(|matrix| matrix.weights()).sum();
    let tables = if sizes.tied { 1 } else { 2 };
    matrices + sizes.norm_weights() + tables * sizes.table(u64::from(sizes.vocabulary))
}

fn held(accounts: &[Account], is_counted: impl Fn(Part) -> bool) -> u64 {
    let of_account = |account: &Account| -> u64 {
        account.parameters.entries().filter(|(part, _)| is_counted(*part)).map(|(_, held)| held).sum()
    };
    accounts.iter().map(of_account).sum()
}

proptest! {
    /// The tensor-parallel ranks of all stages have the model, and named replicas.
    #[test]
    fn dense_parameters_are_the_model_and_its_replicas(case in cases()) {
        let held = case.accounts(|_, accounts| held(accounts, |part| part != Part::Experts));
        let replicas = Replicas::of(&case);
        prop_assert_eq!(case.layout.tp * held, dense(&case) + replicas.total(), "{:?}", replicas);
    }

    /// The ranks that share the experts have each once; only biases behind divided rows are on each
    /// rank of an expert.
    #[test]
    fn experts_are_held_once(case in cases()) {
        let (ep, etp) = (case.layout.ep, case.layout.etp.unwrap_or(case.layout.tp));
        let held = case.accounts(|_, accounts| held(accounts, |part| part == Part::Experts));
        let experts = case.sizes.experts.map_or(0, |experts| u64::from(experts.experts));
        let mut expected = 0;
        for matrix in case.sizes.expert_matrices() {
            expected += experts * matrix.weights();
            if matrix.bias && matrix.cut == Cut::Rows {
                expected += (etp - 1) * experts * matrix.columns;
            }
        }
        prop_assert_eq!(ep * etp * held, expected);
    }

    /// The model itself has one copy of everything, and each token passes a few of the experts.
    #[test]
    fn a_model_has_one_copy_of_everything(case in cases()) {
        let (sizes, counts) = (&case.sizes, case.sizes.model().counts());
        let one: u64 = sizes.expert_matrices().iter().map(|matrix| matrix.weights()).sum();
        let (experts, per_token) =
            sizes.experts.map_or((0, 0), |experts| (u64::from(experts.experts), u64::from(experts.per_token)));
        prop_assert_eq!(counts.total, dense(&case) + experts * one);
        prop_assert_eq!(counts.active, dense(&case) + per_token * one);
    }

    /// What is undivided is what ranks have beyond one copy, apart from heads and padding.
    #[test]
    fn undivided_parameters_are_replicas(case in cases()) {
        let tp = case.layout.tp;
        let undivided = case.accounts(|_, accounts| {
            accounts.iter().flat_map(|account| account.undivided.values()).sum::<u64>()
        });
        let Replicas { undivided: whole, output_biases, .. } = Replicas::of(&case);
        prop_assert_eq!((tp - 1) * undivided, whole + output_biases);
    }

    /// The stages have each layer of the model once, the chunks of a stage in turns.
    #[test]
    fn stages_have_each_layer_once(case in cases()) {
        let layout = &case.layout;
        let layers: Vec<u64> = (0..u64::from(case.sizes.layers)).collect();
        case.accounts(|accounting, accounts| {
            let mut in_turns = Vec::new();
            for turn in 0..layout.vpp {
                for stage in 0..layout.pp {
                    in_turns.extend(accounting.division.chunks(stage).nth(turn as usize).unwrap());
                }
            }
            prop_assert_eq!(&in_turns, &layers);
            for (stage, account) in accounts.iter().enumerate() {
                let own: u64 = accounting.division.chunks(stage as u64).map(|chunk| chunk.end - chunk.start).sum();
                prop_assert_eq!(account.layers, own);
                prop_assert!(own > 0);
                match &layout.stages {
                    Some(stages) => prop_assert_eq!(own, stages[stage]),
                    None => prop_assert!(own.abs_diff(layers.len() as u64 / layout.pp) <= 1),
                }
            }
            Ok(())
        })?;
    }
}
