//! `CollectiveRow`: a published time of a collective, and the group and the payload that it states.

use mlsysim_quantity::Bytes;

use super::table::{Cells, Measured, Reason};
use super::{Placed, Provenance};
use crate::machine::{Collective, Machine, Reach};

/// A published time of a collective, in a table of `collectives.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveRow {
    /// The name of the row.
    pub id: String,
    /// Where it comes from, as a key.
    pub source: String,
    /// What the ranks do, as printed.
    pub operation: String,
    /// The devices.
    pub placed: Placed,
    /// How many ranks there are.
    pub ranks: u64,
    /// The payload: as nccl-tests count it, the buffer of an all-reduce and the whole of the others.
    pub payload: Option<f64>,
    /// The time, in µs.
    pub time_us: Option<f64>,
    /// The payload of a second, in GB.
    pub algorithm_gbps: Option<f64>,
    /// The same times what nccl-tests multiply it with, in GB.
    pub bus_gbps: Option<f64>,
    /// Whether the switches were told not to add up.
    pub without_switch: bool,
    /// Where it comes from.
    pub from: Provenance,
}

impl Measured for CollectiveRow {
    #[rustfmt::skip]
    const COLUMNS: &'static [&'static str] = &[
        "row_id", "source_id", "op", "gpu", "gpus_per_node", "interconnect", "n_gpus", "message_bytes",
        "time_us", "algbw_GBps", "busbw_GBps",
    ];

    fn read(cells: &Cells) -> Result<Self, Reason> {
        Ok(CollectiveRow {
            id: cells.needed("row_id")?.to_string(),
            source: cells.string("source_id"),
            operation: cells.needed("op")?.to_string(),
            placed: Placed::read(cells)?,
            ranks: cells.needed_count("n_gpus")?,
            payload: cells.number("message_bytes")?,
            time_us: cells.number("time_us")?,
            algorithm_gbps: cells.number("algbw_GBps")?,
            bus_gbps: cells.number("busbw_GBps")?,
            without_switch: cells
                .text("algo")
                .is_some_and(|algorithm| algorithm.contains("disabled") || algorithm.starts_with("Ring")),
            from: Provenance::published(cells),
        })
    }

    fn id(&self) -> &str {
        &self.id
    }
}

impl CollectiveRow {
    /// What the ranks do.
    ///
    /// # Errors
    ///
    /// It is not modelled.
    pub fn collective(&self) -> Result<Collective, Reason> {
        match self.operation.as_str() {
            "all_reduce" => Ok(Collective::AllReduce),
            "all_gather" => Ok(Collective::AllGather),
            "reduce_scatter" => Ok(Collective::ReduceScatter),
            "all_to_all" | "alltoall" => Ok(Collective::AllToAll),
            "send_recv" => Ok(Collective::SendReceive),
            other => Err(format!("operation `{other}` not modelled")),
        }
    }

    /// The payload and the seconds that it took.
    ///
    /// A row without a size states a rate: its payload is what a second carries.
    ///
    /// # Errors
    ///
    /// Neither a time nor a rate is published.
    pub fn payload_and_seconds(&self) -> Result<(Bytes, f64), Reason> {
        let ranks = self.ranks as f64;
        let bus = match self.operation.as_str() {
            "all_reduce" => 2.0 * (ranks - 1.0) / ranks,
            "send_recv" => 1.0,
            _ => (ranks - 1.0) / ranks,
        };
        let rate = self.algorithm_gbps.or(self.bus_gbps.map(|gbps| gbps / bus)).map(|gbps| gbps * 1e9);
        match (self.payload, self.time_us, rate) {
            (Some(payload), Some(time), _) if time > 0.0 => Ok((Bytes::from_base(payload), time / 1e6)),
            (Some(payload), None, Some(rate)) if rate > 0.0 => {
                Ok((Bytes::from_base(payload), payload / rate))
            }
            (None, _, Some(rate)) if rate > 0.0 => Ok((Bytes::from_base(rate), 1.0)),
            _ => Err("neither time nor rate published".to_string()),
        }
    }

    /// How the ranks lie over the domains of `machine`.
    pub fn reach(&self, machine: &Machine) -> Reach {
        // Ranks on servers of fewer than a domain's devices, as a test places them, share a domain
        // where the server is a part of one.
        let placed = self.placed.gpus_per_node.filter(|_| machine.domains > 1 || machine.network.is_some());
        let together = placed.map_or(machine.domain, |each| each.max(machine.domain.min(self.ranks)));
        let per_domain = together.min(machine.domain).min(self.ranks).max(1);
        Reach::even(self.ranks, per_domain)
    }
}

/// A published time of a collective within a domain, in a table of `kernels/`.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainCollectiveRow(pub CollectiveRow);

impl Measured for DomainCollectiveRow {
    const COLUMNS: &'static [&'static str] = &["gpu", "backend", "dtype", "num_gpus", "bytes", "latency_us"];

    fn read(cells: &Cells) -> Result<Self, Reason> {
        // A table of all-reduces has no column for what is done.
        let operation = cells.text("op_name").unwrap_or("all_reduce").to_string();
        Ok(DomainCollectiveRow(CollectiveRow {
            id: format!("k-{operation}-{}", cells.line()),
            source: cells.text("kernel_source").unwrap_or("NCCL").to_string(),
            operation,
            placed: Placed {
                gpu: cells.needed("gpu")?.to_string(),
                interconnect: String::new(),
                gpus_per_node: None,
            },
            ranks: cells.needed_count("num_gpus")?,
            payload: cells.number("bytes")?,
            time_us: cells.number("latency_us")?,
            algorithm_gbps: None,
            bus_gbps: None,
            without_switch: false,
            from: Provenance::tabled(cells, &["gpu", "op_name", "kernel_source", "backend"]),
        }))
    }

    fn id(&self) -> &str {
        &self.0.id
    }
}
