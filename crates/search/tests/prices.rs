//! Prices put together of shared terms are those of whole layouts, to the last digit, and a pruned
//! search finds what an exhaustive one does.
#![allow(clippy::expect_used, reason = "a test whose setting is wrong has failed")]

use mlsysim_models::machine::Machine;
use mlsysim_models::predict::{Practice, Pricing, Question, TrainingQuestion, shipped, shipped_steps};
use mlsysim_models::transformer::{Accounting, Division, Rates, Transformer};
use mlsysim_search::{
    Candidate, Condition, Figure, Found, Goal, Outcome, Requirement, Search, TrainingPlan, apart,
};

/// A setting whose layouts are few enough to be priced one by one.
struct Setting {
    model: &'static str,
    system: (&'static str, u64, Option<&'static str>),
    devices: &'static [u64],
    batch: u64,
    sequence: u64,
    fix: &'static str,
    forbid: &'static str,
    goal: &'static str,
}

const fn setting(
    model: &'static str,
    system: (&'static str, u64, Option<&'static str>),
    devices: &'static [u64],
    [batch, sequence]: [u64; 2],
    fix: &'static str,
    forbid: &'static str,
    goal: &'static str,
) -> Setting {
    Setting { model, system, devices, batch, sequence, fix, forbid, goal }
}

const H100: (&str, u64, Option<&str>) = ("DGX_H100", 1, None);
const H100S: (&str, u64, Option<&str>) = ("DGX_H100", 8, Some("InfiniBand_NDR"));
const CLUSTER: (&str, u64, Option<&str>) = ("Training_512_H100", 1, None);
const A100S: (&str, u64, Option<&str>) = ("DGX_A100", 16, Some("InfiniBand_HDR"));
const B200S: (&str, u64, Option<&str>) = ("DGX_B200", 8, Some("InfiniBand_XDR"));

/// Models with one kind of layer and with several, tied and untied heads, with experts and without, on
/// machines of one server and of several.
const SETTINGS: [Setting; 20] = [
    setting("Llama3_8B", H100, &[8], [64, 4096], "", "", "time"),
    setting("Llama3_8B", H100, &[4, 8], [32, 8192], "", "", "cost"),
    setting("Llama3_8B", H100S, &[64], [128, 8192], "pp<=4", "zero=1|2", "time"),
    setting("Llama3_8B", H100S, &[16, 32, 64], [256, 4096], "cp=1,sp=false", "", "time=1,cost=1"),
    setting("Llama3_70B", H100S, &[64], [64, 8192], "micro_batch=1", "", "time"),
    setting("Llama3_70B", H100S, &[64], [64, 8192], "tp=8,sp", "pp>1,zero=3", "time"),
    setting("Llama3_70B", A100S, &[128], [128, 4096], "cp=1,recompute=full", "", "energy"),
    setting("Llama3_70B", B200S, &[64], [64, 32768], "micro_batch=1,zero=1", "", "time"),
    setting("GPT3", A100S, &[128], [96, 2048], "micro_batch<=2,cp=1", "", "time"),
    setting("GPT3", A100S, &[128], [1536, 2048], "tp=8,cp=1", "", "time"),
    setting("GPT3", A100S, &[128], [64, 2048], "pp=5..16,cp=1,schedule=1f1b|zb-h1|zb-h2", "", "time"),
    setting(
        "Mixtral_8x7B",
        H100S,
        &[64],
        [64, 4096],
        "micro_batch=1,cp=1,schedule=1f1b|zb-h1|zb-h2",
        "",
        "time",
    ),
    setting("Mixtral_8x7B", H100S, &[32], [64, 8192], "pp<=2,zero=1", "etp>1", "time"),
    setting("Mixtral_8x7B", B200S, &[64], [128, 4096], "sp=false,cp=1,recompute=none", "", "cost"),
    setting("DeepSeek_V3", CLUSTER, &[512], [512, 4096], "micro_batch=1,tp=1,cp=1,pp=4|8", "", "time"),
    setting("DeepSeek_V3", CLUSTER, &[256, 512], [512, 4096], "micro_batch=1,tp=2,cp=1,zero=1", "", "time"),
    setting("Llama3_8B", H100, &[8], [32, 4096], "", "cp>1", "time"),
    setting("Mixtral_8x7B", H100S, &[16], [32, 4096], "recompute=full", "cp>1", "time"),
    setting("GPT2", H100, &[8], [64, 1024], "", "", "time"),
    setting("GPT2", A100S, &[16], [512, 1024], "zero=0", "", "time"),
];

fn plan(setting: &Setting, top: usize) -> TrainingPlan {
    let model = Transformer::named(setting.model).expect("a model");
    let (system, nodes, fabric) = setting.system;
    let nodes = fabric.map(|_| nodes);
    let machine = Machine::on(system, nodes, fabric).expect("a machine");
    let mut plan = TrainingPlan::new(model, machine, 8, setting.batch, setting.sequence);
    plan.devices = setting.devices.to_vec();
    let read = |field, text: &str| match text {
        "" => Vec::new(),
        text => Condition::read(field, text, &plan.precisions).expect("conditions"),
    };
    let (fix, forbid) = (read("fix", setting.fix), read("forbid", setting.forbid));
    plan.fix = fix;
    plan.forbid = if forbid.is_empty() { Vec::new() } else { vec![forbid] };
    plan.goal = Goal::read(setting.goal).expect("a goal");
    plan.top = top;
    plan
}

/// How the price of each layout that was found compares with that of the whole layout.
fn compare(plan: &TrainingPlan, found: &Found) -> usize {
    let training = &shipped_steps().expect("a calibration").training;
    let kernels = shipped().expect("calibrations").kernels();
    let layers = u64::from(plan.model.layers());
    let best = &found.best[..plan.top.min(found.best.len())];
    for outcome in best.iter().chain(&found.front) {
        let candidate = &outcome.candidate;
        let machine = Machine {
            domains: u64::from(candidate.devices).div_ceil(plan.machine.domain),
            ..plan.machine.clone()
        };
        let practice = Practice::default();
        let pricing = Pricing::new(&machine, &practice, kernels).expect("a pricing");
        let pricing = pricing.in_order(candidate.schedule());
        let (layout, step) = (candidate.layout(layers), candidate.step(plan));
        let division = Division::new(&plan.model, &layout).expect("a division");
        let accounting = Accounting::new(&division, &step).expect("an accounting");
        let question = TrainingQuestion::new(&accounting, &pricing).expect("a question");
        let whole = question.predicted(&training.coefficients);
        let name = layout.written();
        assert_eq!(whole.base().to_bits(), outcome.time.base().to_bits(), "the time of {name}");
        let fit = accounting.fit(&machine, &candidate.policy(plan)).expect("a fit");
        let memory = fit.memory.total();
        assert_eq!(memory.base().to_bits(), outcome.memory.base().to_bits(), "the memory of {name}");
        // The bound of shared terms is that of the account, but for the order of sums.
        let account = accounting.account(layout.pp - 1).expect("an account");
        let rates = Rates { peak: pricing.products.peak(), memory: pricing.bandwidth() };
        let bound = accounting.bound_at(&account, &machine, rates).expect("a bound").time();
        assert!((question.bound() / bound - 1.0).abs() < 1e-9, "the bound of {name}");
    }
    best.len() + found.front.len()
}

#[test]
fn shared_terms_make_the_same_prices() {
    let mut compared = 0;
    for setting in &SETTINGS {
        let mut plan = plan(setting, 60);
        plan.pareto = Figure::read("time,memory,cost").expect("figures");
        compared += compare(&plan, &Search::new(&plan).expect("a search").exhaustive());
    }
    assert!(compared > 500, "only {compared} layouts were compared");
}

#[test]
fn a_pruned_search_finds_the_same() {
    for setting in &SETTINGS {
        let plan = plan(setting, 5);
        let search = Search::new(&plan).expect("a search");
        let (all, pruned) = (search.exhaustive(), search.pruned());
        let name = (setting.model, setting.fix);
        assert_eq!(all.best, pruned.best, "{name:?}");
        assert_eq!(all.legal, pruned.legal, "{name:?}");
        assert_eq!(all.priced, all.legal, "{name:?}");
        assert!(!all.best.is_empty(), "{name:?}: nothing fits");
    }
}

/// What may be required so that the best of a setting does not do, though others may: less memory, a step
/// that is faster than the best, both, or a bound of the whole run or of the model's arithmetic.
fn required(plan: &TrainingPlan, best: &Outcome) -> Vec<Vec<Requirement>> {
    let (time, memory) = (best.time.base(), best.memory.base() / 1_073_741_824.0);
    let cost = plan.run(&plan.tell(best).expect("a layout")).expect("a run").expect("tokens").cost.base();
    let read = |text: String| Requirement::read(&text).expect("a requirement");
    vec![
        vec![read(format!("memory.total < {} GiB", 0.8 * memory))],
        vec![read(format!("step_time < {} s", 0.9 * time))],
        vec![
            read(format!("step_time.high < {} s", 1.6 * time)),
            read(format!("memory.total <= {} GiB", 0.9 * memory)),
        ],
        vec![read(format!("run.cost <= {} USD", 1.01 * cost)), read("mfu.low > 0.1 %".to_string())],
        vec![read(format!("step_time >= {} s", 1.1 * time)), read("memory.free > 1 GiB".to_string())],
    ]
}

#[test]
fn what_is_required_decides_which_layouts_are_ranked() {
    let (mut kept, mut nearest, mut others) = (0, 0, 0);
    for (index, setting) in SETTINGS.iter().enumerate() {
        let name = (setting.model, setting.fix);
        let mut plan = plan(setting, 100);
        plan.tokens_of_run = Some(1e12);
        let all = Search::new(&plan).expect("a search").exhaustive();
        let is_kept = |plan: &TrainingPlan, outcome: &Outcome| {
            let told = plan.tell(outcome).expect("a layout");
            plan.kept(&told).expect("figures").iter().all(|kept| kept.is_met)
        };
        let required = required(&plan, &all.best[0]);
        let plan = TrainingPlan { require: required[index % required.len()].clone(), top: 3, ..plan };
        let search = Search::new(&plan).expect("a search");
        let (full, pruned) = (search.exhaustive(), search.pruned());
        let name = (name, &plan.require);
        assert_eq!(full.best, pruned.best, "{name:?}");
        assert_eq!(full.nearest, pruned.nearest, "{name:?}");
        assert_eq!(full.best.is_empty(), full.nearest.is_some(), "{name:?}");
        assert!(full.best.iter().all(|outcome| is_kept(&plan, outcome)), "{name:?}");
        assert!(full.nearest.iter().all(|outcome| !is_kept(&plan, outcome)), "{name:?}");
        // The best that keep it are those of all that do, in their order.
        let first = all.best.iter().filter(|outcome| is_kept(&plan, outcome)).take(3);
        assert!(full.best.iter().zip(first).all(|(own, other)| own == other), "{name:?}");
        kept += usize::from(!full.best.is_empty());
        nearest += usize::from(full.nearest.is_some());
        others += usize::from(full.best.first().is_some_and(|best| *best != all.best[0]));
    }
    assert!(kept >= 12 && nearest >= 4 && others >= 8, "{kept} keep it, {nearest} do not, {others} differ");
}

#[test]
fn layouts_that_differ_in_chunks_alone_are_told_as_one() {
    let mut all_near = 0;
    for setting in SETTINGS.iter().step_by(2) {
        let told = |top: usize| {
            let plan = plan(setting, top);
            let found = Search::new(&plan).expect("a search").pruned();
            apart(&found.best, 5)
        };
        let ((five, near), (of_many, _)) = (told(5), told(200));
        // However many are ranked, the same are told.
        assert_eq!(five, of_many, "{} {}", setting.model, setting.fix);
        for (at, outcome) in five.iter().enumerate() {
            let chunks = |other: &Outcome| Candidate { vpp: outcome.candidate.vpp, ..other.candidate };
            let alike = five[..at].iter().filter(|other| chunks(other) == outcome.candidate);
            for other in alike {
                assert!(outcome.time >= 1.01 * other.time, "{outcome:?} {other:?}");
            }
        }
        all_near += near;
    }
    assert!(all_near > 20, "{all_near} were left out");
}
