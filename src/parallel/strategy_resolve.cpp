// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "parallel/partition.h"
#include "parallel/schedules/table.h"
#include "parallel/strategy_json.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kNotGiven = "not given";

// The modules of a framework that the model has: rules_table.h refuses the others.
ModuleMask modules_of(const Architecture& a, ModuleMask mask) {
  unsigned absent = 0;
  if (a.intermediate == 0) absent |= mask_of(Module::mlp, Module::mlp_act);
  if (!is_moe(a)) absent |= mask_of(Module::moe, Module::moe_act);
  if (a.attention != AttentionKind::kLatent) absent |= mask_of(Module::mla_up_proj);
  if (a.attention == AttentionKind::kLatent) absent |= mask_of(Module::qkv_proj);
  return static_cast<ModuleMask>(mask & ~absent);
}

// The tensors of a framework that the model's layers have.
TensorMask tensors_of(const Architecture& a, TensorMask mask) {
  unsigned absent = 0;
  if (a.intermediate == 0 && a.trunk.kinds == 0) absent |= mask_of(OffloadTensor::mlp_act);
  if (!is_moe(a)) absent |= mask_of(OffloadTensor::expert_fc1) | mask_of(OffloadTensor::moe_act);
  return static_cast<TensorMask>(mask & ~absent);
}

// Takes what was given, else the default, and keeps a record of the defaults.
class Resolver {
 public:
  Resolver(const StrategyRequest& request, const Architecture& a, const RunShape& run,
           const StrategyDefaults& defaults, const std::string& file)
      : q_(request), a_(a), run_(run), defaults_(defaults), file_(file) {}

  ResolvedStrategy resolve(std::int64_t micro_batch) {
    take_given(kStrategyKeys, q_, s());  // below: what is open, and what depends on other keys
    s().micro_batch = micro_batch;
    degrees();
    micro_batches();
    experts();
    sequence();
    pipeline();
    s().sites = defaults_.sites;
    sharding();
    zeropp();
    recompute();
    s().order = given_or(q_.order, kDefaultOrder, key_path<&Q::order>, "tp-cp-ep-dp-pp");
    check(s(), a_, run_, file_);
    return std::move(answer_);
  }

 private:
  using Q = StrategyRequest;

  Strategy& s() { return answer_.strategy; }

  [[noreturn]] void refuse(const char* path, const std::string& found,
                           const std::string& allowed) const {
    throw InputError(ErrorCode::broken_rule, file_, path, found, allowed);
  }

  void assume(const char* path, std::string value, std::string why, Known known,
              std::string where) {
    answer_.assumed.push_back({path, std::move(value), std::move(why), known, std::move(where)});
  }

  void derive(const char* path, std::string value, std::string why) {
    assume(path, std::move(value), std::move(why), Known::derived, "");
  }

  void take_default(const char* path, std::string value) {
    assume(path, std::move(value), kNotGiven, Known::tool_default, kOurDefault);
  }

  void take_framework(const char* path, std::string value) {
    assume(path, std::move(value), "the framework's", Known::tool_default, defaults_.framework);
  }

  // Without `why` the value is a default, else it is derived.
  template <class T>
  T given_or(const std::optional<T>& given, T otherwise, const char* path, const std::string& text,
             const std::string& why = kNotGiven) {
    if (given) return *given;
    if (why == kNotGiven) {
      take_default(path, text);
    } else {
      derive(path, text, why);
    }
    return otherwise;
  }

  std::int64_t count_or(const std::optional<std::int64_t>& given, std::int64_t otherwise,
                        const char* path, const std::string& why = kNotGiven) {
    return given_or(given, otherwise, path, std::to_string(otherwise), why);
  }

  void degrees() {
    s().tp = count_or(q_.tp, 1, key_path<&Q::tp>);
    s().pp = count_or(q_.pp, 1, key_path<&Q::pp>);
    const bool two = q_.schedule && schedule_of(*q_.schedule).chunks == ChunksTaken::two;
    s().vpp = two ? count_or(q_.vpp, 2, key_path<&Q::vpp>, "the schedule has two chunks a stage")
                  : count_or(q_.vpp, 1, key_path<&Q::vpp>);
    s().cp = count_or(q_.cp, 1, key_path<&Q::cp>);
    const std::int64_t others = s().tp * s().cp * s().pp;
    if (!q_.dp && run_.gpus % others != 0) {
      refuse(key_path<&Q::dp>,
             "tp·cp·pp " + std::to_string(others) + ", gpus " + std::to_string(run_.gpus),
             "tp·cp·pp that divides gpus");
    }
    s().dp = count_or(q_.dp, run_.gpus / others, key_path<&Q::dp>, "gpus/(tp·cp·pp)");
  }

  // A batch that does not divide is refused by its rule.
  void micro_batches() {
    s().micro_batches = std::max<std::int64_t>(1, run_.global_batch / (s().dp * s().micro_batch));
  }

  std::string reason_against_etp_tp() {
    if (a_.moe.expert_intermediate % s().tp != 0) return "tp does not divide moe_intermediate_size";
    if (s().tp * s().cp * s().dp % (s().ep * s().tp) != 0) return "ep·tp does not divide tp·cp·dp";
    return "";
  }

  void experts() {
    s().ep = q_.ep.value_or(1);
    s().etp = q_.etp.value_or(1);
    if (!is_moe(a_)) return;
    s().ep = count_or(q_.ep, 1, key_path<&Q::ep>);
    const std::string against = reason_against_etp_tp();
    s().etp = against.empty()
                  ? count_or(q_.etp, s().tp, key_path<&Q::etp>, "tp, which is legal here")
                  : count_or(q_.etp, 1, key_path<&Q::etp>, against);
  }

  void sequence() {
    s().cp_type = q_.cp_type.value_or(defaults_.cp_type);
    if (s().cp > 1 && !q_.cp_type) {
      take_framework(key_path<&Q::cp_type>, std::string(name_of(s().cp_type)));
    }
    s().dynamic_cp = q_.dynamic_cp.value_or(false);
    split_sequence();
    if (s().sequence_parallel && s().tp == 1) {
      s().sequence_parallel = false;
      derive(key_path<&Q::sequence_parallel>, "false", "there is nothing to split where tp is 1");
    }
  }

  void split_sequence() {
    const bool needed = is_moe(a_) && s().tp > 1;
    if (!q_.sequence_parallel && defaults_.sequence_parallel && s().tp > 1) {
      s().sequence_parallel = true;
      return take_framework(key_path<&Q::sequence_parallel>, "true");
    }
    s().sequence_parallel =
        given_or(q_.sequence_parallel, needed, key_path<&Q::sequence_parallel>,
                 needed ? "true" : "false", needed ? "experts with tp above 1 need it" : kNotGiven);
  }

  void pipeline() {
    const bool interleaved = s().vpp > 1;
    s().schedule =
        given_or(q_.schedule, interleaved ? ScheduleId::interleaved : ScheduleId::one_f_one_b,
                 key_path<&Q::schedule>, interleaved ? "interleaved" : "1f1b",
                 interleaved ? "vpp is above 1" : kNotGiven);
    s().schedule_runs = q_.schedule_runs.value_or(1);
    post_validation();
    s().vision_stage = q_.vision_stage.value_or(false);
    split();
  }

  void split() {
    s().layer_split = q_.layer_split.value_or(defaults_.layer_split);
    if (!q_.stage_layers) {
      if (s().pp == 1 || q_.layer_split || s().layer_split == LayerSplit::even) return;
      take_framework(key_path<&Q::layer_split>, std::string(name_of(s().layer_split)));
      return;
    }
    const auto chunks = static_cast<std::size_t>(s().pp * s().vpp);
    if (q_.stage_layers->size() != chunks || chunks > s().stage_layers.size()) {
      refuse(key_path<&Q::stage_layers>, std::to_string(q_.stage_layers->size()) + " counts",
             std::to_string(chunks) + " counts, pp·vpp");
    }
    s().listed_stages = true;
    std::transform(q_.stage_layers->begin(), q_.stage_layers->end(), s().stage_layers.begin(),
                   [](std::int64_t layers) { return static_cast<std::int16_t>(layers); });
  }

  void post_validation() {
    if (schedule_of(s().schedule).zero_bubble) {
      s().post_validation = given_or(q_.post_validation, true, key_path<&Q::post_validation>,
                                     "true", "zero bubble as published");
    } else {
      s().post_validation = q_.post_validation.value_or(false);
    }
  }

  void sharding() {
    if (q_.partition) return explicit_partition();
    const std::int64_t all = dense_replicas(s());
    s().zero = q_.zero.value_or(defaults_.zero);
    if (!q_.zero) take_framework(key_path<&Q::zero>, std::to_string(s().zero));
    if (q_.zero_shard_group && s().zero == 0) {
      refuse(key_path<&Q::zero_shard_group>, "zero 0", "zero 1 to 3 with zero_shard_group");
    }
    if (q_.zero_shard_group && all % *q_.zero_shard_group != 0) {
      refuse(key_path<&Q::zero_shard_group>, std::to_string(*q_.zero_shard_group),
             "a divisor of dp·cp, " + std::to_string(all));
    }
    s().partition = partition_of(s().zero, q_.zero_shard_group.value_or(framework_group(all)));
  }

  std::int64_t framework_group(std::int64_t all) {
    if (s().zero == 0) return all;
    if (defaults_.shard_group == 0) return group_within(all);
    if (all % defaults_.shard_group != 0) {
      refuse(key_path<&Q::framework_options>, "groups of " + std::to_string(defaults_.shard_group),
             "a divisor of dp·cp, " + std::to_string(all));
    }
    take_framework(key_path<&Q::zero_shard_group>, std::to_string(defaults_.shard_group));
    return defaults_.shard_group;
  }

  std::int64_t group_within(std::int64_t all) {
    const std::int64_t group = replicas_within(defaults_.shard_devices, s().tp, all);
    if (group < all) take_framework(key_path<&Q::zero_shard_group>, std::to_string(group));
    return group;
  }

  void zeropp() {
    s().zeropp = {q_.zeropp.qwz.value_or(defaults_.zeropp.qwz),
                  q_.zeropp.hpz.value_or(defaults_.zeropp.hpz),
                  q_.zeropp.qgz.value_or(defaults_.zeropp.qgz)};
    if (s().zeropp.hpz == 1) s().zeropp.hpz = 0;  // DeepSpeed's word for none
  }

  void explicit_partition() {
    if (q_.zero || q_.zero_shard_group) {
      refuse(key_path<&Q::partition>,
             q_.zero ? "partition and zero" : "partition and zero_shard_group",
             "one of them: zero is a partition too");
    }
    s().partition = *q_.partition;
    s().zero = nearest_zero(s().partition);
    derive(key_path<&Q::zero>, std::to_string(s().zero), "the stage nearest to partition");
  }

  void recompute() {
    const bool of_full = q_.recompute_layers || q_.recompute_method;
    if (q_.recompute_modules && of_full) {
      refuse(key_path<&Q::recompute_modules>,
             "recompute_modules with recompute_layers or recompute_method",
             "modules are of selective recompute, layers and method of full");
    }
    s().layers = q_.layers.value_or(LayerRules());
    s().recompute = q_.recompute.value_or(Recompute::none);
    if (!q_.recompute) imply_recompute(of_full);
    if (q_.recompute_modules && !may_recompute(s(), Recompute::selective)) {
      refuse(key_path<&Q::recompute_modules>, "recompute that is not selective",
             "recompute selective");
    }
    if (of_full && s().recompute != Recompute::full) {
      refuse(q_.recompute_layers ? key_path<&Q::recompute_layers> : key_path<&Q::recompute_method>,
             "recompute that is not full", "recompute full");
    }
    s().recompute_layers = q_.recompute_layers.value_or(0);
    s().recompute_method = q_.recompute_method.value_or(RecomputeMethod::uniform);
    s().recompute_modules =
        q_.recompute_modules.value_or(modules_of(a_, defaults_.selective_modules));
    if (may_recompute(s(), Recompute::selective) && !q_.recompute_modules) {
      take_framework(key_path<&Q::recompute_modules>, module_names(s().recompute_modules));
    }
    offloaded();
  }

  // Tensors that a policy moves beside the modules that it runs again.
  void offloaded() {
    const bool given = s().offload.activations != OffloadTarget::none;
    if (given || defaults_.offloaded == 0 || s().recompute != Recompute::selective) return;
    s().offload.activations = OffloadTarget::host;
    s().offload.tensors = tensors_of(a_, defaults_.offloaded);
    take_framework(key_path<&Offload::activations>, std::string(name_of(OffloadTarget::host)));
  }

  static std::string module_names(ModuleMask mask) {
    std::string text;
    for (const Module m : kAllOf<Module>) {
      if ((mask & mask_of(m)) == 0) continue;
      text += (text.empty() ? "" : ", ") + std::string(name_of(m));
    }
    return text;
  }

  void imply_recompute(bool of_full) {
    if (q_.recompute_modules && !has_rule_of(s().layers, Recompute::selective)) {
      s().recompute = Recompute::selective;
      derive(key_path<&Q::recompute>, "selective", "recompute_modules is given");
    } else if (!of_full && defaults_.offloaded != 0) {
      s().recompute = Recompute::selective;
      derive(key_path<&Q::recompute>, "selective",
             "the framework's policy moves tensors to the host");
    } else if (of_full) {
      s().recompute = Recompute::full;
      derive(key_path<&Q::recompute>, "full", "recompute_layers or recompute_method is given");
    } else {
      answer_.recompute_open = true;
    }
  }

  const StrategyRequest& q_;
  const Architecture& a_;
  const RunShape& run_;
  const StrategyDefaults& defaults_;
  const std::string& file_;
  ResolvedStrategy answer_;
};

}  // namespace

ResolvedStrategy resolve_strategy(const StrategyRequest& request, const Architecture& a,
                                  const RunShape& run, std::int64_t micro_batch,
                                  const StrategyDefaults& defaults, const std::string& file) {
  return Resolver(request, a, run, defaults, file).resolve(micro_batch);
}

Strategy resharded(const Strategy& s) {
  Strategy other = s;
  other.zero = other_zero(s.layers, s.zero).value_or(s.zero);
  other.partition = partition_of(other.zero, dense_replicas(s));
  return other;
}

}  // namespace orrery
