//! Scenarios of serving a model: prefill, decode, batching and what they cost.

use super::scenarios;

scenarios! {
    batch_cap_choice: BatchCapChoiceScenario;
    batch_dispatch: BatchDispatchScenario;
    batch_energy_per_image: BatchEnergyPerImageScenario;
    batch_serving_cost: BatchServingCostScenario;
    batch_window: BatchWindowScenario;
    batching_knee: BatchingKneeScenario;
    chunked_prefill: ChunkedPrefillScenario;
    cold_start: ColdStartScenario;
    decode: DecodeScenario;
    decode_budget: DecodeBudgetScenario;
    expert_weight_traffic: ExpertWeightTrafficScenario;
    fixed_batch_schedule: FixedBatchScheduleScenario;
    kv_decode_batch: KvDecodeBatchScenario;
    littles_law: LittlesLawScenario;
    mm1_capacity_plan: MM1CapacityPlanScenario;
    mm1_service_speedup: MM1ServiceSpeedupScenario;
    noisy_neighbor: NoisyNeighborScenario;
    precompute_versus_on_demand: PrecomputeVersusOnDemandScenario;
    reasoning_latency: ReasoningLatencyScenario;
    replica_startup: ReplicaStartupScenario;
    serving: ServingScenario;
    serving_cost: ServingCostScenario;
    serving_instance_cost: ServingInstanceCostScenario;
    serving_tax: ServingTaxScenario;
    single_accelerator_llm_service: SingleAcceleratorLlmServiceScenario;
    speculative_round: SpeculativeRoundScenario;
    tail_event_rate: TailEventRateScenario;
    tensor_parallel_speedup: TensorParallelSpeedupScenario;
    token_energy: TokenEnergyScenario;
    traffic_surge: TrafficSurgeScenario;
    weighted_routing: WeightedRoutingScenario;
}
