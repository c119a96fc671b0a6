//! The Rust examples of the manual, run as documentation tests.
//!
//! Written by `cargo xtask docs`.

#[doc = include_str!("../../../README.md")]
mod readme {}

#[doc = include_str!("../../../docs/src/reference/communication/AllReduceScheduleScenario.md")]
mod reference_communication_all_reduce_schedule_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/AllToAllDispatchScenario.md")]
mod reference_communication_all_to_all_dispatch_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/AlphaBetaScenario.md")]
mod reference_communication_alpha_beta_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/BandwidthDelayScenario.md")]
mod reference_communication_bandwidth_delay_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/CompressionPaybackScenario.md")]
mod reference_communication_compression_payback_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/CompressionRunScenario.md")]
mod reference_communication_compression_run_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/DataParallelIntensityScenario.md")]
mod reference_communication_data_parallel_intensity_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/ErrorFeedbackScenario.md")]
mod reference_communication_error_feedback_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/FatTreeScenario.md")]
mod reference_communication_fat_tree_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/HierarchicalAllReduceScenario.md")]
mod reference_communication_hierarchical_all_reduce_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/HopPathScenario.md")]
mod reference_communication_hop_path_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/IncastScenario.md")]
mod reference_communication_incast_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/LinkBuildoutScenario.md")]
mod reference_communication_link_buildout_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/MessageFusionScenario.md")]
mod reference_communication_message_fusion_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/NicSharingScenario.md")]
mod reference_communication_nic_sharing_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/OverlapBudgetScenario.md")]
mod reference_communication_overlap_budget_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/OversubscriptionScenario.md")]
mod reference_communication_oversubscription_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/RingTraceScenario.md")]
mod reference_communication_ring_trace_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/TorusScenario.md")]
mod reference_communication_torus_scenario {}

#[doc = include_str!("../../../docs/src/reference/communication/TransferScenario.md")]
mod reference_communication_transfer_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/ContextGrowthScenario.md")]
mod reference_memory_kv_context_growth_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/ContextMemoryCrossingScenario.md")]
mod reference_memory_kv_context_memory_crossing_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/KvAdmissionScenario.md")]
mod reference_memory_kv_kv_admission_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/KvAttentionDesignScenario.md")]
mod reference_memory_kv_kv_attention_design_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/KvBlockSharingScenario.md")]
mod reference_memory_kv_kv_block_sharing_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/KvFootprintScenario.md")]
mod reference_memory_kv_kv_footprint_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/KvForkCopyScenario.md")]
mod reference_memory_kv_kv_fork_copy_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/KvResidencyArchetypeScenario.md")]
mod reference_memory_kv_kv_residency_archetype_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/PagedAllocationScenario.md")]
mod reference_memory_kv_paged_allocation_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/PausedKvStateScenario.md")]
mod reference_memory_kv_paused_kv_state_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/PrecisionDividendScenario.md")]
mod reference_memory_kv_precision_dividend_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/PrefixRebuildScenario.md")]
mod reference_memory_kv_prefix_rebuild_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/PrefixSharingScenario.md")]
mod reference_memory_kv_prefix_sharing_scenario {}

#[doc = include_str!("../../../docs/src/reference/memory_kv/RequestZonesScenario.md")]
mod reference_memory_kv_request_zones_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/BatchCapChoiceScenario.md")]
mod reference_serving_batch_cap_choice_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/BatchDispatchScenario.md")]
mod reference_serving_batch_dispatch_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/BatchEnergyPerImageScenario.md")]
mod reference_serving_batch_energy_per_image_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/BatchServingCostScenario.md")]
mod reference_serving_batch_serving_cost_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/BatchWindowScenario.md")]
mod reference_serving_batch_window_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/BatchingKneeScenario.md")]
mod reference_serving_batching_knee_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/ChunkedPrefillScenario.md")]
mod reference_serving_chunked_prefill_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/ColdStartScenario.md")]
mod reference_serving_cold_start_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/DecodeScenario.md")]
mod reference_serving_decode_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/DecodeBudgetScenario.md")]
mod reference_serving_decode_budget_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/ExpertWeightTrafficScenario.md")]
mod reference_serving_expert_weight_traffic_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/FixedBatchScheduleScenario.md")]
mod reference_serving_fixed_batch_schedule_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/KvDecodeBatchScenario.md")]
mod reference_serving_kv_decode_batch_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/LittlesLawScenario.md")]
mod reference_serving_littles_law_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/MM1CapacityPlanScenario.md")]
mod reference_serving_mm1capacity_plan_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/MM1ServiceSpeedupScenario.md")]
mod reference_serving_mm1service_speedup_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/NoisyNeighborScenario.md")]
mod reference_serving_noisy_neighbor_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/PrecomputeVersusOnDemandScenario.md")]
mod reference_serving_precompute_versus_on_demand_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/ReasoningLatencyScenario.md")]
mod reference_serving_reasoning_latency_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/ReplicaStartupScenario.md")]
mod reference_serving_replica_startup_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/ServingScenario.md")]
mod reference_serving_serving_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/ServingCostScenario.md")]
mod reference_serving_serving_cost_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/ServingInstanceCostScenario.md")]
mod reference_serving_serving_instance_cost_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/ServingTaxScenario.md")]
mod reference_serving_serving_tax_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/SingleAcceleratorLlmServiceScenario.md")]
mod reference_serving_single_accelerator_llm_service_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/SpeculativeRoundScenario.md")]
mod reference_serving_speculative_round_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/TailEventRateScenario.md")]
mod reference_serving_tail_event_rate_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/TensorParallelSpeedupScenario.md")]
mod reference_serving_tensor_parallel_speedup_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/TokenEnergyScenario.md")]
mod reference_serving_token_energy_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/TrafficSurgeScenario.md")]
mod reference_serving_traffic_surge_scenario {}

#[doc = include_str!("../../../docs/src/reference/serving/WeightedRoutingScenario.md")]
mod reference_serving_weighted_routing_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/ActivationMemoryScenario.md")]
mod reference_training_activation_memory_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/AlignmentMemoryScenario.md")]
mod reference_training_alignment_memory_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/AllocationGrowthScenario.md")]
mod reference_training_allocation_growth_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/ClusterTrainingTimeScenario.md")]
mod reference_training_cluster_training_time_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/DataParallelScaleOutScenario.md")]
mod reference_training_data_parallel_scale_out_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/FleetMfuScenario.md")]
mod reference_training_fleet_mfu_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/GradientSyncScenario.md")]
mod reference_training_gradient_sync_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/LowRankUpdateScenario.md")]
mod reference_training_low_rank_update_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/MlpTrainingStepScenario.md")]
mod reference_training_mlp_training_step_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/ParallelLayoutScenario.md")]
mod reference_training_parallel_layout_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/PipelineScheduleScenario.md")]
mod reference_training_pipeline_schedule_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/PowerLawScenario.md")]
mod reference_training_power_law_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/PublishedRunScenario.md")]
mod reference_training_published_run_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/ResidualAdapterScenario.md")]
mod reference_training_residual_adapter_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/ResidualShareScenario.md")]
mod reference_training_residual_share_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/RingAttentionScenario.md")]
mod reference_training_ring_attention_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/ScalingOverheadScenario.md")]
mod reference_training_scaling_overhead_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/SelfContainedReplicaScenario.md")]
mod reference_training_self_contained_replica_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/SequencePackingScenario.md")]
mod reference_training_sequence_packing_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/StrongScalingPairScenario.md")]
mod reference_training_strong_scaling_pair_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/SyncStrategyScenario.md")]
mod reference_training_sync_strategy_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/TensorParallelScenario.md")]
mod reference_training_tensor_parallel_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/TensorParallelLayerScenario.md")]
mod reference_training_tensor_parallel_layer_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/TrainingRunScenario.md")]
mod reference_training_training_run_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/TrainingStateScenario.md")]
mod reference_training_training_state_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/TrainingStateFitScenario.md")]
mod reference_training_training_state_fit_scenario {}

#[doc = include_str!("../../../docs/src/reference/training/ZeroShardingScenario.md")]
mod reference_training_zero_sharding_scenario {}
