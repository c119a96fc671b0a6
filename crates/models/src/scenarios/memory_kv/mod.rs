//! Scenarios of the KV cache: how large it is, how it is paged and what sharing saves.

use super::scenarios;

scenarios! {
    context_growth: ContextGrowthScenario;
    context_memory_crossing: ContextMemoryCrossingScenario;
    kv_admission: KvAdmissionScenario;
    kv_attention_design: KvAttentionDesignScenario;
    kv_block_sharing: KvBlockSharingScenario;
    kv_footprint: KvFootprintScenario;
    kv_fork_copy: KvForkCopyScenario;
    kv_residency_archetype: KvResidencyArchetypeScenario;
    paged_allocation: PagedAllocationScenario;
    paused_kv_state: PausedKvStateScenario;
    precision_dividend: PrecisionDividendScenario;
    prefix_rebuild: PrefixRebuildScenario;
    prefix_sharing: PrefixSharingScenario;
    request_zones: RequestZonesScenario;
}
