// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "exchange/deepspeed/deepspeed.h"
#include "exchange/deepspeed/names.h"
#include "exchange/import_draft.h"
#include "exchange/text_lines.h"
#include "memory/recipe.h"
#include "parallel/strategy.h"

namespace orrery::deepspeed {
namespace {

constexpr const char* kBatch = "train_batch_size";
constexpr const char* kMicro = "train_micro_batch_size_per_gpu";
constexpr const char* kSteps = "gradient_accumulation_steps";

// 0: not known.
struct Batches {
  std::int64_t batch = 0;
  std::int64_t micro = 0;
  std::int64_t steps = 0;
  std::int64_t replicas = 0;
};

// A degree the command line gives goes before the file's.
std::int64_t degree(const ImportDraft& d, const Json& given, const char* path) {
  const Json& value = value_at(given, path);
  const bool usable = value.is_number_integer() && value.get<std::int64_t>() > 0 &&
                      value.get<std::int64_t>() <= kMostDegree;
  return usable ? value.get<std::int64_t>() : d.count_at(path, 1);
}

std::int64_t replicas(ImportDraft& d, const Json& given) {
  const std::int64_t others = degree(d, given, "parallel.tp") * degree(d, given, "parallel.pp") *
                              degree(d, given, "parallel.cp");
  const auto stated = d.settings.count("data_parallel_size", 1, kMostDegree);
  const Json& gpus = value_at(given, "cluster.gpus");
  if (gpus.is_number_integer()) return gpus.get<std::int64_t>() / others;
  return stated.value_or(0);
}

// "auto" is the training script's to fill, also where the command line says the key that it is of.
bool is_auto(const ImportDraft& d, const char* name) {
  const std::string setting = std::string(name) + " auto";
  const auto& left = d.out.ignored;
  const auto& given = d.out.without_effect;
  return std::any_of(left.begin(), left.end(),
                     [&](const LeftOver& l) { return l.setting == setting; }) ||
         std::any_of(given.begin(), given.end(),
                     [&](const std::string& s) { return begins_with(s, setting); });
}

Batches known(ImportDraft& d, const Json& given) {
  Batches b;
  b.batch = d.count_at("training.global_batch", 0);
  b.micro = d.count_at("training.micro_batch", 0);
  b.replicas = replicas(d, given);
  const auto steps = d.settings.count(kSteps, 1, kMostDegree);
  b.steps = steps.value_or(0);
  if (b.micro > kMostDegree) d.settings.refuse(kMicro, "a smaller batch");
  // With both of the others it follows from them.
  const bool follows = b.batch > 0 && b.micro > 0;
  if (!steps && !follows && !is_auto(d, kSteps)) {
    b.steps = 1;
    if (b.batch > 0 || b.micro > 0) d.note(kSteps, "1", "DeepSpeed's default");
  }
  return b;
}

void check_product(const ImportDraft& d, const Batches& b) {
  const std::int64_t product = b.micro * b.steps * b.replicas;
  if (b.batch == 0 || product == 0 || product == b.batch) return;
  d.settings.refuse(kBatch,
                    std::to_string(b.batch) + ", micro batch " + std::to_string(b.micro) +
                        ", accumulation " + std::to_string(b.steps) + ", replicas " +
                        std::to_string(b.replicas),
                    "the product of these");
}

// "auto" of a size that follows from the others is no question.
void follows(ImportDraft& d, const char* key) {
  std::erase_if(d.out.ignored, [&](const LeftOver& l) { return l.is_refused && l.key == key; });
}

void divide(ImportDraft& d, const Batches& b) {
  const std::int64_t parts = b.steps * b.replicas;
  if (parts == 0) return;
  if (b.batch % parts != 0) {
    d.settings.refuse(kBatch,
                      std::to_string(b.batch) + ", accumulation " + std::to_string(b.steps) +
                          ", replicas " + std::to_string(b.replicas),
                      "a multiple of the other two");
  }
  follows(d, "training.micro_batch");
  d.set("training.micro_batch", b.batch / parts);
}

void multiply(ImportDraft& d, const Batches& b) {
  if (b.micro == 0 || b.steps == 0) return;
  follows(d, "training.global_batch");
  if (b.replicas > 0) {
    return d.set("training.global_batch", b.micro * b.steps * b.replicas);
  }
  d.open("training.global_batch",
         std::string(kMicro) + " " + std::to_string(b.micro) + " x " + kSteps + " " +
             std::to_string(b.steps),
         "of how many replicas; give --gpus, or --global-batch");
}

// A recipe of Adam's by name; SGD's has no names for gradients in fp32.
Json states_of(const StateRecipe& r, bool sgd) {
  if (!sgd) {
    const auto named = std::find_if(kRecipes.begin(), kRecipes.end(),
                                    [&](const NamedRecipe& n) { return n.recipe == r; });
    if (named != kRecipes.end()) return std::string(named->name);
  }
  return {{"weights", r.weights},
          {"gradients", r.gradients},
          {"optimizer", r.optimizer},
          {"reduced", r.reduced},
          {"gathered", r.gathered}};
}

void narrower(ImportDraft& d, std::string_view name, std::string_view type) {
  d.open("training.states", std::string(name) + " " + std::string(type),
         "gradients of fp32 are fp32 here; --set training.states={…}");
}

// After the degrees: what of the three sizes is not given follows from the others over the
// replicas.
void read_batches_of(ImportDraft& d, const Json& given) {
  const Batches b = known(d, given);
  check_product(d, b);
  if (b.batch > 0 && b.micro == 0) return divide(d, b);
  if (b.batch == 0 && value_at(given, "training.global_batch").is_null()) multiply(d, b);
}

// The place in kTypes of a setting's word; nothing where it is not given or null.
std::optional<std::size_t> type_of(ImportDraft& d, std::string_view name) {
  const auto word = d.settings.word(name);
  if (!word) return {};
  const auto known = std::find_if(kTypeWords.begin(), kTypeWords.end(),
                                  [&](const TypeWord& t) { return t.word == *word; });
  return known != kTypeWords.end() ? known->type : d.settings.choice(name, kTypes);
}

// After precision and optimizer: the bytes of a gradient, kept and on the wire.
void read_states_of(ImportDraft& d) {
  for (const char* name : kNarrowStates) {
    if (d.is_on(name))
      d.open("training.states", d.settings.written(name), "--set training.states={…}");
  }
  const auto kept = type_of(d, kKeptGradients);
  const auto sent = type_of(d, kSentGradients);
  const bool sgd = d.at("training.optimizer") == "sgd";
  const bool bare = sgd && d.settings.number("optimizer.params.momentum", 0, 1).value_or(0) == 0;
  if (!kept && !sent && !bare) return;
  if (d.at("training.precision") == "fp32") {
    if (kept.value_or(0) != 0) narrower(d, kKeptGradients, kTypes[*kept]);
    if (sent.value_or(0) != 0) narrower(d, kSentGradients, kTypes[*sent]);
    if (bare) d.set("training.states", states_of({4, 4, 0, 4, 4}, true));
    return;
  }
  StateRecipe r = find_recipe(sgd ? "sgd" : "adam-mixed-16")->recipe;
  if (bare) r.optimizer = 4;  // the fp32 weights; torch.optim.SGD has momentum 0 unless told
  if (kept == std::size_t{0}) r.gradients = 4;
  if (sent == std::size_t{0}) r.reduced = 4;
  d.set("training.states", states_of(r, sgd));
}

// Our keys of settings that have no row.
constexpr std::array kOtherKeys = {
    NameRow{"bf16.enabled", "training.precision"},
    NameRow{"bfloat16.enabled", "training.precision"},
    NameRow{"fp16.enabled", "training.precision"},
    NameRow{"gradient_accumulation_steps", "training.global_batch"},
    NameRow{"zero_optimization.offload_optimizer.device", "parallel.offload.optimizer"},
    NameRow{"zero_optimization.offload_param.device", "parallel.offload.parameters"},
    NameRow{"optimizer.type", "training.optimizer"},
};

std::string_view key_of(std::string_view name) {
  for (const NameRow& row : kRows) {
    if (row.theirs == name) return row.ours;
  }
  for (const NameRow& row : kOtherKeys) {
    if (row.theirs == name) return row.ours;
  }
  return "";
}

// Sizes that a trainer fills in from the model, as our profile does.
bool is_profile_size(std::string_view name) {
  return std::any_of(kProfileSizes.begin(), kProfileSizes.end(),
                     [&](const ProfileSize& s) { return s.name == name; }) ||
         find_element_count(name) != nullptr;
}

// --assume of a setting of this file: its value, or none.
void assume_in(std::vector<GivenSetting>& assumed, Json& document, ImportedRun& out) {
  for (GivenSetting& a : assumed) {
    if (value_at(document, a.name).is_null()) continue;
    a.used = true;
    out.assumed.push_back({a.name, brief(a.value), "--assume"});
    if (a.value.is_null() || a.value == "none") {
      erase_at(document, a.name);
    } else {
      set_at(document, a.name, a.value);
    }
  }
}

// Leaves of the document under their dotted names.
void flatten(const Json& object, const std::string& prefix, ImportDraft& d) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix + key;
    if (value.is_object()) {
      flatten(value, name + ".", d);
    } else if (value.is_null()) {
      d.out.without_effect.push_back(name + " (null)");
    } else if (value == "auto" && (d.is_without_effect(name) || is_profile_size(name))) {
      const ElementCount* size = find_element_count(name);
      if (size != nullptr && size->of_width > 0) d.out.sizes_of_width.push_back(name);
      d.out.without_effect.push_back(name);
    } else if (value == "auto") {
      d.open(key_of(name), name + " auto", "the training script fills it in");
    } else {
      d.settings.add({name, name, value});
    }
  }
}

// PyTorch's autocast and Apex's O1 compute in 16 bits with weights of 32.
void read_autocast(ImportDraft& d) {
  const bool apex = d.is_on("amp.enabled");
  const std::string level = d.settings.text("amp.opt_level").value_or("O1");
  const std::string type = d.settings.text("torch_autocast.dtype").value_or("bfloat16");
  if (apex && level != "O1")
    return d.open("training.precision", "amp.opt_level " + level, "Apex's O1 alone is known");
  const bool fp16 = apex || type.find("bf") == std::string::npos;
  d.set("training.precision", fp16 ? "fp16" : "bf16");
  d.set("training.states", "fp32-adam-16");
}

// fp16 "auto" beside bf16 true is off; both "auto" are open.
void read_precision(ImportDraft& d) {
  const bool bf16 = d.is_any_on({"bf16.enabled", "bfloat16.enabled"});
  const bool fp16 = d.is_on("fp16.enabled");
  if (bf16 && fp16) d.settings.refuse("fp16.enabled", "true, and bf16.enabled true", "one of them");
  if (bf16 || fp16) {
    std::erase_if(d.out.ignored, [](const LeftOver& l) { return l.key == "training.precision"; });
    return d.set("training.precision", bf16 ? "bf16" : "fp16");
  }
  if (d.is_any_on({"torch_autocast.enabled", "amp.enabled"})) return read_autocast(d);
  for (const char* name : {"bf16", "fp16", "bfloat16"}) {
    if (d.settings.has(name))
      return d.open("training.precision", d.settings.written(name), "{\"enabled\": true}");
  }
  d.assume("training.precision", "fp32", "neither bf16 nor fp16 is enabled");
}

void read_optimizer(ImportDraft& d) {
  auto type = d.settings.text("optimizer.type");
  if (!type) return;
  std::transform(type->begin(), type->end(), type->begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (*type == "adam" || *type == "adamw") {
    d.set("training.optimizer", "adam");
    // DeepSpeed's own FusedAdam, unless the file asks for PyTorch's (runtime/engine.py).
    const bool torch = d.is_on("optimizer.params.torch_adam");
    return d.set("parallel.framework_options.optimizer_kernel", torch ? "foreach" : "fused");
  }
  // Others of ours by their names.
  for (const char* same : {"sgd", "lion", "muon"}) {
    if (*type == same) return d.set("training.optimizer", same);
  }
  for (const char* adam :
       {"adamw", "fusedadam", "deepspeedcpuadam", "cpuadam", "adamw_torch", "adamw_torch_fused"}) {
    if (*type == adam) return d.set("training.optimizer", "adam");
  }
  d.open("training.optimizer", "optimizer.type " + *type,
         "adam, adamw, sgd, lion or muon; its states are others");
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
  // Older switches of both.
  if (d.is_on("zero_optimization.cpu_offload")) d.set("parallel.offload.optimizer", "host");
  if (d.is_on("zero_optimization.cpu_offload_params")) d.set("parallel.offload.parameters", "host");
}

void read_sharding(ImportDraft& d) {
  // A flag alone, as files of 2020 have it, is the first stage [from memory].
  if (d.is_on("zero_optimization")) d.set("parallel.zero", 1);
  d.assume("parallel.zero", 0, "without zero_optimization.stage");
  const char* name = "zero_optimization.mics_shard_size";
  const auto group = d.settings.number(name, -1, static_cast<double>(kMostDegree));
  if (!group) return;
  if (*group != std::floor(*group) || *group == 0) d.settings.refuse(name, "-1 or a whole number");
  d.set("parallel.framework_options.mics_shard_size", static_cast<std::int64_t>(*group));
}

// Parameters of the first two stages stay on each GPU, whatever offload_param says
// (runtime/zero/offload_config.py: "Valid only with stage 3").
void keep_parameters(ImportDraft& d) {
  constexpr const char* kKey = "parallel.offload.parameters";
  const Json& stage = d.at("parallel.zero");
  if (d.at(kKey).is_null() || d.at(kKey) == "none" || stage.is_null() || stage == 3) return;
  erase_at(d.out.run, kKey);
  d.out.without_effect.emplace_back("zero_optimization.offload_param (of ZeRO-3)");
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

// cpu_checkpointing offloads the inputs of checkpointed layers: nothing without checkpoints.
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
  const bool of_stage3 = begins_with(name, kOfStage3) || name == kSubGroup;
  return of_stage3 && d.count_at("parallel.zero", 0) < 3;
}

void read_size(ImportDraft& d, const ProfileSize& size, double x) {
  const std::string name(size.name);
  if (is_of_another_stage(d, name)) {
    d.out.without_effect.push_back(name + " (of ZeRO-3)");
  } else if (x == size.otherwise) {
    d.out.without_effect.push_back(name + " (the profile's)");
  } else {
    d.ignored(name + " " + shortest(x), "the profile has " + shortest(size.otherwise) +
                                            "; it would change " + std::string(size.changes));
  }
}

// Files ask for 1e14 elements and more where they want all at once: so does kMostCount, which is
// beyond what a rank has.
constexpr std::int64_t kAllAtOnce = 1'000'000'000'000'000'000;

void read_sizes(ImportDraft& d) {
  for (const ProfileSize& size : kProfileSizes) {
    if (const auto x = d.settings.number(size.name, 0, 1e18)) read_size(d, size, *x);
  }
  for (const ElementCount& c : kElementCounts) {
    const auto elements = d.settings.count(c.name, 0, kAllAtOnce);
    if (!elements) continue;
    if (is_of_another_stage(d, c.name)) {
      d.out.without_effect.push_back(std::string(c.name) + " (of ZeRO-3)");
    } else {
      d.set(c.option, std::clamp<std::int64_t>(*elements, 1, kMostCount));
    }
  }
  std::erase_if(d.out.sizes_of_width,
                [&](const std::string& name) { return is_of_another_stage(d, name); });
}

}  // namespace

void shard_bf16_states(ImportedRun& r) {
  const Json& framework = value_at(r.run, "framework");
  const Json& states = value_at(r.run, "training.states");
  const bool ours = framework == "deepspeed" || framework == "megatron-deepspeed";
  const bool plain = value_at(r.run, "parallel.zero") == 0 &&
                     value_at(r.run, "training.precision") == "bf16" && states != "fp32-adam-16";
  if (!ours || !plain) return;
  const bool adam = value_at(r.run, "training.optimizer") != "sgd";
  if (states.is_null() && adam) set_at(r.run, "training.states", "adam-fp32-gradients-18");
  set_at(r.run, "parallel.zero", 1);
  std::erase_if(r.assumed, [](const Fact& a) { return a.path == "parallel.zero"; });
  r.assumed.push_back({"parallel.zero", "1",
                       "without ZeRO, DeepSpeed's optimizer of bf16 keeps gradients in fp32 and "
                       "shards its states [from memory]"});
}

ImportedRun import_run(const ForeignFile& file, ImportJob& job) {
  const Json document = parse_json(file.text, file.name);
  if (!document.is_object() || document.empty()) {
    throw InputError(file.name, "", brief(document), "DeepSpeed's JSON object");
  }
  ImportDraft d{Settings(file.name), kWithoutEffect, kNotModelled, nullptr, job.given};
  const Json& given = job.given;
  Json whole = document;
  assume_in(job.assumed, whole, d.out);
  flatten(whole, "", d);
  read_rows_of(kRows, d.settings, d.out.run);
  read_precision(d);
  read_optimizer(d);
  read_states_of(d);
  read_offload(d);
  read_sharding(d);
  keep_parameters(d);
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
