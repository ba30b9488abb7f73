// SPDX-License-Identifier: Apache-2.0
#include "estimate/conflicting_settings.h"

#include <algorithm>

#include "core/error.h"
#include "estimate/resolve.h"
#include "estimate/training_keys.h"
#include "parallel/own_order.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

// One of our keys.
struct OurKey {
  const char* path;
  bool given = false;
  std::string value;  // in the words of the framework's switch
};

// The option follows our key.
void follow(const OurKey& ours, const std::string& path, ResolvedRun& out) {
  for (Fact& f : out.assumed) {
    if (f.path == path) f = {path, ours.value, std::string("as ") + ours.path, Known::derived, ""};
  }
}

// A profile without that switch has nothing to say.
void agree(const char* option, const OurKey& ours, ResolvedRun& out) {
  for (FrameworkOption& o : out.framework.options) {
    if (o.name != option || o.value == ours.value) continue;
    if (!o.assumed && ours.given) {
      throw InputError(ErrorCode::conflict, out.file, ours.path,
                       ours.value + ", and framework_options." + option + " " + o.value,
                       "one of them, or both alike");
    }
    follow(ours, "parallel.framework_options." + o.name, out);
    o.value = ours.value;
  }
}

std::string on_or_off(std::int64_t bits) { return bits == 0 ? "false" : "true"; }

// Ranks that hold one copy of the optimizer's states; −1, as DeepSpeed says it, for all.
std::string shard_group_text(const Strategy& s) {
  const bool groups = s.partition.optimizer > 1 && s.partition.optimizer < s.dp * s.cp;
  return std::to_string(groups ? s.partition.optimizer : -1);
}

}  // namespace

void agree_on_context(const StrategyRequest& request, ResolvedRun& out) {
  agree("cp_comm_type",
        {key_path<&StrategyRequest::cp_type>, request.cp_type.has_value(),
         std::string(name_of(out.run.strategy.cp_type))},
        out);
}

void agree_on_sharding(const StrategyRequest& request, ResolvedRun& out) {
  const Strategy& s = out.run.strategy;
  const ZeroPlusPlus& z = s.zeropp;
  const bool groups_given = request.partition.has_value() || request.zero_shard_group.has_value();
  const std::int64_t copies = std::max<std::int64_t>(1, z.hpz);
  agree("zero_quantized_weights",
        {key_path<&ZeroPlusPlusRequest::qwz>, request.zeropp.qwz.has_value(), on_or_off(z.qwz)},
        out);
  agree("zero_quantized_gradients",
        {key_path<&ZeroPlusPlusRequest::qgz>, request.zeropp.qgz.has_value(), on_or_off(z.qgz)},
        out);
  agree(
      "zero_hpz_partition_size",
      {key_path<&ZeroPlusPlusRequest::hpz>, request.zeropp.hpz.has_value(), std::to_string(copies)},
      out);
  agree("mics_shard_size",
        {key_path<&StrategyRequest::partition>, groups_given, shard_group_text(s)}, out);
}

void agree_on_precision(const ResolvedRun& run) {
  if (is_low_precision(run.run.training.precision)) return;
  for (const FrameworkOption& o : run.framework.options) {
    if (o.name != "float8" || o.value == "none") continue;
    throw InputError(
        ErrorCode::conflict, run.file,
        std::string(key_path<&StrategyRequest::framework_options>) + "." + o.name,
        o.value + ", and training.precision " + std::string(name_of(run.run.training.precision)),
        "none, or training.precision fp8");
  }
}

void check_own_order(const ResolvedRun& out) {
  if (!out.run.own_order) return;
  const PipelineShape& order = out.run.own_order->shape;
  const PipelineShape run = pipeline_shape(out.run);
  const auto must_be = [&](const char* path, const char* what, std::int64_t found,
                           std::int64_t allowed) {
    if (found == allowed) return;
    throw InputError(ErrorCode::conflict, out.file, path,
                     std::string(what) + " " + std::to_string(found),
                     std::to_string(allowed) + ", as the schedule's file has");
  };
  must_be(key_path<&Strategy::pp>, "pp", run.stages, order.stages);
  must_be(key_path<&Strategy::vpp>, "vpp", run.chunks, order.chunks);
  must_be(key_path<&Training::global_batch>, "micro batches, global_batch/(dp·micro_batch),",
          run.micro_batches, order.micro_batches);
}

}  // namespace orrery
