// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "core/divide.h"
#include "core/error.h"
#include "core/json_path.h"
#include "core/units.h"
#include "exchange/import_draft.h"
#include "exchange/torchtitan/names.h"
#include "exchange/torchtitan/toml.h"
#include "exchange/torchtitan/torchtitan.h"
#include "model/architecture_json.h"

namespace orrery::torchtitan {
namespace {

// "parallelism.tensor-parallel-degree" to "tensor_parallel_degree".
std::string known_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  for (const std::string_view table : kMovedTables) {
    if (name.rfind(table, 0) == 0) return name.substr(table.size());
  }
  return name;
}

Settings by_known_names(const Settings& settings) {
  Settings known(settings.file());
  for (ForeignSetting s : settings.all()) {
    s.name = known_name(s.name);
    known.add(std::move(s));
  }
  return known;
}

// Our keys of settings that have no row.
constexpr std::array kOtherKeys = {
    NameRow{"local_batch_size", "training.micro_batch"},
    NameRow{"batch_size", "training.micro_batch"},
    NameRow{"global_batch_size", "training.global_batch"},
    NameRow{"num_tokens_per_microbatch_per_dp_rank", "training.micro_batch"},
    NameRow{"num_tokens_per_train_step", "training.global_batch"},
    NameRow{"activation_checkpoint.mode", "parallel.recompute"},
    NameRow{"compile.enable", "parallel.framework_options.compile"},
    NameRow{"mixed_precision_param", "training.precision"},
    NameRow{"pipeline_parallel_schedule", "parallel.schedule"},
    NameRow{"nproc_per_node", "cluster.gpus"},
    NameRow{"nnodes", "cluster.gpus"},
    NameRow{"module", "model"},
    NameRow{"config", "model"},
    NameRow{"model.flavor", "model"},
};

std::string_view key_of(std::string_view name) {
  for (const std::span<const NameRow> rows :
       {std::span<const NameRow>(kRows), std::span<const NameRow>(kOtherKeys)}) {
    for (const NameRow& row : rows) {
      if (row.theirs == name) return row.ours;
    }
  }
  return "";
}

void read_model(ImportDraft& d) {
  auto module = d.settings.text("module");
  const auto config = d.settings.text("config");
  if (!module) module = d.settings.text("model.name");
  const auto flavor = d.settings.text("model.flavor");
  if (!module && !config) return;
  for (const ModelName& m : kModels) {
    const bool same_flavor =
        flavor ? same_letters(*flavor, m.flavor) : config && *config == m.config;
    if (same_flavor && (!module || *module == m.module)) return d.set("model", std::string(m.ours));
  }
  d.open("model", "model " + module.value_or("") + " " + flavor.value_or(config.value_or("")),
         "no model of ours by that name; --model says it");
}

// 0 where a number is not known.
struct Degrees {
  std::int64_t gpus = 0;
  std::int64_t others = 1;  // tp x pp x cp
  std::int64_t pp = 1;
  std::int64_t dp = 0;
  bool open = false;  // one of the others is not known
};

// Shards: 0 where their number is not known.
void read_sharding(ImportDraft& d, std::int64_t replicas, std::int64_t shards) {
  const std::int64_t cp = d.count_at("parallel.cp", 1);
  if (shards == 1 && cp == 1) return d.set("parallel.zero", 0);
  d.set("parallel.zero", 3);
  if (replicas > 1 && shards > 0) d.set("parallel.zero_shard_group", shards * cp);
}

Degrees read_degrees(ImportDraft& d, const Json& given) {
  Degrees g;
  for (const char* path : {"parallel.tp", "parallel.pp", "parallel.cp"}) {
    d.assume(path, 1, "not given");
    const Json& stated = value_at(given, path);
    const std::int64_t n =
        stated.is_number_integer() ? stated.get<std::int64_t>() : d.count_at(path, 1);
    g.others *= n;
    if (path == std::string_view("parallel.pp")) g.pp = n;
    g.open = g.open || d.is_open(path);
  }
  const Json& gpus = value_at(given, "cluster.gpus");
  if (gpus.is_number_integer()) g.gpus = gpus.get<std::int64_t>();
  const std::int64_t replicas =
      d.settings.count("data_parallel_replicate_degree", 1, kMostDegree).value_or(1);
  auto shard = d.settings.number("data_parallel_shard_degree", -1, double{kMostDegree});
  if (!shard) shard = d.settings.number("data_parallel_degree", -1, double{kMostDegree});
  std::int64_t shards = static_cast<std::int64_t>(shard.value_or(-1));
  if (shards == 0) d.settings.refuse("data_parallel_shard_degree", "-1 or at least 1");
  const std::int64_t known = g.others * replicas * std::max<std::int64_t>(1, shards);
  const bool fits = shards < 0 ? g.gpus % known == 0 : g.gpus == known;
  if (g.gpus > 0 && !fits) {
    d.refuse(
        "replicas x shards x tp x pp x cp",
        "they are " + std::to_string(known) + " GPUs, and there are " + std::to_string(g.gpus));
  }
  if (g.gpus == 0 && shards > 0) {
    d.set("cluster.gpus", known);
    d.note("cluster.gpus", std::to_string(known), "the product of the degrees");
  }
  if (shards < 0 && g.gpus > 0 && !g.open)
    shards = std::max<std::int64_t>(1, g.gpus / g.others / replicas);
  if (shards < 0 && replicas > 1) {
    d.open("parallel.zero_shard_group", "data_parallel_shard_degree -1",
           "of how many GPUs; give --gpus");
  }
  if (shards > 0) {
    g.dp = replicas * shards;
    d.set("parallel.dp", g.dp);
  }
  // Releases of 2024 name plain data parallelism.
  if (d.settings.word("data_parallel_type").value_or("fsdp") == "ddp") {
    d.set("parallel.zero", 0);
  } else {
    read_sharding(d, replicas, std::max<std::int64_t>(0, shards));
  }
  return g;
}

// Tokens that are whole sequences.
std::optional<std::int64_t> sequences(ImportDraft& d, const char* name) {
  const auto tokens = d.settings.count(name, 1);
  if (!tokens) return {};
  const std::int64_t length = d.count_at("training.sequence_length", 0);
  if (length == 0 || *tokens % length != 0) {
    d.settings.refuse(name, "a multiple of seq_len " + std::to_string(length));
  }
  return *tokens / length;
}

void read_batches(ImportDraft& d, const Degrees& g) {
  const auto tokens = sequences(d, "num_tokens_per_microbatch_per_dp_rank");
  auto local = d.settings.count("local_batch_size", 1, kMostDegree);
  if (!local) local = d.settings.count("batch_size", 1, kMostDegree);
  const bool pipeline = g.pp > 1;
  const auto part = d.settings.count("pipeline_parallel_microbatch_size", 1, kMostDegree);
  // Older files say how many, not how large.
  const auto parts = d.settings.count("pipeline_parallel_microbatches", 1, kMostDegree);
  if (tokens) {
    d.set("training.micro_batch", *tokens);
  } else if (pipeline && parts && local) {
    if (*local % *parts != 0)
      d.settings.refuse("pipeline_parallel_microbatches", std::to_string(*parts),
                        "a divisor of the local batch " + std::to_string(*local));
    d.set("training.micro_batch", *local / *parts);
  } else if (pipeline) {
    d.set("training.micro_batch", part.value_or(1));
  } else if (local) {
    d.set("training.micro_batch", *local);
  }
  d.settings.take("num_pp_microbatches");
  if (const auto global = sequences(d, "num_tokens_per_train_step")) {
    return d.set("training.global_batch", *global);
  }
  const auto global = d.settings.number("global_batch_size", -1, 1e12);
  if (global && *global > 0)
    return d.set("training.global_batch", static_cast<std::int64_t>(*global));
  if (!local) return;
  if (g.dp == 0) {
    return d.open(
        "training.global_batch",
        d.settings.written(d.settings.has("local_batch_size") ? "local_batch_size" : "batch_size"),
        g.open ? "of how many replicas, the open degrees say"
               : "of how many replicas; give --gpus");
  }
  d.set("training.global_batch", *local * g.dp);
  d.note("training.global_batch", std::to_string(*local * g.dp), "local_batch_size x replicas");
}

// "op", or the n of every n-th layer: how many layers that are is for fit_import.
void read_selective(ImportDraft& d) {
  const auto option = d.settings.word(kAcOption);
  if (option == "op") return d.set("parallel.recompute", "selective");
  const std::int64_t every = d.settings.count(kAcOption, 1, kMostDegree).value_or(kAcDefault);
  d.out.checkpointed_every = every;
  d.note("parallel.recompute", "full of one layer in " + std::to_string(every),
         option ? "as many layers of a stage, its first" : "torchtitan's default [from memory]");
}

// `whole`: the file says all; a command line changes what a registered configuration says.
void read_recompute(ImportDraft& d, bool whole) {
  constexpr std::array<std::string_view, 4> kModes = {"none", "selective", "full", "memory_budget"};
  const auto mode = d.settings.choice(kAcMode, kModes);
  d.settings.take("activation_checkpoint.memory_budget");
  if (mode == std::size_t{3}) {
    return d.open("parallel.recompute", std::string(kAcMode) + " memory_budget",
                  "the compiler chooses what is kept");
  }
  if (!mode && !whole) {
    return d.open("parallel.recompute", std::string(kAcMode) + " of the configuration",
                  "--recompute says it");
  }
  if (mode.value_or(1) == 1) return read_selective(d);
  d.settings.take(kAcOption);
  d.set("parallel.recompute", std::string(kModes[*mode]));
}

void read_compile(ImportDraft& d, bool whole) {
  const auto old = d.settings.flag("compile");
  const auto enabled = d.settings.flag("compile.enable");
  const auto components = d.settings.words("compile.components");
  if (!enabled && !old && !whole) {
    return d.open("parallel.framework_options.compile", "compile.enable of the configuration",
                  d.other_defaults.empty() ? "no file given says it" : d.other_defaults);
  }
  const bool on = enabled.value_or(old.value_or(false));
  // A list without "model" compiles the loss alone.
  const bool model = !components || std::find(components->begin(), components->end(), "model") !=
                                        components->end();
  d.set("parallel.framework_options.compile", on && model);
  if (!enabled && !old) d.note("parallel.framework_options.compile", "false", "not enabled");
  const bool loss =
      components && std::find(components->begin(), components->end(), "loss") != components->end();
  // Without a list the loss is compiled too, since the list exists.
  d.set("parallel.framework_options.compile_loss", on && (components ? loss : enabled.has_value()));
}

// Tables of converters that no list names.
void converters_off(ImportDraft& d) {
  for (const ForeignSetting& s : std::vector<ForeignSetting>(d.settings.all())) {
    const bool table = s.name.rfind("quantize.", 0) == 0 || s.name.rfind("float8.", 0) == 0 ||
                       s.name.rfind("mx.", 0) == 0;
    if (!table || s.taken) continue;
    d.settings.take(s.name);
    d.out.without_effect.push_back(s.written + " (no converter)");
  }
}

// Recipes of float8. Tensorwise scales gather weights in 8 bits only where FSDP is told to.
void read_float8(ImportDraft& d, bool rowwise) {
  const char* path = "parallel.framework_options.float8";
  std::optional<bool> gathers;
  for (const char* table : {"float8.", "quantize.linear.float8."}) {
    if (const auto given = d.settings.flag(std::string(table) + kGathersFloat8)) gathers = given;
  }
  d.set("training.precision", "fp8");
  if (rowwise) return d.set(path, "rowwise");
  d.set(path, gathers.value_or(false) ? "tensorwise" : "none");
  if (!gathers) d.note(path, "none", std::string("without ") + kGathersFloat8 + " [from memory]");
}

// float8 of linear layers trains in fp8.
void read_precision(ImportDraft& d) {
  constexpr std::array<std::string_view, 2> kTypes = {"bfloat16", "float32"};
  const auto type = d.settings.choice("mixed_precision_param", kTypes);
  d.set("training.precision", type.value_or(0) == 0 ? "bf16" : "fp32");
  constexpr std::array<std::string_view, 2> kRecipes = {"tensorwise", "rowwise"};
  auto recipe = d.settings.choice("quantize.linear.float8.recipe_name", kRecipes);
  if (!recipe) recipe = d.settings.choice("float8.recipe_name", kRecipes);
  const auto converters = d.settings.words("model.converters").value_or(std::vector<std::string>{});
  const auto converts = [&](const char* part, bool experts) {
    return std::any_of(converters.begin(), converters.end(), [&](const std::string& c) {
      const bool grouped = c.find("grouped_mm") != std::string::npos;
      return c.find(part) != std::string::npos && grouped == experts;
    });
  };
  for (const std::string& c : converters) {
    if (c.find("float8") == std::string::npos && c.find("mx") == std::string::npos)
      d.refuse("model.converters " + c, "a converter that is not read");
  }
  const bool converted = converts("float8", false);
  const std::string first = d.settings.text("fp8_linear").value_or("");
  const bool old = d.is_on("float8.enable_float8_linear") || (!first.empty() && first != "false");
  if (converts("mx", false)) return d.set("training.precision", "mxfp8");
  if (!converted && (converts("float8", true) || converts("mx", true)))
    return d.open("training.precision", d.settings.written("model.converters"),
                  "the experts alone; all layers are of one precision here");
  if (!converted && !old) {
    converters_off(d);
    if (!type && !d.other_defaults.empty())
      return d.open("training.precision",
                    "mixed_precision_param and converters of the configuration", d.other_defaults);
    if (!type) d.note("training.precision", "bf16", "FSDP's mixed_precision_param");
    return;
  }
  read_float8(d, recipe == std::size_t{1});
}

// States other than FSDP's usual ones: weights of dtype, gradients reduced in another type, and no
// gradients kept if the optimizer steps in the backward pass.
void read_states(ImportDraft& d) {
  constexpr std::array<std::string_view, 2> kTypes = {"float32", "bfloat16"};
  const double width = d.settings.choice("dtype", kTypes).value_or(0) == 0 ? 4 : 2;
  const double sent = d.settings.choice("mixed_precision_reduce", kTypes).value_or(0) == 0 ? 4 : 2;
  const bool at_once = d.is_on("optimizer.early_step_in_backward");
  if (width == 4 && sent == 4 && !at_once) return;
  d.set("training.states", {{"weights", width},
                            {"gradients", at_once ? 0 : width},
                            {"optimizer", 2 * width},
                            {"reduced", sent},
                            {"gathered", d.at("training.precision") == "fp32" ? 4 : 2}});
}

// Replicas that come and go, and those that meet every few steps (DiLoCo).
void fault_tolerance(ImportDraft& d) {
  const bool on = d.is_on("fault_tolerance.enable");
  const auto groups = d.settings.count("fault_tolerance.group_size", 0, kMostDegree);
  const auto method = d.settings.text("fault_tolerance.semi_sync_method");
  if (!on) return;
  if (method)
    d.refuse("fault_tolerance.semi_sync_method " + *method, "replicas meet in each step here");
  if (groups.value_or(0) > 1)
    d.refuse(d.settings.written("fault_tolerance.group_size"),
             "groups of replicas beside the GPUs of this file");
}

// AdamW unless it says otherwise.
void read_optimizer(ImportDraft& d) {
  const auto name = d.settings.text("optimizer.name");
  if (name && *name != "AdamW" && *name != "Adam")
    d.open("training.optimizer", d.settings.written("optimizer.name"),
           "Adam or AdamW; its states are others");
}

// Logits that every tensor rank has whole, and stages that a list of modules says.
void read_unlike(ImportDraft& d) {
  const bool older = d.settings.flag("enable_loss_parallel").value_or(true);
  const bool whole = d.is_on("disable_loss_parallel") || !older;
  if (whole && d.count_at("parallel.tp", 1) > 1)
    d.refuse(d.settings.written(older ? "disable_loss_parallel" : "enable_loss_parallel"),
             "the loss is shared by tensor ranks here");
  const char* modules = "module_fqns_per_model_part";
  if (d.settings.has(modules) && d.count_at("parallel.pp", 1) > 1)
    d.open("parallel.stage_layers", modules, "layers of each stage");
  d.settings.take(modules);
}

void read_rest(ImportDraft& d) {
  read_optimizer(d);
  read_unlike(d);
  const bool tp = d.count_at("parallel.tp", 1) > 1;
  const auto sequence = d.settings.flag("enable_sequence_parallel");
  d.set("parallel.sequence_parallel", tp && sequence.value_or(true));
  constexpr std::array<std::string_view, 2> kRotations = {"allgather", "alltoall"};
  const auto rotation = d.settings.choice("context_parallel_rotate_method", kRotations);
  // The all-to-all turns a ring by one place.
  if (rotation) d.set("parallel.cp_type", *rotation == 0 ? "all_gather" : "p2p");
  constexpr std::array<std::string_view, 3> kReshard = {"default", "always", "never"};
  const auto reshard = d.settings.choice("fsdp_reshard_after_forward", kReshard);
  if (reshard && *reshard > 0)
    d.set("parallel.framework_options.reshard_after_forward", std::string(kReshard[*reshard]));
  if (d.is_on("enable_cpu_offload")) {
    d.set("parallel.offload", {{"parameters", "host"}, {"optimizer", "host"}});
  }
  fault_tolerance(d);
  const auto steps = d.settings.count("steps", 1, 1'000'000'000);
  const double sequences = static_cast<double>(d.count_at("training.global_batch", 0)) *
                           static_cast<double>(d.count_at("training.sequence_length", 0));
  const double tokens = static_cast<double>(steps.value_or(0)) * sequences;
  if (tokens > 0 && tokens < 9e15) d.set("training.tokens", static_cast<std::int64_t>(tokens));
}

}  // namespace

// Layers of a model by its name, and the ranks of its experts where a configuration may say them.
static void read_named(const Json& model, const ConfigLookup& lookup, ImportDraft& d) {
  d.layers_of_named = layers_of_model({{"model", model}}, lookup);
  const bool open = !d.other_defaults.empty() && !d.settings.has("expert_parallel_degree");
  if (open && has_experts({{"model", model}}, lookup))
    d.open("parallel.ep", "expert_parallel_degree of the configuration", d.other_defaults);
}

std::string_view key_of_setting(const ForeignSetting& s) { return key_of(known_name(s.name)); }

bool is_harmless(const ForeignSetting& s) {
  const ImportDraft none{Settings(""), kWithoutEffect};
  const std::string name = known_name(s.name);
  return key_of(name).empty() &&
         (none.is_without_effect(name) || s.name.find('.') == std::string::npos);
}

ImportedRun import_settings(const NamedSettings& named, ImportJob& job, bool whole) {
  const Settings& settings = named.settings;
  ImportDraft d{by_known_names(settings), kWithoutEffect, kNotModelled, key_of, job.given,
                named.other_defaults};
  const Json& given = job.given;
  apply(job.assumed, d.settings, d.out);
  if (d.settings.all().empty()) {
    throw InputError(settings.file(), "", "no setting of torchtitan",
                     "[tables] or --table.key value");
  }
  for (const LeftOver& l : named.left) d.open(l.key, l.setting, l.why);
  d.set_aside_unknown_values();
  if (!named.model.empty()) d.assume_model(named.model, "by the name of the file's model");
  read_model(d);
  const Json& model = d.at("model").is_string() ? d.at("model") : value_at(given, "model");
  if (job.lookup != nullptr && !model.is_null()) read_named(model, *job.lookup, d);
  read_rows_of(kRows, d.settings, d.out.run);
  const Degrees degrees = read_degrees(d, given);
  read_batches(d, degrees);
  read_schedule(d);
  read_recompute(d, whole);
  read_compile(d, whole);
  read_precision(d);
  read_states(d);
  read_rest(d);
  d.note("framework", "torchtitan", "--framework takes another profile");
  d.set("framework", "torchtitan");
  d.list_leftovers();
  return std::move(d.out);
}

ImportedRun import_toml(const ForeignFile& file, ImportJob& job) {
  return import_settings({read_toml(file.text, file.name)}, job, true);
}

ImportedRun import_named(const NamedSettings& named, ImportJob& job) {
  return import_settings(named, job, named.other_defaults.empty());
}

}  // namespace orrery::torchtitan
