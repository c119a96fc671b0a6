//! Scenarios of training a model: splitting it, synchronising it and what a run costs.

use super::scenarios;

scenarios! {
    activation_memory: ActivationMemoryScenario;
    alignment_memory: AlignmentMemoryScenario;
    allocation_growth: AllocationGrowthScenario;
    cluster_training_time: ClusterTrainingTimeScenario;
    data_parallel_scale_out: DataParallelScaleOutScenario;
    fleet_mfu: FleetMfuScenario;
    gradient_sync: GradientSyncScenario;
    low_rank_update: LowRankUpdateScenario;
    mlp_training_step: MlpTrainingStepScenario;
    parallel_layout: ParallelLayoutScenario;
    pipeline_schedule: PipelineScheduleScenario;
    power_law: PowerLawScenario;
    published_run: PublishedRunScenario;
    residual_adapter: ResidualAdapterScenario;
    residual_share: ResidualShareScenario;
    ring_attention: RingAttentionScenario;
    scaling_overhead: ScalingOverheadScenario;
    self_contained_replica: SelfContainedReplicaScenario;
    sequence_packing: SequencePackingScenario;
    strong_scaling_pair: StrongScalingPairScenario;
    sync_strategy: SyncStrategyScenario;
    tensor_parallel: TensorParallelScenario;
    tensor_parallel_layer: TensorParallelLayerScenario;
    training_run: TrainingRunScenario;
    training_state: TrainingStateScenario;
    training_state_fit: TrainingStateFitScenario;
    zero_sharding: ZeroShardingScenario;
}
