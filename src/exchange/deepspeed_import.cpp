// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/error.h"
#include "core/units.h"
#include "exchange/deepspeed.h"
#include "exchange/deepspeed_names.h"
#include "exchange/import_draft.h"
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
    const auto device = d.settings.choice(name, kDevices);
    if (device) d.set(path, std::string(kOffloadTargetNames[*device]));
  };
  target("zero_optimization.offload_optimizer.device", "parallel.offload.optimizer");
  target("zero_optimization.offload_param.device", "parallel.offload.parameters");
  const auto ratio = d.settings.number("zero_optimization.offload_optimizer.ratio", 0, 1);
  if (ratio) d.set("parallel.offload.optimizer_fraction", *ratio);
  if (d.is_on("zero_optimization.cpu_offload")) d.set("parallel.offload.optimizer", "host");
  if (d.is_on("activation_checkpointing.cpu_checkpointing")) {
    d.set("parallel.offload.activations", "host");
  }
}

void read_sharding(ImportDraft& d) {
  d.assume("parallel.zero", 0, "without zero_optimization.stage");
  const char* name = "zero_optimization.mics_shard_size";
  const auto group = d.settings.number(name, -1, static_cast<double>(kMostDegree));
  if (!group) return;
  if (*group != std::floor(*group) || *group == 0) d.settings.refuse(name, "-1 or a whole number");
  d.set("parallel.framework_options.mics_shard_size", static_cast<std::int64_t>(*group));
}

// Of the pipeline engine: one checkpoint for every n layers, 0 for none.
void read_recompute(ImportDraft& d) {
  const auto interval = d.settings.count("pipeline.activation_checkpoint_interval");
  if (!interval) return;
  d.set("parallel.recompute", *interval == 0 ? "none" : "full");
  if (*interval <= 1) return;
  d.set("parallel.recompute_method", "uniform");
  d.set("parallel.recompute_layers", *interval);
}

void read_sizes(ImportDraft& d) {
  for (const ProfileSize& size : kProfileSizes) {
    const auto x = d.settings.number(size.name, 0, 1e18);
    if (!x) continue;
    if (*x == size.otherwise) {
      d.out.without_effect.emplace_back(size.name);
    } else {
      d.not_understood(std::string(size.name) + " " + shortest(*x),
                       "the profile has " + shortest(size.otherwise));
    }
  }
}

// A degree the command line gives goes before the file's.
std::int64_t degree(const ImportDraft& d, const Json& given, const char* path) {
  const Json& value = value_at(given, path);
  const bool usable = value.is_number_integer() && value.get<std::int64_t>() > 0 &&
                      value.get<std::int64_t>() <= kMostDegree;
  return usable ? value.get<std::int64_t>() : d.count_at(path, 1);
}

void read_batches(ImportDraft& d, const Json& given) {
  const std::int64_t others = degree(d, given, "parallel.tp") * degree(d, given, "parallel.pp") *
                              degree(d, given, "parallel.cp");
  const Json& gpus = value_at(given, "cluster.gpus");
  const auto steps = d.settings.count("gradient_accumulation_steps", 1, kMostDegree);
  const auto replicas = d.settings.count("data_parallel_size", 1, kMostDegree);
  std::int64_t dp = replicas.value_or(0);
  if (gpus.is_number_integer()) dp = gpus.get<std::int64_t>() / others;
  if (!steps) return;
  const std::int64_t micro = d.count_at("training.micro_batch", 0);
  const std::int64_t batch = d.count_at("training.global_batch", 0);
  if (micro > kMostDegree) d.settings.refuse("train_micro_batch_size_per_gpu", "a smaller batch");
  if (batch > 0 && micro > 0 && dp > 0 && batch / *steps / micro != dp) {
    d.settings.refuse("train_batch_size",
                      std::to_string(batch) + ", micro batch " + std::to_string(micro) +
                          ", accumulation " + std::to_string(*steps) + ", replicas " +
                          std::to_string(dp),
                      "the product of these");
  }
  if (batch == 0 && micro > 0 && dp > 0) {
    d.set("training.global_batch", micro * *steps * dp);
  } else if (batch == 0) {
    d.not_understood("gradient_accumulation_steps " + std::to_string(*steps),
                     "of how many replicas; give --gpus, or --global-batch");
  } else if (micro == 0 && dp > 0) {
    d.set("training.micro_batch", batch / *steps / dp);
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
  read_offload(d);
  read_sharding(d);
  read_recompute(d);
  read_sizes(d);
  read_batches(d, given);
  if (d.count_at("parallel.cp", 1) > 1) d.set("parallel.cp_type", "a2a");
  d.assume("framework", "deepspeed", "--framework takes another profile");
  d.list_leftovers();
  return std::move(d.out);
}

}  // namespace orrery::deepspeed
