// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/error.h"
#include "core/units.h"
#include "exchange/deepspeed/deepspeed.h"
#include "exchange/deepspeed/import_parts.h"
#include "exchange/deepspeed/names.h"
#include "parallel/strategy.h"

namespace orrery::deepspeed {
namespace {

// Leaves of the document under their dotted names.
void flatten(const Json& object, const std::string& prefix, ImportDraft& d) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + key;
    if (value.is_object()) {
      flatten(value, name + ".", d);
    } else if (value == "auto" && d.is_without_effect(name)) {
      d.out.without_effect.push_back(name);
    } else if (value == "auto") {
      d.not_understood(name + " auto", "the training script fills it in");
    } else {
      d.settings.add({name, name, value});
    }
  }
}

void read_precision(ImportDraft& d) {
  const bool bf16 = d.is_on("bf16.enabled") || d.is_on("bfloat16.enabled");
  const bool fp16 = d.is_on("fp16.enabled");
  if (bf16 && fp16) d.settings.refuse("fp16.enabled", "true, and bf16.enabled true", "one of them");
  d.set("training.precision", bf16 ? "bf16" : fp16 ? "fp16" : "fp32");
  if (!bf16 && !fp16) d.note("training.precision", "fp32", "neither bf16 nor fp16 is enabled");
}

void read_optimizer(ImportDraft& d) {
  auto type = d.settings.text("optimizer.type");
  if (!type) return;
  std::transform(type->begin(), type->end(), type->begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (*type == "adam" || *type == "adamw") return d.set("training.optimizer", "adam");
  if (*type == "sgd") return d.set("training.optimizer", "sgd");
  d.not_understood("optimizer.type " + *type, "adam, adamw or sgd; --set training.states={…}");
}

void read_offload(ImportDraft& d) {
  const auto target = [&](const std::string& name, const char* path) {
    const auto device = d.settings.choice(name, kDevices.values);
    if (device) d.set(path, std::string(kNamesOf<OffloadTarget>[*device]));
  };
  target("zero_optimization.offload_optimizer.device", "parallel.offload.optimizer");
  target("zero_optimization.offload_param.device", "parallel.offload.parameters");
  const auto ratio = d.settings.number("zero_optimization.offload_optimizer.ratio", 0, 1);
  if (ratio) d.set("parallel.offload.optimizer_fraction", *ratio);
  if (d.is_on("zero_optimization.cpu_offload")) d.set("parallel.offload.optimizer", "host");
}

void read_sharding(ImportDraft& d) {
  d.assume("parallel.zero", 0, "without zero_optimization.stage");
  const char* name = "zero_optimization.mics_shard_size";
  const auto group = d.settings.number(name, -1, static_cast<double>(kMostDegree));
  if (!group) return;
  if (*group != std::floor(*group) || *group == 0) d.settings.refuse(name, "-1 or a whole number");
  d.set("parallel.framework_options.mics_shard_size", static_cast<std::int64_t>(*group));
}

// In the pipeline engine: one checkpoint for every n layers, 0 for none.
void read_recompute(ImportDraft& d) {
  const auto interval = d.settings.count("pipeline.activation_checkpoint_interval");
  if (!interval) return;
  d.set("parallel.recompute", *interval == 0 ? "none" : "full");
  if (*interval <= 1) return;
  d.set("parallel.recompute_method", "uniform");
  d.set("parallel.recompute_layers", *interval);
}

// It sends what checkpointing keeps, the inputs of layers: nothing where nothing is checkpointed.
void read_cpu_checkpointing(ImportDraft& d) {
  if (!d.is_on(kCpuCheckpointing)) return;
  if (d.at("parallel.recompute") == "none") {
    d.out.without_effect.push_back(std::string(kCpuCheckpointing) + " (nothing is checkpointed)");
    return;
  }
  d.assume("parallel.recompute", "full", "cpu_checkpointing is of checkpointed layers");
  d.set("parallel.offload.activations", "host");
}

bool is_of_another_stage(const ImportDraft& d, std::string_view name) {
  return name.substr(0, kOfStage3.size()) == kOfStage3 && d.count_at("parallel.zero", 0) < 3;
}

void read_size(ImportDraft& d, const ProfileSize& size, double x) {
  const std::string name(size.name);
  if (is_of_another_stage(d, name)) {
    d.out.without_effect.push_back(name + " (of ZeRO-3)");
  } else if (x == size.otherwise) {
    d.out.without_effect.push_back(name + " (the profile's)");
  } else {
    d.not_understood(name + " " + shortest(x), "the profile has " + shortest(size.otherwise) +
                                                   "; it would change " +
                                                   std::string(size.changes));
  }
}

void read_sizes(ImportDraft& d) {
  for (const ProfileSize& size : kProfileSizes) {
    if (const auto x = d.settings.number(size.name, 0, 1e18)) read_size(d, size, *x);
  }
  const auto live = d.settings.count(kMaxLive);
  if (!live) return;
  if (is_of_another_stage(d, kMaxLive)) {
    d.out.without_effect.push_back(std::string(kMaxLive) + " (of ZeRO-3)");
  } else {
    d.set(kMaxLiveOption, std::max<std::int64_t>(1, *live));
  }
}

}  // namespace

ImportedRun import_run(std::string_view text, const std::string& file, const Json& given) {
  const Json document = parse_json(text, file);
  if (!document.is_object() || document.empty()) {
    throw InputError(file, "", brief(document), "DeepSpeed's JSON object");
  }
  ImportDraft d{Settings(file), kWithoutEffect};
  flatten(document, "", d);
  read_rows_of(kRows, d.settings, d.out.run);
  read_precision(d);
  read_optimizer(d);
  read_states_of(d);
  read_offload(d);
  read_sharding(d);
  read_recompute(d);
  read_cpu_checkpointing(d);
  read_sizes(d);
  read_batches_of(d, given);
  if (d.count_at("parallel.cp", 1) > 1) d.set("parallel.cp_type", "a2a");
  d.assume("framework", "deepspeed", "--framework takes another profile");
  d.list_leftovers();
  return std::move(d.out);
}

}  // namespace orrery::deepspeed
