//! Configurations that cannot be read are refused with one clear message, and whatever is done to a
//! sound one, the answer is a model of a believable size or a refusal: never a panic.
//!
//! The configurations and their exact messages stand in `tests/bad_configurations.jsonl`; a message
//! is changed there, after reading it as a user would.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;

use mlsysim::transformer::{Counts, Transformer};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value as Json, json};

/// The text of a case: as it stands, or the JSON of what is no text.
fn text(config: &Json) -> String {
    config.as_str().map_or_else(|| config.to_string(), str::to_string)
}

#[test]
fn each_bad_configuration_is_refused_with_its_message() {
    let cases = common::lines("bad_configurations.jsonl");
    let names: BTreeSet<_> = cases.iter().map(|case| case["name"].to_string()).collect();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    let mut wrong = Vec::new();
    for case in cases {
        let answer = Transformer::from_config(&text(&case["config"]));
        let message = answer.map_or_else(|error| error.to_string(), |model| format!("{:?}", model.counts()));
        let expected = case["error"].as_str().unwrap();
        if message != expected {
            wrong.push(format!("{}:\n  says     {message}\n  not      {expected}", case["name"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_text_of_100_megabytes_is_refused_unread() {
    let text = " ".repeat(100_000_000);
    let error = Transformer::from_config(&text).unwrap_err();
    let expected = "a configuration has a few kilobytes, and at most 4 MiB are read; \
                    this one has 100000000 bytes";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn nesting_without_end_is_refused() {
    for (open, at) in [("[", 128), ("{\"a\":", 128 * 5 - 4)] {
        let error = Transformer::from_config(&open.repeat(100_000)).unwrap_err();
        let expected = format!("this is no JSON: recursion limit exceeded at line 1 column {at}");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn long_texts_and_many_keys_do_not_make_long_messages() {
    let long = "x".repeat(1_000_000);
    let many: Map<String, Json> = (0..200_000).map(|index| (format!("key_{index}"), json!(index))).collect();
    let list = vec![1; 1_000_000];
    let sizes = json!({
        "model_type": "qwen3_moe", "hidden_size": 64, "num_hidden_layers": 10_000,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "vocab_size": 100,
        "intermediate_size": 128, "moe_intermediate_size": 32, "num_experts": 4,
        "num_experts_per_tok": 2, "mlp_only_layers": list
    });
    let cases = [
        json!({ "model_type": long }),
        json!({ "model_type": [long] }),
        json!({ "model_type": "llama", "hidden_size": long }),
        json!({ "model_type": "llama", long.as_str(): 1 }),
        json!({ "model_type": "olmo3", "layer_types": vec![long.as_str()] }),
        json!({ "model_type": "newcomer", "mamba_of_some_sort": long }),
        Json::Object(many),
        sizes,
    ];
    for case in cases {
        sound(&case.to_string()).unwrap_or_else(|fault| panic!("{fault}"));
    }
}

/// Every configuration that the tests have; Python wrote one of them with `Infinity`.
static REAL: LazyLock<Vec<Map<String, Json>>> = LazyLock::new(|| {
    let files = fs::read_dir(common::root("tests/configurations")).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    let read = |path: &_| {
        let text = fs::read_to_string(path).unwrap().replace("Infinity", "null");
        serde_json::from_str(&text).unwrap()
    };
    paths.iter().map(read).collect()
});

#[test]
fn what_python_writes_for_numbers_without_end_is_read_as_nothing() {
    let plain = r#"{"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100,
        "activation \\\"Infinity": "NaN", "limits": [0.0, null], "n_inner": null}"#;
    let odd =
        plain.replace(", null]", ", Infinity, -Infinity]").replace("\"n_inner\": null", "\"n_inner\": NaN");
    assert_ne!(plain, odd);
    let [plain, odd] = [plain, &odd].map(|text| Transformer::from_config(text).unwrap());
    assert_eq!(plain, odd);
}

/// What is done to one place of a configuration.
#[derive(Clone, Debug)]
enum Change {
    Drop,
    Put(Json),
    /// Puts the value of another key there.
    Copy(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let odd = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!("")),
        Just(json!("gelu")),
        Just(json!("gated-gelu-new")),
        Just(json!([])),
        Just(json!([null, -1, 2.5, "x", {}])),
        Just(json!(["full_attention", "sliding_attention", "mamba"])),
        Just(json!([[["global", "local"], u64::MAX]])),
        Just(json!({})),
        Just(json!({ "num_experts": 8, "rope_type": { "deep": [[[[]]]] } })),
        prop_oneof![
            Just(0),
            Just(1),
            Just(2),
            Just(3),
            Just(-1),
            Just(10_000),
            Just(1 << 31),
            Just(u32::MAX as i64),
            Just(i64::MIN),
            Just(i64::MAX)
        ]
        .prop_map(|number| json!(number)),
        any::<i64>().prop_map(|number| json!(number)),
        (0_i64..200).prop_map(|number| json!(number)),
        Just(json!(u64::MAX)),
        Just(json!(1e30)),
        Just(json!(-1e300)),
        Just(json!(0.5)),
        Just(json!(4096.0)),
        Just(json!(5e-324)),
        "\\PC{0,12}".prop_map(|text| json!(text)),
    ];
    prop_oneof![
        1 => Just(Change::Drop),
        5 => odd.prop_map(Change::Put),
        1 => any::<Index>().prop_map(Change::Copy),
    ]
}

/// Makes a change to one key of `object`, half the time to one of an object within it.
fn apply(object: &mut Map<String, Json>, (place, inner, change): &(Index, Option<Index>, Change)) {
    if object.is_empty() {
        return;
    }
    let key = object.keys().nth(place.index(object.len())).unwrap().clone();
    if let (Some(inner), Some(Json::Object(within))) = (inner, object.get_mut(&key)) {
        return apply(within, &(*inner, None, change.clone()));
    }
    match change {
        Change::Drop => {
            object.remove(&key);
        }
        Change::Put(value) => {
            object.insert(key, value.clone());
        }
        Change::Copy(from) => {
            let value = object.values().nth(from.index(object.len())).unwrap().clone();
            object.insert(key, value);
        }
    }
}

/// Says what is wrong with the answer for `text`: a count that cannot be, or a message that nobody
/// can read.
fn sound(text: &str) -> Result<(), String> {
    match Transformer::from_config(text) {
        Ok(model) => believable(&model, model.counts()),
        Err(error) => {
            let message = error.to_string();
            let is_short = !message.is_empty() && message.chars().count() < 600;
            if is_short { Ok(()) } else { Err(format!("{} characters: {message:.200}", message.len())) }
        }
    }
}

fn believable(model: &Transformer, counts: Counts) -> Result<(), String> {
    let Counts { parts, total, active, cached_per_token } = counts;
    let most = 1 << 53;
    let checks = [
        ("a total", (1..=most).contains(&total)),
        ("active parameters", (1..=total).contains(&active)),
        ("a sum of parts", parts.values().sum::<u64>() == total),
        ("a cache", cached_per_token <= most),
        ("layers", (1..=20_000).contains(&model.layers())),
        ("kinds of layers", !model.kinds().is_empty()),
        ("a vocabulary", model.vocabulary > 0),
        ("a width", model.hidden > 0),
    ];
    match checks.into_iter().find(|(_, holds)| !holds) {
        Some((what, _)) => Err(format!("{what} that cannot be: {counts:?}, {} layers", model.layers())),
        None => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn changed_configurations_are_counted_or_refused(
        real in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<Option<Index>>(), change()), 1..5),
    ) {
        let mut object = real.get(&REAL).clone();
        for change in &changes {
            apply(&mut object, change);
        }
        let text = Json::Object(object).to_string();
        prop_assert_eq!(sound(&text), Ok(()), "{}", text);
    }

    #[test]
    fn changed_bytes_are_counted_or_refused(
        real in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>(), 0..3), 1..6),
    ) {
        let mut bytes = serde_json::to_vec(real.get(&REAL)).unwrap();
        for (place, byte, kind) in changes {
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        prop_assert_eq!(sound(&text), Ok(()), "{}", text);
    }

    #[test]
    fn a_family_that_reads_another_ones_keys_counts_or_refuses(
        real in any::<Index>(),
        other in any::<Index>(),
    ) {
        let mut object = real.get(&REAL).clone();
        let family = other.get(&REAL).get("model_type").cloned().unwrap_or(Json::Null);
        object.insert("model_type".to_string(), family);
        let text = Json::Object(object).to_string();
        prop_assert_eq!(sound(&text), Ok(()), "{}", text);
    }
}
