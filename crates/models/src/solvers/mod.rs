//! Models of several steps that scenarios share, under the names of the Python reference.

mod alignment_memory;
mod all_reduce_algorithm;
mod all_to_all_dispatch;
mod alpha_beta;
mod bisection;
mod chunked_prefill;
mod communication_intensity;
mod compression_run;
mod data_parallel_scale_out;
mod decode_bound;
mod error_feedback;
mod gradient_sync;
mod hierarchical_all_reduce;
mod incast;
mod kv_admission;
mod kv_attention_design;
mod kv_block_sharing;
mod kv_residency_archetype;
mod overlap_budget;
mod paged_allocation;
mod parallel_layout;
mod paused_kv_state;
mod precision_dividend;
mod prefix_rebuild;
mod ring_trace;
mod sequence_packing;
mod serving;
mod tensor_parallel_comm;
mod tensor_parallel_layer;
mod training_run;
mod training_state;
mod transfer_ladder;
mod zero_sharding;

use mlsysim_scenario::{Define, Description};

pub use alignment_memory::{AlignmentMemoryModel, AlignmentMemoryResult};
pub use all_reduce_algorithm::{AllReduceAlgorithmModel, AllReduceAlgorithmResult};
pub use all_to_all_dispatch::{AllToAllDispatchModel, AllToAllDispatchResult};
pub use alpha_beta::{AlphaBetaModel, AlphaBetaResult};
pub use bisection::{BisectionModel, BisectionResult};
pub use chunked_prefill::{ChunkedPrefillModel, ChunkedPrefillResult};
pub use communication_intensity::{CommunicationIntensityModel, CommunicationIntensityResult};
pub use compression_run::{CompressionRunModel, CompressionRunResult};
pub use data_parallel_scale_out::{DataParallelScaleOutModel, DataParallelScaleOutResult};
pub use decode_bound::{DecodeBoundModel, DecodeBoundResult};
pub use error_feedback::{ErrorFeedbackModel, ErrorFeedbackResult};
pub use gradient_sync::{GradientSyncModel, GradientSyncResult};
pub use hierarchical_all_reduce::{HierarchicalAllReduceModel, HierarchicalAllReduceResult};
pub use incast::{IncastModel, IncastResult};
pub use kv_admission::{KvAdmissionModel, KvAdmissionResult};
pub use kv_attention_design::{KvAttentionDesignModel, KvAttentionDesignResult};
pub use kv_block_sharing::{KvBlockSharingModel, KvBlockSharingResult};
pub use kv_residency_archetype::{KvResidencyArchetypeModel, KvResidencyArchetypeResult};
pub use overlap_budget::{OverlapBudgetModel, OverlapBudgetResult};
pub use paged_allocation::{PagedAllocationModel, PagedAllocationResult};
pub use parallel_layout::{ParallelLayoutModel, ParallelLayoutResult};
pub use paused_kv_state::{PausedKvStateModel, PausedKvStateResult};
pub use precision_dividend::{PrecisionDividendModel, PrecisionDividendResult};
pub use prefix_rebuild::{PrefixRebuildModel, PrefixRebuildResult};
pub use ring_trace::{RingTraceModel, RingTraceResult};
pub use sequence_packing::{SequencePackingModel, SequencePackingResult};
pub use serving::{ServingModel, ServingResult};
pub use tensor_parallel_comm::{TensorParallelCommModel, TensorParallelCommResult};
pub use tensor_parallel_layer::{TensorParallelLayerModel, TensorParallelLayerResult};
pub use training_run::{TrainingRunModel, TrainingRunResult};
pub use training_state::{TrainingStateModel, TrainingStateResult};
pub use transfer_ladder::{TransferLadderModel, TransferLadderResult};
pub use zero_sharding::{ZeroShardingModel, ZeroShardingResult};

/// Every solver, each once.
pub(crate) const ALL: &[fn() -> &'static Description] = &[
    AlignmentMemoryModel::describe,
    AllReduceAlgorithmModel::describe,
    AllToAllDispatchModel::describe,
    AlphaBetaModel::describe,
    BisectionModel::describe,
    ChunkedPrefillModel::describe,
    CommunicationIntensityModel::describe,
    CompressionRunModel::describe,
    DataParallelScaleOutModel::describe,
    DecodeBoundModel::describe,
    ErrorFeedbackModel::describe,
    GradientSyncModel::describe,
    HierarchicalAllReduceModel::describe,
    IncastModel::describe,
    KvAdmissionModel::describe,
    KvAttentionDesignModel::describe,
    KvBlockSharingModel::describe,
    KvResidencyArchetypeModel::describe,
    OverlapBudgetModel::describe,
    PagedAllocationModel::describe,
    ParallelLayoutModel::describe,
    PausedKvStateModel::describe,
    PrecisionDividendModel::describe,
    PrefixRebuildModel::describe,
    RingTraceModel::describe,
    SequencePackingModel::describe,
    ServingModel::describe,
    TensorParallelCommModel::describe,
    TensorParallelLayerModel::describe,
    TrainingRunModel::describe,
    TrainingStateModel::describe,
    TransferLadderModel::describe,
    ZeroShardingModel::describe,
];
