// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "core/divide.h"
#include "core/json_path.h"
#include "core/units.h"
#include "estimate/exposed_exchange.h"
#include "estimate/resolve.h"
#include "estimate/training_keys.h"
#include "exchange/arguments.h"
#include "exchange/megatron/megatron.h"
#include "exchange/megatron/names.h"
#include "exchange/tools/tool.h"
#include "exchange/trainer/facts.h"
#include "parallel/stages.h"
#include "parallel/strategy_keys.h"

namespace orrery::megatron {
namespace {

// Bytes of Adam's states in the precision-aware optimizer: the fp32 weights, or what 16 bits of
// weights lack of them, and both moments. Where sums agree the first stands.
struct AdamWidths {
  double master, first, second;
};
constexpr std::array kAdamWidths = {AdamWidths{4, 4, 4}, AdamWidths{2, 4, 4}, AdamWidths{4, 4, 1},
                                    AdamWidths{4, 2, 2}, AdamWidths{4, 2, 1}, AdamWidths{2, 2, 2},
                                    AdamWidths{2, 2, 1}, AdamWidths{2, 1, 1}};

const AdamWidths* widths_of(const StateRecipe& r, bool remainders) {
  const bool kept = r.gradients == 2 || r.gradients == 4;
  if (!kept || r.weights != 2 || r.reduced != r.gradients || r.gathered != 2) return nullptr;
  const auto* found =
      std::find_if(kAdamWidths.begin(), kAdamWidths.end(), [&](const AdamWidths& w) {
        return w.master + w.first + w.second == r.optimizer && (remainders || w.master == 4);
      });
  return found == kAdamWidths.end() ? nullptr : found;
}

std::string type_of(double bytes) { return bytes == 2 ? "bf16" : "fp8"; }

// Python's int() refuses "500000.0".
std::string text_of_value(const Json& value) {
  const bool whole = value.is_number_float() && std::abs(value.get<double>()) < 1e15 &&
                     value.get<double>() == std::floor(value.get<double>());
  return whole ? std::to_string(static_cast<std::int64_t>(value.get<double>())) : bare_text(value);
}

class MegatronExport {
 public:
  MegatronExport(const ResolvedRun& r, const tools::Tool& tool)
      : r_(r), tool_(tool), in_(*r.inputs) {}

  ArgumentLines arguments() {
    model();
    experts_and_latent();
    training();
    parallel();
    recompute();
    return lines_;
  }

  // torchrun needs nodes of equal size; other numbers of GPUs are written as WORLD_SIZE.
  std::string launch() const {
    const std::int64_t gpus = r_.run.cluster.gpus;
    const std::int64_t nodes = system_count(r_.run.cluster);
    if (gpus % nodes != 0) {
      return "export WORLD_SIZE=" + std::to_string(gpus) + "\npython pretrain_gpt.py";
    }
    return "torchrun --nproc-per-node " + std::to_string(gpus / nodes) + " --nnodes " +
           std::to_string(nodes) + " pretrain_gpt.py";
  }

 private:
  const Json& at(std::string_view path) const { return value_at(in_, path); }
  const Strategy& s() const { return r_.run.strategy; }

  // The settings that a rule reads as they are.
  void rows(const char* about) {
    for (const tools::Assignment* a : tool_.rows_of(about)) {
      const auto id = trainer::find_fact(a->fact);
      const Json& value = at(id ? trainer::name_of(*id) : a->fact);
      const std::string name = tools::alternatives_in(a->setting).front();
      if (value.is_null()) continue;
      if (!is_flag(tool_, name)) {
        lines_.add(name, text_of_value(value));
      } else if (value == is_there(*a)) {
        lines_.add(name);
      }
    }
  }

  // The value of a flag that is there.
  static Json is_there(const tools::Assignment& a) {
    for (const auto& [theirs, ours] : a.words) {
      if (theirs == "true") return ours;
    }
    return true;
  }

  void model() {
    lines_.start();
    rows("dimensions");
    const Architecture& a = r_.run.model;
    const bool latent = a.attention == AttentionKind::kLatent;
    if (a.kv_heads != a.heads && !latent) {
      lines_.add("group_query_attention");
      lines_.add("num_query_groups", std::to_string(a.kv_heads));
    }
    const std::string act(hidden_act_name(a));
    if (act == "swiglu") lines_.add("swiglu");
    if (act == "relu2") lines_.add("squared_relu");
    lines_.add("normalization", a.norm == Norm::kRmsNorm ? "RMSNorm" : "LayerNorm");
    positions(a.positions);
    if (!a.attention_out_bias) lines_.add("disable_bias_linear");
    if (!a.attention_out_bias && a.qkv_bias) lines_.add("add_qkv_bias");
    window(a);
    lines_.add("attention_dropout", a.dropout ? "0.1" : "0");
    lines_.add("hidden_dropout", a.dropout ? "0.1" : "0");
  }

  // The tokens before each, without itself.
  void window(const Architecture& a) {
    if (a.sliding_window == 0) return;
    lines_.add("window_size", std::to_string(a.sliding_window - 1) + ",0");
    if (a.sliding_window_pattern > 0)
      lines_.add("window_attn_skip_freq", std::to_string(a.sliding_window_pattern));
  }

  // Relative ones have no words.
  void positions(PositionEmbedding p) {
    const char* name = "position_embedding_type";
    if (p == PositionEmbedding::kNone) return lines_.add(name, "none");
    if (p == PositionEmbedding::kAlibi) return;
    lines_.add(name, p == PositionEmbedding::kRope ? "rope" : "learned_absolute");
  }

  void experts_and_latent() {
    const Architecture& a = r_.run.model;
    if (a.attention == AttentionKind::kLatent) {
      lines_.start();
      lines_.add("multi_latent_attention");
      lines_.add("qk_layernorm");  // the norms of the latent vectors
      rows("latent attention");
    }
    if (!is_moe(a)) return;
    lines_.start();
    rows("experts");
    if (a.moe.capacity_factor > 0 && a.moe.pads_to_capacity) {
      lines_.add("moe_pad_expert_input_to_capacity");
    }
    // The bias is refused beside any other.
    if (at("model.router_correction_bias") == true) {
      lines_.add("moe_router_score_function", "sigmoid");
    }
    const std::int64_t dense = a.moe.first_k_dense;
    lines_.add("moe_layer_freq", dense == 0 ? std::to_string(a.moe.layer_freq)
                                            : "\"([0]*" + std::to_string(dense) + "+[1]*" +
                                                  std::to_string(a.layers - dense) + ")\"");
    dispatcher();
    // Without it the experts of a rank run one by one.
    lines_.add("moe_grouped_gemm");
  }

  // Megatron-LM's default gathers all tokens; a profile without the option sends all to all.
  // Core 0.12 to 0.15 assert --moe-enable-deepep beside flex.
  void dispatcher() {
    const Json& given = at("parallel.framework_options.dispatcher");
    const bool stated = given.is_string();
    if (!stated && s().ep == 1) return;
    const std::string name = stated ? given.get<std::string>() : std::string(kDispatchers[0]);
    const bool flex = name == kDispatchers[1];
    if (flex && s().ep * s().etp == 1) return;
    lines_.add("moe_token_dispatcher_type", name);
    if (flex) lines_.add("moe_enable_deepep");
  }

  void training() {
    lines_.start();
    rows("batches");
    const Training& t = r_.run.training;
    if (t.tokens > 0 && t.tokens % t.sequence == 0) {
      lines_.add("train_samples", std::to_string(t.tokens / t.sequence));
    }
    precision(t.precision);
    states();
    lines_.add("attention_backend", t.fused_attention ? "auto" : "unfused");
  }

  void precision(Precision p) {
    if (p == Precision::fp32 || p == Precision::tf32) return;
    lines_.add(p == Precision::fp16 ? "fp16" : "bf16");
    if (p == Precision::fp8 || p == Precision::mxfp8) lines_.add("fp8_format", "hybrid");
    if (p == Precision::mxfp8) lines_.add("fp8_recipe", "mxfp8");
    if (p == Precision::nvfp4) lines_.add("fp4_format", "e2m1");
  }

  bool has_muon() const { return at(key_path<&TrainingRequest::optimizer>) == "muon"; }

  // Muon's states are whole layers', which dist_muon spreads over the replicas.
  void optimizer() {
    const Json& name = at(key_path<&TrainingRequest::optimizer>);
    if (has_muon()) return lines_.add("optimizer", s().zero > 0 ? "dist_muon" : "muon");
    if (name == "sgd" || name == "lion") lines_.add("optimizer", name.get<std::string>());
  }

  void states() {
    optimizer();
    const std::string& name = r_.states_name;
    if (name == kFp32Gradients && r_.run.training.precision == Precision::fp16) {
      lines_.add("accumulate_allreduce_grads_in_fp32");
    }
    if (s().zero == 0 || has_muon()) return;
    if (offloads()) lines_.add("use_precision_aware_optimizer");
    if (at(key_path<&TrainingRequest::optimizer>) == "adam") adam_states();
  }

  // Adam's states by their widths. Recipes of other names share sums with these, not optimizers.
  void adam_states() {
    const std::string& name = r_.states_name;
    if (!name.empty() && name != "bf16-moments" && name != "adam-mixed-16") return;
    const StateRecipe& r = r_.run.training.recipe;
    const AdamWidths* widths = widths_of(r, keeps_remainders());
    const bool narrow = r.gradients == 2;
    if (widths == nullptr || (!narrow && r.optimizer == 12)) return;
    if (!offloads()) {
      lines_.add("use_precision_aware_optimizer");
      if (widths->master == 4) lines_.add("no_store_param_remainders");
    }
    if (narrow) lines_.add("main_grads_dtype", "bf16");
    if (widths->first < 4) lines_.add("exp_avg_dtype", type_of(widths->first));
    if (widths->second < 4) lines_.add("exp_avg_sq_dtype", type_of(widths->second));
  }

  // Where the precision-aware optimizer may keep 16 bits beside the weights (training_hooks.cpp).
  bool keeps_remainders() const {
    const Precision p = r_.run.training.precision;
    return !offloads() && (p == Precision::bf16 || p == Precision::fp8);
  }

  void parallel() {
    lines_.start();
    for (const char* about : {"degrees", "tensor ranks of experts", "sequence parallelism"})
      rows(about);
    if (s().cp > 1) {
      lines_.add("cp_comm_type", std::string(kContextTypes[static_cast<std::size_t>(s().cp_type)]));
    }
    pipeline();
    lines_.start();
    if (s().zero > 0 && !has_muon()) lines_.add("use_distributed_optimizer");
    if (s().zero > 1 && !has_muon()) {
      lines_.add("use_megatron_fsdp");
      lines_.add("data_parallel_sharding_strategy",
                 std::string(kSharding[static_cast<std::size_t>(s().zero)]));
    }
    overlap();
    if (at(key_path<&StrategyRequest::order>) == "tp-cp-ep-pp-dp")
      lines_.add("use_tp_pp_dp_mapping");
    if (offloads()) {
      lines_.add("optimizer_cpu_offload");
      lines_.add("optimizer_offload_fraction", shortest(s().offload.optimizer_fraction));
    }
  }

  bool offloads() const { return kOffloadPlaces[s().offload.optimizer].host_memory; }

  // Megatron-LM asserts that each stands beside the others named here.
  void overlap() {
    const Framework& f = r_.run.framework;
    if (f.overlap.grad_reduce) lines_.add("overlap_grad_reduce");
    if (f.overlap.grad_reduce && f.overlap.param_gather && s().zero > 0 && !has_muon()) {
      lines_.add("overlap_param_gather");
    }
    const bool asked = at("parallel.framework_options.tp_comm_overlap") == "true";
    if (asked && s().tp > 1 && s().sequence_parallel) lines_.add("tp_comm_overlap");
    if (at("parallel.framework_options.gradient_accumulation_fusion") == "false")
      lines_.add("no_gradient_accumulation_fusion");
    const bool hides = f.overlap.ep_exposed_interleaved < f.overlap.ep_exposed;
    if (hides && hides_experts(r_.run)) lines_.add("overlap_moe_expert_parallel_comm");
  }

  void pipeline() {
    const bool interleaved = s().schedule == ScheduleId::interleaved;
    if (interleaved) lines_.add("num_virtual_stages_per_pipeline_rank", std::to_string(s().vpp));
    const std::int64_t chunks = s().pp * s().vpp;
    const bool even = !s().listed_stages && s().layer_split == LayerSplit::even;
    if (s().pp == 1 || (even && r_.run.model.layers % chunks == 0)) return;
    lines_.add("pipeline_model_parallel_layout", "\"" + layout(chunks) + "\"");
  }

  std::string layout(std::int64_t chunks) const {
    std::string text = "E";
    for (std::int64_t i = 0; i < chunks; ++i) {
      const LayerRange range = layers_of(s(), r_.run.model, i);
      const std::int64_t n = range.end - range.first;
      if (i > 0) text += "|";
      if (n > 0) text += n == 1 ? "t" : "t*" + std::to_string(n);
    }
    if (r_.run.model.mtp_layers > 0) text += "m*" + std::to_string(r_.run.model.mtp_layers);
    return text + "L";
  }

  void recompute() {
    lines_.start();
    if (s().recompute == Recompute::none) return;
    const bool full = s().recompute == Recompute::full;
    lines_.add("recompute_granularity", full ? "full" : "selective");
    if (!full) return modules();
    lines_.add("recompute_method", std::string(name_of(s().recompute_method)));
    lines_.add("recompute_num_layers",
               std::to_string(std::max<std::int64_t>(1, s().recompute_layers)));
  }

  void modules() {
    std::string words;
    for (const Json& m : at(key_path<&StrategyRequest::recompute_modules>)) {
      if (m == "alternate_products" || m == "mlp_act" || m == "attn_proj" || m == "qkv_proj")
        continue;
      words += (words.empty() ? "" : " ") + m.get<std::string>();
    }
    if (!words.empty()) lines_.add("recompute_modules", words);
  }

  const ResolvedRun& r_;
  const tools::Tool& tool_;
  const Json& in_;
  ArgumentLines lines_;
};

}  // namespace

ArgumentLines arguments_of(const ResolvedRun& resolved, const tools::ToolBook& tools) {
  return MegatronExport(resolved, own_tool(tools)).arguments();
}

std::string export_run(const ResolvedRun& resolved, const ConfigLookup& lookup) {
  const tools::ToolBook tools(lookup);
  return MegatronExport(resolved, own_tool(tools)).launch() + arguments_of(resolved, tools).text();
}

}  // namespace orrery::megatron
