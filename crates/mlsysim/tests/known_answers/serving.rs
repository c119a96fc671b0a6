//! The rows about predicted serving, what does not fit, and what leaving a provider costs.

use mlsysim::machine::Machine;
use mlsysim::predict::{CalibrationSet, Engine, Forecast, Served, Terms, Workload};
use mlsysim::quantity::{DynQuantity, Money, MoneyPerByte, Unit};
use mlsysim::scenario::Kind;
use mlsysim::scenarios::communication::TransferScenario;
use mlsysim::transformer::{Accounting, Division, Layout, MemoryPolicy, Step, Transformer};
use mlsysim::units::{DAY, GIGABYTE, MEGABYTE, SECOND};
use mlsysim::{Define, Library, Map, Value, library};

use super::{Row, device, tera};

/// What `read` tells of serving `model` on one H100.
fn forecast<T>(model: &str, step: &Step, workload: Workload, read: impl FnOnce(&Forecast) -> T) -> T {
    let (model, layout) = (Transformer::named(model).unwrap(), Layout::whole());
    let (machine, engine) = (Machine::named("DGX_H100").unwrap(), Engine::default());
    let served = Served { model: &model, layout: &layout, machine: &machine, engine: &engine };
    let step = served.last_step(workload, step).unwrap();
    let division = Division::new(&model, &layout).unwrap();
    let accounting = Accounting::new(&division, &step).unwrap();
    let (policy, terms) = (MemoryPolicy::default(), Terms::default());
    let shipped = CalibrationSet::shipped().unwrap();
    let workload = Some(workload);
    read(&Forecast::serving(&accounting, &machine, &policy, &engine, terms, shipped, workload).unwrap())
}

pub fn an_answer_of_one_token_is_never_decoded(row: &Row) {
    assert!(row.right_value.contains("no decode phase"), "{}", row.right_value);
    let step = Step::prefill(4, 512, 0);
    let asked = |answer| {
        let workload = Workload::StaticBatch { batch: 4, prompt: 512, answer };
        forecast("Llama3_8B", &step, workload, |told| {
            let report = serde_json::to_value(told.report().unwrap()).unwrap();
            let decoding = told.predicted.parts.at(&["decode steps"]).map(|part| part.time);
            let rate = told.tokens_per_second().unwrap()[0];
            (told.predicted.total.time, rate, decoding, told.decode_tokens_per_second(), report)
        })
    };
    let (time, rate, decoding, each, report) = asked(1);
    assert_eq!((decoding, each), (None, None));
    assert!(report["decode_tokens_per_second"].is_null(), "{report}");
    assert_eq!(rate, 4.0 / time.base());
    // The second token is the first one that is decoded.
    let (longer, _, decoding, each, _) = asked(2);
    assert!(longer > time);
    assert_eq!(each, Some(1.0 / decoding.unwrap().base()));
}

pub fn a_roofline_is_told_as_a_bound(row: &Row) {
    // A device that reads 3.35 TB/s by its data sheet sustains 0.82 of that at best in the row.
    let (stated, sustained) = (row.right("3.35"), row.right("2.747"));
    row.check(tera(device("Hardware.Cloud.H100").memory.bandwidth.base()), "3.35");
    let context = 512;
    let workload = Workload::DecodeStep { batch: 1, context };
    for model in ["Llama3_8B", "Llama2_7B", "Llama2_13B"] {
        forecast(model, &Step::decode(1, context), workload, |told| {
            let total = &told.predicted.total;
            let Kind::Fitted = total.kind else { panic!("{model}: {}", total.kind) };
            let report = serde_json::to_value(told.report().unwrap()).unwrap();
            assert_eq!((report["kind"].as_str(), report["binds"].as_str()), (Some("fitted"), Some("memory")));
            // The bound is the roofline: all that is read, at the full bandwidth.
            let accounting = told.placed.accounting;
            let read = accounting.bound(&accounting.account(0).unwrap(), told.placed.machine).unwrap();
            assert_eq!(report["bound"]["value"].as_f64(), Some(read.memory.base()));
            assert_eq!(total.bound, read.memory);
            // No prediction reads at that bandwidth, nor at more than experiments found.
            let reached = stated * total.share_of_bound();
            assert!(reached < sustained, "{model}: {reached} TB/s");
        });
    }
}

pub fn what_does_not_fit_is_infeasible(row: &Row) {
    // The command exits with 2 whatever is infeasible, which its own tests hold.
    assert!(row.right_value.contains("exit code 2"), "{}", row.right_value);
    let case = library().case("Llama3_70B_DecodeH100").unwrap();
    let on = |device: &str| {
        let changes: Map<Value> =
            [("hardware".into(), library().value(device).unwrap())].into_iter().collect();
        let answer = case.variant(changes, library()).unwrap().answer("".into(), &Map::new());
        answer.infeasible().map(str::to_string)
    };
    let told = on("Hardware.Cloud.T4").unwrap();
    assert!(told.contains("141.2 GB of weights do not fit in the 17.2 GB"), "{told}");
    assert!(on("Hardware.Cloud.H100").is_some());
    assert_eq!(on("Hardware.Cloud.MI300X"), None);
}

pub fn bytes_that_leave_are_paid_by_the_gigabyte(row: &Row) {
    let fee = library().value("Infrastructure.Pricing.Cloud.EgressPerGB.rate").unwrap();
    let Value::Quantity(fee) = fee else { panic!("{fee} is no quantity") };
    assert_eq!(fee, DynQuantity::new(0.09, Unit::parse("USD/GB").unwrap()));
    let sent = MEGABYTE / SECOND;
    let month = TransferScenario {
        payload: sent * (30.0 * DAY),
        links: [("out".into(), sent)].into_iter().collect(),
        copies: 1,
        egress_rate: Some(MoneyPerByte::from_base(fee.base())),
        compute_price: None,
        job_time: None,
    };
    assert_eq!(month.total_bytes() / GIGABYTE, 2592.0);
    let cost: Money = month.egress_cost().unwrap();
    row.check(cost.base(), "233.28");
    // A fee without the gigabyte is refused, and so is one of something else.
    let asked = |fee: &str| {
        let links = Map::from_iter([("out".into(), Value::text("1 MB/s"))]);
        TransferScenario::from_inputs([
            ("payload", Value::text("2592 GB")),
            ("links", Value::from(links)),
            ("egress_rate", Value::text(fee)),
        ])
    };
    assert_eq!(asked("0.09 USD/GB").unwrap().egress_cost().unwrap(), cost);
    for wrong in ["0.09", "0.09 USD", "0.09 USD/s"] {
        let error = asked(wrong).unwrap_err();
        assert_eq!(error.field(), Some("egress_rate"), "{error}");
        assert!(error.to_string().contains("USD/GB"), "{error}");
    }
}
