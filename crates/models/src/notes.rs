//! Remarks that several definitions make.

use mlsysim_quantity::Bytes;
use mlsysim_registry::{HardwareNode, Workload};

use crate::transformer::{Accounting, Division, Layout, MemoryPolicy, Step, Transformer};

/// What the layers of `model` keep for the backward pass by its own configuration, as `policy` says;
/// nothing where none is published.
pub(crate) fn layers_keep(
    model: &Workload,
    micro_batch: u64,
    sequence: u64,
    policy: &MemoryPolicy,
) -> Option<Bytes> {
    let (model, layout) = (Transformer::of(model).ok()?, Layout::whole());
    let step = Step { micro_batch, ..Step::training(micro_batch, sequence) };
    let division = Division::new(&model, &layout).ok()?;
    let accounting = Accounting::new(&division, &step).ok()?;
    let account = accounting.account(0).ok()?;
    Some(accounting.memory(&account, policy).ok()?.activations)
}

/// The remark on an equation that counts all parameters of a mixture of experts.
pub(crate) fn counts_every_expert(model: &Workload) -> Option<String> {
    let (active, all) = (model.active_parameters?, model.parameters?);
    Some(format!(
        "{} is a mixture of experts: this counts all of its {} billion parameters, {:.3} times the {} billion that a token passes",
        model.name,
        all.base() / 1e9,
        all / active,
        active.base() / 1e9
    ))
}

/// The remark on arithmetic that counts the active parameters of a mixture of experts.
pub(crate) fn counts_active_experts(model: &Workload) -> Option<String> {
    let active = model.active_parameters?;
    Some(format!(
        "{} is a mixture of experts: its arithmetic is that of the {} billion active parameters",
        model.name,
        active.base() / 1e9
    ))
}

/// The remark on a split in which each KV head is held by several devices.
pub(crate) fn replicates_kv_heads(model: &Workload, tp_size: u64) -> Option<String> {
    let heads = model.cached_heads().filter(|heads| *heads < tp_size)?;
    Some(format!(
        "{} has {heads} KV heads for {tp_size} devices: each is replicated on {} of them, work that the ideal split does not count",
        model.name,
        tp_size / heads
    ))
}

/// The remark on a peak rate that is stated for another format, as wide as `precision`.
pub(crate) fn peak_stands_in(device: &HardwareNode, precision: &str) -> Option<String> {
    let (key, _) = device.compute.key(precision).filter(|(key, _)| ***key != *precision)?;
    Some(format!(
        "{} states no peak for `{precision}`; that for `{key}`, as wide a format, stands in",
        device.name
    ))
}
