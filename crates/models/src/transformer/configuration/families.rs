//! Which reader reads which family.

use mlsysim_scenario::Result;

use super::keys::Keys;
use super::{
    bert, chatglm, cohere, deepseek, deepseek_v4, falcon, gemma, gemma4, generic, gpt, llama, llama4,
    minimax, mixtral, nemotron_h, olmo, opt, phi, qwen, qwen_hybrid, shared_experts, starcoder, t5,
};
use crate::transformer::Transformer;

/// A reader and the families whose configurations it reads.
pub struct Family {
    /// The names that `model_type` gives them.
    pub model_types: &'static [&'static str],
    /// Reads a configuration of theirs.
    pub read: fn(&Keys) -> Result<Transformer>,
}

/// A family with its reader.
const fn family(model_types: &'static [&'static str], read: fn(&Keys) -> Result<Transformer>) -> Family {
    Family { model_types, read }
}

/// Every family that is known.
pub const FAMILIES: &[Family] = &[
    family(&["llama", "granite"], llama::llama),
    family(&["llama_params"], llama::params),
    family(&["llama4", "llama4_text"], llama4::llama4),
    family(&["mistral", "ministral"], llama::mistral),
    family(&["mistral3", "ministral3"], llama::ministral3),
    family(&["mixtral"], mixtral::mixtral),
    family(&["arcee"], llama::arcee),
    family(&["apertus"], llama::apertus),
    family(&["smollm3"], llama::smollm3),
    family(&["seed_oss"], llama::seed_oss),
    family(&["ernie4_5"], llama::ernie4_5),
    family(&["hunyuan_v1_dense"], llama::hunyuan),
    family(&["qwen2", "mimo"], qwen::qwen2),
    family(&["qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text"], qwen::qwen2_vl),
    family(&["qwen2_moe"], qwen::qwen2_moe),
    family(&["qwen3"], qwen::qwen3),
    family(&["qwen3_moe"], qwen::qwen3_moe),
    family(&["qwen3_vl", "qwen3_vl_text"], qwen::qwen3_vl),
    family(&["qwen3_vl_moe", "qwen3_vl_moe_text"], qwen::qwen3_vl_moe),
    family(&["qwen3_next"], qwen_hybrid::qwen3_next),
    family(&["qwen3_5", "qwen3_5_text"], qwen_hybrid::qwen3_5),
    family(&["qwen3_5_moe", "qwen3_5_moe_text"], qwen_hybrid::qwen3_5_moe),
    family(&["deepseek"], shared_experts::deepseek),
    family(&["deepseek_v2"], deepseek::deepseek_v2),
    family(&["deepseek_v3", "kimi_k2", "kimi_k25"], deepseek::deepseek_v3),
    family(&["deepseek_v32"], deepseek::deepseek_v32),
    family(&["deepseek_v4"], deepseek_v4::deepseek_v4),
    family(&["gpt_oss"], mixtral::gpt_oss),
    family(&["glm"], gemma::glm),
    family(&["glm4"], gemma::glm4),
    family(&["glm4_moe"], shared_experts::glm4_moe),
    family(&["glm4_moe_lite"], deepseek::glm4_moe_lite),
    family(&["glm_moe_dsa"], deepseek::glm_moe_dsa),
    family(&["minimax_m2"], minimax::minimax_m2),
    family(&["minimax_m3_vl", "minimax_m3_vl_text"], minimax::minimax_m3),
    family(&["phimoe"], mixtral::phimoe),
    family(&["olmoe"], mixtral::olmoe),
    family(&["granitemoe"], mixtral::granite),
    family(&["hunyuan_v1_moe"], mixtral::hunyuan),
    family(&["ernie4_5_moe"], shared_experts::ernie4_5_moe),
    family(&["dots1"], shared_experts::dots1),
    family(&["gemma"], gemma::gemma),
    family(&["gemma2"], gemma::gemma2),
    family(&["gemma3", "gemma3_text"], gemma::gemma3),
    family(&["gemma4", "gemma4_text"], gemma4::gemma4),
    family(&["nemotron_h"], nemotron_h::nemotron_h),
    family(&["bert", "roberta"], bert::bert),
    family(&["biogpt"], opt::biogpt),
    family(&["bloom"], falcon::bloom),
    family(&["chatglm"], chatglm::chatglm),
    family(&["cohere"], cohere::cohere),
    family(&["qwen"], chatglm::qwen),
    family(&["cohere2"], cohere::cohere2),
    family(&["exaone4"], olmo::exaone4),
    family(&["falcon", "RefinedWeb", "RefinedWebModel"], falcon::falcon),
    family(&["gpt2"], gpt::gpt2),
    family(&["gpt_bigcode"], gpt::gpt_bigcode),
    family(&["gpt_neo"], gpt::gpt_neo),
    family(&["gpt_neox"], gpt::gpt_neox),
    family(&["gptj", "codegen"], gpt::gptj),
    family(&["helium"], starcoder::helium),
    family(&["mpt"], falcon::mpt),
    family(&["mt5"], t5::mt5),
    family(&["nemotron"], starcoder::nemotron),
    family(&["olmo"], olmo::olmo),
    family(&["olmo2"], olmo::olmo2),
    family(&["olmo3"], olmo::olmo3),
    family(&["openai-gpt"], gpt::openai_gpt),
    family(&["opt"], opt::opt),
    family(&["persimmon"], phi::persimmon),
    family(&["phi"], phi::phi),
    family(&["phi3"], phi::phi3),
    family(&["stablelm"], starcoder::stablelm),
    family(&["starcoder2"], starcoder::starcoder2),
    family(&["t5"], t5::t5),
    family(&["xglm"], opt::xglm),
];

/// What reads every other one.
pub const GENERIC: Family = Family { model_types: &[], read: generic::generic };
