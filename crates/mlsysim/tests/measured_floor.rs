//! Published times against the least that is possible: none of them may be below.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use mlsysim::validation::{
    AttentionKernel, CollectiveRow, Comparison, DomainCollectiveRow, Exclusion, Floor, KernelRow,
    LayerKernel, Measured, Outcome, ProductKernel, PublishedKernel, ServingRow, Table, TrainingRow,
};

fn floor() -> Floor {
    let [machines, models, exclusions] =
        ["machines.toml", "models.toml", "exclusions.csv"].map(common::measurements);
    Floor::read(&machines, &models, &exclusions).unwrap()
}

/// What became of the rows of some tables.
#[derive(Default)]
struct Report {
    rows: usize,
    compared: Vec<Comparison>,
    left_out: BTreeMap<String, usize>,
}

impl Report {
    fn hold<T: Measured>(&mut self, file: &str, mut against: impl FnMut(&T) -> Outcome) {
        let table = Table::<T>::read(&common::measurements(file)).unwrap();
        self.rows += table.rows.len() + table.unread.len();
        for unread in table.unread {
            *self.left_out.entry(format!("unread: {}", unread.reason)).or_default() += 1;
        }
        for row in &table.rows {
            match against(row) {
                Ok(compared) => self.compared.extend(compared),
                Err(reason) => *self.left_out.entry(reason).or_default() += 1,
            }
        }
    }

    /// The tightest ratio of each class, the rows that were left out, and what beats a bound.
    fn told(&self) -> String {
        let mut classes: BTreeMap<&str, Vec<&Comparison>> = BTreeMap::new();
        for compared in &self.compared {
            classes.entry(&compared.class).or_default().push(compared);
        }
        let mut told = format!("{} rows\n\nmeasured / bound\n", self.rows);
        writeln!(told, "{:<44} {:>6} {:>9} {:>9}  tightest row", "class", "count", "tightest", "median")
            .unwrap();
        for (class, mut compared) in classes {
            compared.sort_by(|one, other| one.ratio().total_cmp(&other.ratio()));
            let (first, middle) = (compared[0], compared[compared.len() / 2]);
            let [tightest, median] = [first.ratio(), middle.ratio()];
            writeln!(
                told,
                "{class:<44} {:>6} {tightest:>9.3} {median:>9.3}  {} ({})",
                compared.len(),
                first.id,
                first.binds
            )
            .unwrap();
        }
        told.push_str("\nleft out\n");
        for (reason, count) in &self.left_out {
            writeln!(told, "{count:>6}  {reason}").unwrap();
        }
        told
    }

    /// The report, once what beats a bound is what the committed list explains.
    fn finish(self) -> String {
        let causes = Table::<Exclusion>::read(&common::measurements("floor_causes.csv")).unwrap();
        let told = self.told();
        for line in told.lines() {
            println!("measured floor: {line}");
        }
        let beaten = self.compared.iter().filter(|compared| compared.is_violation());
        let beaten: BTreeMap<&str, String> = beaten
            .map(|compared| (compared.id.as_str(), format!("{:.3} {}", compared.ratio(), compared.class)))
            .collect();
        let explained: BTreeSet<&str> = causes.rows.iter().map(|row| row.row_id.as_str()).collect();
        let unexplained: Vec<_> = beaten.iter().filter(|(id, _)| !explained.contains(**id)).collect();
        assert!(unexplained.is_empty(), "{} rows beat their bounds: {unexplained:#?}", unexplained.len());
        let held: BTreeSet<&str> = self.compared.iter().map(|compared| compared.id.as_str()).collect();
        let stale: Vec<_> =
            explained.iter().filter(|id| held.contains(**id) && !beaten.contains_key(**id)).collect();
        assert!(stale.is_empty(), "the list explains rows that beat no bound: {stale:?}");
        told
    }
}

#[test]
fn no_collective_beats_its_bound() {
    let (floor, mut report) = (floor(), Report::default());
    report.hold("collectives.csv", |row: &CollectiveRow| floor.collective(row));
    for file in ["kernels/all_reduce.csv", "kernels/collectives.csv"] {
        report.hold(file, |row: &DomainCollectiveRow| floor.collective(&row.0));
    }
    insta::assert_snapshot!("collectives", report.finish());
}

#[test]
fn no_kernel_beats_its_bound() {
    let (floor, mut report) = (floor(), Report::default());
    let hold = |row: &KernelRow| floor.kernel(row);
    report.hold("gemm.csv", |row: &PublishedKernel| hold(&row.0));
    report.hold("kernels/gemm.csv", |row: &ProductKernel| hold(&row.0));
    report.hold("kernels/attention.csv", |row: &AttentionKernel| hold(&row.0));
    report.hold("layer_ops.csv", |row: &LayerKernel| hold(&row.0));
    insta::assert_snapshot!("kernels", report.finish());
}

#[test]
fn no_step_of_training_beats_its_bound() {
    let (mut floor, mut report) = (floor(), Report::default());
    report.hold("training.csv", |row: &TrainingRow| floor.training(row));
    insta::assert_snapshot!("training", report.finish());
}

#[test]
fn no_static_batch_beats_its_bound() {
    let (mut floor, mut report) = (floor(), Report::default());
    report.hold("serving.csv", |row: &ServingRow| floor.serving(row));
    insta::assert_snapshot!("serving", report.finish());
}

/// A benchmark that cached keys only is held against what it read, and every other against all of it.
#[test]
fn values_that_a_benchmark_never_cached_are_not_counted() {
    let header = "gpu,backend,version,kernel_source,phase,kv_cache_dtype,batch_size,seq,num_heads,num_kv_heads,head_dim,latency_us";
    let queries = 2.0 * 32.0 * 8.0 * 128.0 * 2.0;
    let token = 32.0 * 128.0 * 2.0;
    // The engine, its phase, and how many vectors of its tokens are read or written.
    let cases = [
        ("trtllm,1.0.0", "generation", 1.0, 2.0 + 16383.0),
        ("trtllm,1.2.0rc5", "generation", 1.0, 2.0 + 16383.0),
        ("trtllm,1.3.0rc20", "generation", 1.0, 2.0 * 16384.0),
        ("trtllm,1.0.0", "context", 16384.0, 2.0 * 16384.0),
        ("vllm,0.14.0", "generation", 1.0, 2.0 * 16384.0),
    ];
    for (engine, phase, new, vectors) in cases {
        let table = format!("{header}\na100_sxm,{engine},any,{phase},bfloat16,32,16384,8,1,128,200\n");
        let table = Table::<AttentionKernel>::read(&table).unwrap();
        let moved = table.rows[0].0.kernel.as_ref().unwrap().moved.base();
        assert_eq!(moved, new * queries + vectors * token, "{engine} {phase}");
    }
}
