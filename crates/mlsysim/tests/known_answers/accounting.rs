//! The rows about exact counts: parameters, arithmetic, caches and exchanges of a model and of the
//! ranks of a layout.

use mlsysim::transformer::blocks::{FeedForward, Grouped, NormWeights, block_norm};
use mlsysim::transformer::{
    Accounting, Collective, Division, Exchange, Group, Layer, Layout, Mask, Operation, Part, Pass, Phase,
    Shares, Step, Transformer, padded_vocabulary,
};
use mlsysim::units::{BYTE, GIBIBYTE, GIGABYTE};

use super::{Row, common};

fn named(name: &str) -> Transformer {
    Transformer::named(name).unwrap()
}

/// A model of the files that the tests read.
fn published(name: &str) -> Transformer {
    Transformer::from_config(&common::text(&format!("configurations/{name}.json"))).unwrap()
}

/// A model of the Llama kind with heads as wide as 128 numbers, and four times the hidden width
/// within its networks.
fn llama(heads: u64, kv_heads: u64, vocabulary: u64) -> Transformer {
    let hidden = 128 * heads;
    let config = serde_json::json!({
        "model_type": "llama", "hidden_size": hidden, "intermediate_size": 4 * hidden, "num_hidden_layers": 2,
        "num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": 128, "vocab_size": vocabulary,
    });
    Transformer::from_config(&config.to_string()).unwrap()
}

fn layout(text: &str) -> Layout {
    Layout::parse(text).unwrap()
}

/// What `check` finds of `step` on the layout.
fn accounted<T>(
    model: &Transformer,
    layout: &Layout,
    step: &Step,
    check: impl FnOnce(&Accounting) -> T,
) -> T {
    let division = Division::new(model, layout).unwrap();
    check(&Accounting::new(&division, step).unwrap())
}

/// The field that an error about `tp` ranks is about, if they cannot share the model.
fn refused(model: &Transformer, tp: u64) -> Option<String> {
    let layout = Layout { tp, ..Layout::whole() };
    let error = Division::new(model, &layout).err()?;
    Some(error.field().unwrap_or_default().to_string())
}

/// The operation called `name` of the first layer.
fn operation<'a>(model: &'a Transformer, name: &str) -> &'a Operation {
    model.kinds()[0].operations().find(|operation| operation.name == name).unwrap()
}

/// The arithmetic of an operation for one token.
fn per_token(model: &Transformer, operation: &Operation) -> f64 {
    accounted(model, &Layout::whole(), &Step::training(1, 1), |accounting| {
        operation.forward_flops(&Shares::WHOLE, &accounting.load, Phase::Training).base()
    })
}

/// The bytes of the cache that attention of one layer reads in a step of decoding.
fn cache_read(model: &Transformer, context: u64) -> f64 {
    let scores = operation(model, "scores");
    let moved = |context| {
        accounted(model, &Layout::whole(), &Step::decode(1, context), |accounting| {
            scores.forward_bytes(&Shares::WHOLE, &accounting.load, Phase::Decode, &accounting.elements).base()
        })
    };
    moved(context) - moved(0)
}

/// How often a rank of the first stage takes part in exchanges that are `counted`.
fn times(accounting: &Accounting, counted: impl Fn(&Exchange) -> bool) -> f64 {
    let account = accounting.account(0).unwrap();
    let exchanges = accounting.merged_exchanges(&account).into_iter();
    exchanges.filter(|exchange| counted(exchange)).map(|exchange| exchange.times.product()).sum()
}

fn is_in_layers(exchange: &Exchange) -> bool {
    exchange.group == Group::Tensor
        && exchange.pass.is_some()
        && ![Part::Embedding, Part::Head].contains(&exchange.part)
}

pub fn a_stage_has_its_layers(row: &Row) {
    // Two matrices of 437.5 million numbers are 1.75 GB in 16 bits.
    let layer = || Layer::of([FeedForward::new(17_500, 25_000, false).operations()]);
    let mut model = Transformer::new("network", 17_500, 8);
    (0..80).for_each(|_| model.push(layer()));
    accounted(&model, &layout("pp=4"), &Step::training(1, 1), |accounting| {
        let account = accounting.account(1).unwrap();
        row.check(account.layers as f64, "20");
        row.check(account.total_parameters() as f64 * 2.0 * BYTE / GIGABYTE, "35.0");
    });
    let account =
        accounted(&model, &Layout::whole(), &Step::training(1, 1), |whole| whole.account(0).unwrap());
    row.check(account.total_parameters() as f64 * 2.0 * BYTE / GIGABYTE, "140");
}

pub fn a_network_has_the_width_that_is_given(row: &Row) {
    let network = FeedForward::new(4096, 11_008, false).operations();
    let mut model = Transformer::new("network", 4096, 8);
    model.push(Layer::of([network]));
    let flops: f64 = model.kinds()[0].operations().map(|operation| per_token(&model, operation)).sum();
    row.check(flops, "180355072");
}

pub fn grouped_heads_have_fewer_parameters(row: &Row) {
    let model = named("Llama3_70B");
    row.check(model.counts().parts[Part::Attention] as f64 / f64::from(model.layers()), "150994944");
}

pub fn grouped_heads_have_less_arithmetic(row: &Row) {
    let model = named("Llama3_70B");
    let flops: f64 =
        ["query", "key", "value"].iter().map(|name| per_token(&model, operation(&model, name))).sum();
    row.check(flops, "167772160");
}

pub fn a_table_costs_no_arithmetic(row: &Row) {
    let model = named("Llama3_8B");
    accounted(&model, &Layout::whole(), &Step::training(1, 1), |accounting| {
        let account = accounting.account(0).unwrap();
        let forward = account.flops[Pass::Forward as usize];
        row.check(forward[Part::Head].base(), "1050673152");
        assert_eq!(forward[Part::Embedding].base(), 0.0);
    });
}

pub fn a_gate_is_a_third_matrix(row: &Row) {
    let model = named("Llama3_8B");
    row.check(model.counts().parts[Part::Mlp] as f64 / f64::from(model.layers()), "176160768");
}

pub fn experts_are_spread(row: &Row) {
    let model = named("Mixtral_8x7B");
    accounted(&model, &layout("dp=8,ep=8"), &Step::training(8, 1), |accounting| {
        row.check(accounting.account(0).unwrap().parameters[Part::Experts] as f64, "5637144576");
    });
}

pub fn vocabularies_are_padded(row: &Row) {
    let model = llama(25, 25, 50_257);
    assert!(row.right_value.contains("tp=2 refused (25%2)"));
    assert_eq!(refused(&model, 2).as_deref(), Some("tp"));
    assert!(row.right_value.contains("50257 % 5 = 2"));
    accounted(&model, &layout("tp=5"), &Step::training(1, 1), |accounting| {
        let account = accounting.account(0).unwrap();
        assert_eq!(account.parameters[Part::Embedding], 50_560 / 5 * u64::from(model.hidden));
        let notes = accounting.division.notes();
        assert!(notes.iter().any(|note| note.contains("padded with 303 rows to 50560")), "{notes:?}");
    });
    assert_eq!(padded_vocabulary(50_257, 8, 128), 51_200);
}

pub fn only_divisors_of_heads_are_planned(row: &Row) {
    let model = llama(32, 32, 32_000);
    let most = (1..=3).filter(|tp| refused(&model, *tp).is_none()).max().unwrap();
    row.check(most as f64, "2");
}

pub fn a_shared_vector_is_read_once(row: &Row) {
    assert!(row.right_value.contains("no factor 128"));
    let model = named("DeepSeek_V3");
    // A token is a pair with each cached one; the vector is a latent of 512 and a rotary key of 64.
    assert_eq!(cache_read(&model, 4096), 4096.0 * (512.0 + 64.0) * 2.0);
}

pub fn every_block_of_every_layer_is_summed(row: &Row) {
    let model = named("DeepSeek_V3");
    assert_eq!(model.layers(), 61);
    accounted(&model, &layout("tp=4"), &Step::prefill(1, 1024, 0), |accounting| {
        let all = times(accounting, is_in_layers);
        row.check(all, "122");
        assert_eq!(
            all,
            times(accounting, |exchange| {
                is_in_layers(exchange) && exchange.collective == Collective::AllReduce
            })
        );
    });
}

pub fn a_layer_is_summed_four_times(row: &Row) {
    let attention = Grouped { mask: Mask::Full, ..Grouped::new(768, 12, 64) };
    let normed = |name, operations: Vec<Operation>| {
        let norm = block_norm(name, 768, NormWeights::ScaleAndShift);
        std::iter::once(norm).chain(operations).collect::<Vec<_>>()
    };
    let mut vit = Transformer::new("vit", 768, 1000);
    for _ in 0..12 {
        vit.push(Layer::of([
            normed("attention_norm", attention.with_input_bias(true).operations()),
            normed("mlp_norm", FeedForward::new(768, 3072, false).with_bias(true).operations()),
        ]));
    }
    // Images make 196 patches and a token for their class.
    accounted(&vit, &layout("tp=4"), &Step::training(1, 197), |accounting| {
        row.check(times(accounting, is_in_layers), "48");
    });
    assert_eq!(refused(&vit, 8).as_deref(), Some("tp"));
}

pub fn sequence_parallelism_gathers_again(row: &Row) {
    assert!(row.right_value.contains("forward 2 AG + 2 RS; backward 2 AG + 2 RS + 2 extra AG"));
    let model = llama(32, 8, 32_000);
    let layers = f64::from(model.layers());
    let step = Step::training(1, 4096);
    let count = |accounting: &Accounting, pass, collective| {
        let counted = |exchange: &Exchange| {
            is_in_layers(exchange) && exchange.pass == Some(pass) && exchange.collective == collective
        };
        times(accounting, counted) / layers
    };
    let sent = |accounting: &Accounting| {
        let account = accounting.account(0).unwrap();
        let exchanges = accounting.merged_exchanges(&account).into_iter().filter(is_in_layers);
        exchanges.map(|exchange| exchange.sent().base()).sum::<f64>()
    };
    let with = accounted(&model, &layout("tp=8,sp"), &step, |accounting| {
        let count = |pass, collective| count(accounting, pass, collective);
        assert_eq!(count(Pass::Forward, Collective::AllGather), 2.0);
        assert_eq!(count(Pass::Forward, Collective::ReduceScatter), 2.0);
        assert_eq!(count(Pass::Backward, Collective::AllGather), 2.0 + 2.0);
        assert_eq!(count(Pass::Backward, Collective::ReduceScatter), 2.0);
        sent(accounting)
    });
    let all_reduces = accounted(&model, &layout("tp=8"), &step, |accounting| {
        assert_eq!(count(accounting, Pass::Forward, Collective::AllReduce), 2.0);
        assert_eq!(count(accounting, Pass::Backward, Collective::AllReduce), 2.0);
        sent(accounting)
    });
    let gather = 7.0 / 8.0 * 4096.0 * f64::from(model.hidden) * 2.0;
    assert!(row.right_value.contains("bytes = 4 AllReduces + 2 AG"));
    assert_eq!(with, all_reduces + 2.0 * layers * gather);
    assert_eq!(all_reduces, 4.0 * layers * 2.0 * gather);
}

pub fn decoding_reads_the_kv_heads(row: &Row) {
    row.check(cache_read(&named("Llama3_70B"), 4096), "16777216");
}

pub fn heads_divide_by_degrees(row: &Row) {
    let published = published("huggyllama__llama-30b");
    assert_eq!(refused(&published, 3).as_deref(), Some("tp"));
    assert_eq!(refused(&published, 8).as_deref(), Some("tp"));
    // Its inner width divides by neither 13 nor 26; where that does too, only the heads decide.
    let model = llama(52, 52, 32_000);
    let legal: Vec<String> =
        (1..=64).filter(|tp| refused(&model, *tp).is_none()).map(|tp| tp.to_string()).collect();
    assert!(row.right_value.contains(&format!("{{{}}}", legal.join(","))), "{legal:?}");
}

pub fn heads_are_cached_by_several_ranks(row: &Row) {
    let each = accounted(&named("Llama3_70B"), &layout("tp=16"), &Step::decode(1, 1), |accounting| {
        2 * accounting.account(0).unwrap().cached_per_token
    });
    row.check(each as f64, "40960");
    row.check(16.0 * each as f64, "655360");
}

/// The bytes that a token leaves in the cache in 16 bits.
fn cached(model: &Transformer) -> f64 {
    model.counts().kv_bytes_per_token_16_bit().base()
}

pub fn every_head_is_cached(row: &Row) {
    row.check(cached(&named("Llama2_7B")), "524288");
}

pub fn grouped_heads_are_cached_once(row: &Row) {
    row.check(cached(&named("Llama3_8B")), "131072");
}

pub fn a_latent_is_cached_once(row: &Row) {
    row.check(163_840.0 * cached(&named("DeepSeek_V3")) * BYTE / GIBIBYTE, "10.72");
}

pub fn a_stated_head_width_counts(row: &Row) {
    row.check(40_960.0 * cached(&published("Qwen__Qwen3-0.6B")) * BYTE / GIBIBYTE, "4.375");
}

pub fn every_latent_is_cached(row: &Row) {
    let model = published("moonshotai__Kimi-K2.5");
    row.check(model.counts().cached_per_token as f64, "35136");
    row.check(cached(&model), "70272");
    row.check(model.counts().kv_bytes_per_token(1.0 * BYTE).base(), "35136");
}

pub fn the_published_layout_divides_the_model(row: &Row) {
    let layout = layout("tp=8,cp=1,pp=16,dp=128");
    row.check(layout.devices() as f64, "16384");
    assert!(Division::new(&named("Llama3_405B"), &layout).is_ok());
    assert_eq!(layout.on_devices(16_384), Ok(()));
}

pub fn kv_heads_divide_or_are_copied(row: &Row) {
    assert!(row.right_value.starts_with("refused (28 % 8 = 4)"));
    let model = llama(28, 4, 32_000);
    assert_eq!(refused(&model, 8).as_deref(), Some("tp"));
    // 7 and 14 divide the heads, but would cut KV heads apart.
    for (tp, field) in [(7, Some("tp")), (14, Some("tp")), (4, None), (28, None)] {
        assert_eq!(refused(&model, tp).as_deref(), field, "{tp}");
    }
}
