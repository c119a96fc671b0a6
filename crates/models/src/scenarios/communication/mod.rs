//! Scenarios of moving data: collectives, topologies and what hides or compresses traffic.

use super::scenarios;

scenarios! {
    all_reduce_schedule: AllReduceScheduleScenario;
    all_to_all_dispatch: AllToAllDispatchScenario;
    alpha_beta: AlphaBetaScenario;
    bandwidth_delay: BandwidthDelayScenario;
    compression_payback: CompressionPaybackScenario;
    compression_run: CompressionRunScenario;
    data_parallel_intensity: DataParallelIntensityScenario;
    error_feedback: ErrorFeedbackScenario;
    fat_tree: FatTreeScenario;
    hierarchical_all_reduce: HierarchicalAllReduceScenario;
    hop_path: HopPathScenario;
    incast: IncastScenario;
    link_buildout: LinkBuildoutScenario;
    message_fusion: MessageFusionScenario;
    nic_sharing: NicSharingScenario;
    overlap_budget: OverlapBudgetScenario;
    oversubscription: OversubscriptionScenario;
    ring_trace: RingTraceScenario;
    torus: TorusScenario;
    transfer: TransferScenario;
}
