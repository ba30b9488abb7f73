// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "core/json_path.h"
#include "estimate/resolve.h"
#include "exchange/deepspeed/deepspeed.h"
#include "exchange/deepspeed/names.h"
#include "parallel/stages.h"
#include "parallel/strategy.h"

namespace orrery::deepspeed {
namespace {

void add_batches(const Run& run, Json& j) {
  j["train_batch_size"] = run.training.global_batch;
  j["train_micro_batch_size_per_gpu"] = run.strategy.micro_batch;
  j["gradient_accumulation_steps"] = run.strategy.micro_batches;
}

void add_precision(Precision p, Json& j) {
  if (p == Precision::fp32 || p == Precision::tf32) return;
  j[p == Precision::fp16 ? "fp16" : "bf16"] = {{"enabled", true}};
}

// Options of the profile `deepspeed` under its own names, where they are not its defaults.
void add_options(const Json& options, Json& zero) {
  for (const char* name : {"zero_quantized_weights", "zero_quantized_gradients", "overlap_comm"}) {
    if (options.contains(name) && bare_text(options[name]) == "true") zero[name] = true;
  }
  for (const char* name : {"overlap_comm", "contiguous_gradients"}) {
    if (options.contains(name) && bare_text(options[name]) == "false") zero[name] = false;
  }
  const auto add_count = [&](const char* name, std::int64_t otherwise) {
    if (options.contains(name) && options[name] != otherwise) zero[name] = options[name];
  };
  add_count("zero_hpz_partition_size", 1);
  add_count("mics_shard_size", -1);
  add_count("reduce_bucket_size", 500'000'000);
  if (zero["stage"] != 3) return;
  add_count("stage3_max_live_parameters", 1'000'000'000);
  add_count("stage3_prefetch_bucket_size", 50'000'000);
  add_count("sub_group_size", 1'000'000'000);
}

std::string device(OffloadTarget t) { return std::string(kDevices[t]); }

void add_offload(const Offload& o, Json& zero) {
  if (o.optimizer != OffloadTarget::none) {
    zero["offload_optimizer"]["device"] = device(o.optimizer);
    if (o.optimizer_fraction < 1) zero["offload_optimizer"]["ratio"] = o.optimizer_fraction;
  }
  if (o.parameters != OffloadTarget::none) zero["offload_param"]["device"] = device(o.parameters);
}

// cpu_checkpointing sends checkpoints to the host, so it is written only with full recompute.
void add_checkpoints(const Strategy& s, Json& j) {
  if (s.recompute != Recompute::full || !kOffloadPlaces[s.offload.activations].host_memory) return;
  j["activation_checkpointing"]["cpu_checkpointing"] = true;
}

// Gradients that are wider than the computation.
void add_gradients(const StateRecipe& r, Json& j) {
  if (r.weights > 2) return;
  if (r.gradients == 4) j["data_types"]["grad_accum_dtype"] = kTypes[0];
  if (r.reduced == 4) j["communication_data_type"] = kTypes[0];
}

// PipelineModule checkpoints all layers of a stage in groups of so many, none for 0. It has no word
// for the first layers alone, nor for modules.
std::optional<std::int64_t> checkpoint_interval(const Run& run) {
  const Strategy& s = run.strategy;
  if (s.recompute == Recompute::none) return 0;
  if (s.recompute == Recompute::selective) return {};
  if (s.recompute_method == RecomputeMethod::uniform || s.recompute_layers == 0)
    return std::max<std::int64_t>(1, s.recompute_layers);
  if (s.recompute_layers < most_layers_of_chunk(s, run.model)) return {};
  return 1;
}

void add_parallel(const Run& run, Json& j) {
  const Strategy& s = run.strategy;
  if (s.tp > 1) j["tensor_parallel"]["autotp_size"] = s.tp;
  if (s.pp > 1) j["pipeline"]["stages"] = s.pp;
  if (const auto interval = checkpoint_interval(run); s.pp > 1 && interval)
    j["pipeline"]["activation_checkpoint_interval"] = *interval;
  if (s.cp > 1 && s.cp_type == ContextType::a2a) {
    j["sequence_parallel_size"] = s.cp;
    j["data_parallel_size"] = s.dp;
  }
}

}  // namespace

std::string export_run(const ResolvedRun& resolved) {
  const Run& run = resolved.run;
  Json j;
  add_batches(run, j);
  add_precision(run.training.precision, j);
  Json zero = {{"stage", run.strategy.zero}};
  const Json& overlap = value_at(*resolved.inputs, "parallel.overlap.grad_reduce");
  if (overlap.is_boolean()) zero["overlap_comm"] = overlap;
  add_options(value_at(*resolved.inputs, "parallel.framework_options"), zero);
  add_offload(run.strategy.offload, zero);
  add_checkpoints(run.strategy, j);
  add_gradients(run.training.recipe, j);
  j["zero_optimization"] = zero;
  add_parallel(run, j);
  if (value_at(*resolved.inputs, "training.optimizer") == "sgd") j["optimizer"]["type"] = "SGD";
  return j.dump(2) + "\n";
}

}  // namespace orrery::deepspeed
