// SPDX-License-Identifier: Apache-2.0
#include "estimate/resolve.h"

#include <algorithm>

#include "core/error.h"
#include "core/json_reader.h"
#include "estimate/estimate.h"
#include "estimate/idle_codecs.h"
#include "estimate/inputs_json.h"
#include "estimate/level_interval.h"
#include "estimate/open_run.h"
#include "estimate/overlap_json.h"
#include "estimate/training_json.h"
#include "parallel/own_order.h"
#include "parallel/placement_json.h"

namespace orrery {
namespace {

constexpr const char* kDefaultFramework = "generic";

struct Document {
  Json json;
  std::string file;
  std::string path;  // in `file`; "" for a document of its own
  std::string name;
};

// A name, a path or an inline object.
Document find_document(const Reader& given, const std::string& what,
                       const std::function<std::optional<ConfigText>(const std::string&)>& find,
                       const std::function<std::vector<std::string>()>& names) {
  if (given.json().is_object()) return {given.json(), given.file(), given.path(), ""};
  if (!given.json().is_string()) given.fail("a name, a path or an object");
  const std::string name = given.text();
  const std::optional<ConfigText> found = find(name);
  if (!found) {
    const std::vector<std::string> known = names();
    given.fail(brief(given.json()), "a " + what + " (see `orrery list " + what + "s`) or a path",
               nearest_name(name, known));
  }
  return {parse_json(found->text, found->file), found->file, "", name};
}

Document find_framework(Reader& root, const ConfigLookup& lookup, ResolvedRun& out) {
  static const Json kGeneric = kDefaultFramework;
  const std::optional<Reader> given = root.find("framework");
  if (!given) {
    out.assumed.push_back({"framework", kDefaultFramework, "default"});
    return find_document(Reader(kGeneric, root.file(), "framework"), "framework", lookup.framework,
                         lookup.framework_names);
  }
  return find_document(*given, "framework", lookup.framework, lookup.framework_names);
}

void resolve_model(Reader& root, const ConfigLookup& lookup, ResolvedRun& out) {
  const Document d = find_document(root.at("model"), "model", lookup.model, lookup.model_names);
  out.model = read_model(d.json, d.file, d.path, d.name);
  for (char& c : out.model.name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  if (out.model.name.empty()) out.model.name = "unnamed model";
  out.model_name = out.model.name;
  out.run.model = out.model.architecture;
  for (const AssumedValue& a : out.model.assumed) {
    out.assumed.push_back({"model." + a.key, a.value.dump(), a.why});
  }
}

// Dropout the model file does not speak of is the framework's habit, where it has one.
void take_dropout_of_framework(ResolvedRun& out) {
  if (!out.framework.dropout) return;
  for (Assumed& a : out.assumed) {
    if (a.path != "model.dropout") continue;
    out.run.model.dropout = out.model.architecture.dropout = *out.framework.dropout;
    a.value = *out.framework.dropout ? "true" : "false";
    a.why = "the framework's";
  }
}

void resolve_framework(Reader& root, const ConfigLookup& lookup, const StrategyRequest& request,
                       ResolvedRun& out) {
  const Document d = find_framework(root, lookup, out);
  out.framework_file = d.file;
  const std::string options_path = request.framework_options_path.empty()
                                       ? "parallel.framework_options"
                                       : request.framework_options_path;
  out.framework =
      read_framework(d.json, d.file, request.framework_options, root.file(), options_path);
  out.run.framework = out.framework.framework;
  take_dropout_of_framework(out);
  for (const FrameworkOption& o : out.framework.options) {
    if (o.assumed) {
      out.assumed.push_back({"parallel.framework_options." + o.name, o.value, "the framework's"});
    }
  }
  if (!request.overlap.empty()) {
    apply_overlap(Reader(request.overlap, root.file(), request.overlap_path), out.run.framework);
  }
}

WireElements wire_elements(const Run& run) {
  return {element_bytes(storage_precision(run.training.precision)), gathered_bytes(run),
          run.training.recipe.reduced};
}

void resolve_compression(const ConfigLookup& lookup, const StrategyRequest& request,
                         ResolvedRun& out) {
  if (request.compression.is_null()) return;
  const Reader given(request.compression, out.file, request.compression_path);
  const Document d =
      find_document(given, "compression", lookup.compression, lookup.compression_names);
  out.compression = read_compression(Reader(d.json, d.file, d.path), wire_elements(out.run));
  if (out.compression.name.empty()) out.compression.name = d.name;
  out.run.compression = out.compression.compression;
}

// The order of a file, and the degrees it has where the run does not say them.
void read_schedule_file(const ConfigLookup& lookup, StrategyRequest& q, ResolvedRun& out) {
  if (q.schedule_file.empty()) return;
  const std::optional<ConfigText> found =
      lookup.schedule ? lookup.schedule(q.schedule_file) : std::nullopt;
  if (!found) {
    throw InputError(out.file, "parallel.schedule", "\"" + q.schedule_file + "\"",
                     "a schedule by name (see `orrery list schedules`) or the path of an order");
  }
  out.run.own_order = std::make_shared<const OwnOrder>(
      read_own_order(parse_json(found->text, found->file), found->file));
  const PipelineShape& shape = out.run.own_order->shape;
  const auto take = [&](std::optional<std::int64_t>& degree, const char* key, std::int64_t n) {
    if (degree) return;
    degree = n;
    out.assumed.push_back({std::string("parallel.") + key, std::to_string(n), "the schedule's"});
  };
  take(q.pp, "pp", shape.stages);
  take(q.vpp, "vpp", shape.chunks);
}

void check_own_order(const ResolvedRun& out) {
  if (!out.run.own_order) return;
  const PipelineShape& order = out.run.own_order->shape;
  const PipelineShape run = pipeline_shape(out.run);
  const auto agree = [&](const char* path, const char* what, std::int64_t found,
                         std::int64_t allowed) {
    if (found == allowed) return;
    throw InputError(out.file, path, std::string(what) + " " + std::to_string(found),
                     std::to_string(allowed) + ", as the schedule's file has");
  };
  agree("parallel.pp", "pp", run.stages, order.stages);
  agree("parallel.vpp", "vpp", run.chunks, order.chunks);
  agree("training.global_batch", "micro batches, global_batch/(dp·micro_batch),", run.micro_batches,
        order.micro_batches);
}

bool fits(const Run& run) { return estimate(run).reason != Reason::device_memory; }

// Full recompute of as few layers of each chunk as fit; of all where that does not.
void recompute_fewest_layers(Run& run) {
  Strategy& s = run.strategy;
  s.recompute = Recompute::full;
  s.recompute_method = RecomputeMethod::block;
  const std::int64_t chunks = s.pp * s.vpp;
  std::int64_t low = 1;
  std::int64_t high = (run.model.layers + chunks - 1) / chunks;
  while (low < high) {
    s.recompute_layers = (low + high) / 2;
    if (fits(run)) {
      high = s.recompute_layers;
    } else {
      low = s.recompute_layers + 1;
    }
  }
  s.recompute_layers = low;
  if (fits(run)) return;
  s.recompute_method = RecomputeMethod::uniform;
  s.recompute_layers = 0;
}

// None, selective, full of few layers, full: the first that fits; else the one that needs least.
void choose_recompute(ResolvedRun& out) {
  Strategy& s = out.run.strategy;
  s.recompute = Recompute::none;
  if (!fits(out.run)) s.recompute = Recompute::selective;
  if (!fits(out.run)) recompute_fewest_layers(out.run);
  std::string text(kRecomputeNames[static_cast<std::size_t>(s.recompute)]);
  if (s.recompute == Recompute::full && s.recompute_layers > 0) {
    text += ", recompute_method block, recompute_layers " + std::to_string(s.recompute_layers);
  }
  out.assumed.push_back({"parallel.recompute", text, "the least that fits"});
}

// A profile may have a switch of its own for what cp_type says: they say the same, or one is
// silent.
void agree_on_context(const StrategyRequest& request, ResolvedRun& out) {
  const std::string type(kContextTypeNames[static_cast<std::size_t>(out.run.strategy.cp_type)]);
  for (FrameworkOption& o : out.framework.options) {
    if (o.name != "cp_comm_type") continue;
    if (!o.assumed && request.cp_type && o.value != type) {
      throw InputError(out.file, "parallel.cp_type",
                       type + ", and framework_options.cp_comm_type " + o.value,
                       "one of them, or both alike");
    }
    o.value = type;
  }
}

void forget_assumption(const std::string& path, ResolvedRun& out) {
  const auto same = [&](const Assumed& a) { return a.path == path; };
  out.assumed.erase(std::remove_if(out.assumed.begin(), out.assumed.end(), same),
                    out.assumed.end());
}

// DeepSpeed's switches and our keys say the same, or one is silent.
void agree_on_sharding(const StrategyRequest& request, ResolvedRun& out) {
  const Strategy& s = out.run.strategy;
  const auto agree = [&](const char* option, const std::string& path, bool ours_given,
                         const std::string& ours) {
    for (FrameworkOption& o : out.framework.options) {
      if (o.name != option) continue;
      if (!o.assumed && ours_given && o.value != ours) {
        throw InputError(out.file, path, ours + ", and framework_options." + option + " " + o.value,
                         "one of them, or both alike");
      }
      if (o.value != ours) forget_assumption("parallel.framework_options." + o.name, out);
      o.value = ours;
    }
  };
  const auto word = [](std::int64_t bits) { return std::string(bits == 0 ? "false" : "true"); };
  const ZeroPlusPlus& z = s.zeropp;
  agree("zero_quantized_weights", "parallel.zeropp.qwz", request.qwz.has_value(), word(z.qwz));
  agree("zero_quantized_gradients", "parallel.zeropp.qgz", request.qgz.has_value(), word(z.qgz));
  agree("zero_hpz_partition_size", "parallel.zeropp.hpz", request.hpz.has_value(),
        std::to_string(std::max<std::int64_t>(1, z.hpz)));
  const bool groups = s.partition.optimizer > 1 && s.partition.optimizer < s.dp * s.cp;
  agree("mics_shard_size", "parallel.partition",
        request.partition.has_value() || request.zero_shard_group.has_value(),
        std::to_string(groups ? s.partition.optimizer : -1));
}

std::string lossy_dimensions(const Compression& c) {
  std::string text;
  for (std::size_t d = 0; d < kCommDimensions; ++d) {
    if (std::none_of(c.codecs[d].begin(), c.codecs[d].end(), is_lossy)) continue;
    text += (text.empty() ? "" : ", ") + std::string(kCommDimensionNames[d]);
  }
  return text;
}

StackLevel read_stack(Reader r) {
  StackLevel level;
  level.factor = r.at("factor").number(0.1, 10);
  level.spread = r.at("spread").number(0, 1);
  if (auto v = r.find("steps")) level.steps = v->integer(0, 1 << 30);
  r.reject_unknown();
  return level;
}

// A profile's own interval, else that of published runs like this one; narrowed by the user's own
// level.
void take_interval(Reader& root, const ConfigLookup& lookup, ResolvedRun& out) {
  Framework& f = out.run.framework;
  Accuracy table;
  if (lookup.accuracy) {
    if (const auto found = lookup.accuracy()) table = read_accuracy(found->text, found->file);
  }
  if (f.interval_low > 0) {
    out.interval = {f.interval_low, f.interval_high, 0, 0, "as the framework's profile says"};
  } else {
    out.interval = interval_of(table, out.run);
  }
  if (const auto stack = root.find("stack")) {
    const StackLevel level = read_stack(*stack);
    out.stack = stack->json();
    f.stack_factor *= level.factor;
    out.interval = interval_of(table, level, out.interval);
  }
  f.interval_low = out.interval.low;
  f.interval_high = out.interval.high;
}

void add_warnings(ResolvedRun& out) {
  const std::string lossy = lossy_dimensions(out.run.compression);
  if (!lossy.empty()) {
    out.warnings.push_back("compression of " + lossy +
                           " is lossy; what that does to the training is not predicted");
  }
  const std::string idle = idle_codecs(out.run);
  if (!idle.empty()) {
    out.warnings.push_back("compression of " + idle + " applies to nothing: this run sends none");
  }
  for (const std::string& note : out.cluster.notes) out.warnings.push_back(note);
  const ParameterCount n = parameter_count(out.run.model, out.run.training.sequence);
  const std::string size = parameter_warning(out.model, static_cast<double>(n.total));
  if (!size.empty()) out.warnings.push_back(size);
  const AttentionKernel kernel = kernel_choice(out.run).attention;
  const auto& known = out.run.framework.attention;
  if (out.run.training.fused_attention &&
      std::find(known.begin(), known.begin() + out.run.framework.attention_count, kernel) ==
          known.begin() + out.run.framework.attention_count) {
    out.warnings.push_back("none of the framework's attention kernels is known on this device; " +
                           std::string(kAttentionKernelNames[static_cast<std::size_t>(kernel)]) +
                           " is assumed");
  }
  if (!out.model.ignored_keys.empty()) {
    out.warnings.push_back("model: nothing is known of " + alternatives(out.model.ignored_keys) +
                           "; ignored, as Hugging Face files carry much that is not architecture");
  }
  if (!out.model.quantization.empty()) {
    out.warnings.push_back("model: quantization_config (" + out.model.quantization +
                           ") is about the weights as published, not about this run; ignored");
  }
}

// Everything of a run but its strategy, and what was asked of that.
struct WithoutStrategy {
  StrategyRequest request;
  ResolvedTraining training;
};

WithoutStrategy resolve_all_else(Reader& root, const ConfigLookup& lookup, ResolvedRun& out) {
  const std::string& file = out.file;
  root.must_be_object();
  root.allow("name");
  root.allow("assumed");  // a report's `inputs` are a run file
  resolve_model(root, lookup, out);
  out.cluster = read_cluster(root.at("cluster"), lookup.hardware);
  out.run.cluster = out.cluster.cluster;

  static const Json kNothing = Json::object();
  const std::optional<Reader> parallel = root.find("parallel");
  WithoutStrategy all;
  all.request = read_strategy(parallel ? *parallel : Reader(kNothing, file, "parallel"));
  read_schedule_file(lookup, all.request, out);
  resolve_framework(root, lookup, all.request, out);

  all.training = read_training(root.at("training"), out.run.cluster.device, out.framework.states);
  const ResolvedTraining& training = all.training;
  out.run.training = training.training;
  const Architecture& a = out.run.model;
  if (a.positions == PositionEmbedding::kLearned && a.max_positions > 0 &&
      out.run.training.sequence > a.max_positions) {
    throw InputError(file, "training.sequence_length", std::to_string(out.run.training.sequence),
                     "up to the model's " + std::to_string(a.max_positions) +
                         " learned positions (max_position_embeddings)");
  }
  out.states_name = training.states_name;
  if (out.run.framework.fp16_reduces_16_bits && out.run.training.precision == Precision::fp16) {
    StateRecipe& recipe = out.run.training.recipe;
    recipe.reduced = std::min(recipe.reduced, element_bytes(Precision::fp16));
  }
  out.assumed.insert(out.assumed.end(), training.assumed.begin(), training.assumed.end());
  if (auto v = root.find("flops_convention")) {
    out.run.convention = v->choice_of<FlopsConvention>(kFlopsConventionNames);
  } else {
    out.assumed.push_back({"flops_convention", "megatron", "default"});
  }
  take_interval(root, lookup, out);
  root.reject_unknown();
  const Training& t = out.run.training;
  out.run.model_flops = model_flops(out.run.model, out.run.convention, t.sequence, t.global_batch);
  resolve_compression(lookup, all.request, out);
  if (!all.request.placement.is_null()) {
    out.run.cluster.device_of_rank = read_placement(
        Reader(all.request.placement, file, all.request.placement_path), out.run.cluster);
  }
  return all;
}

}  // namespace

ResolvedRun resolve_run(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  ResolvedRun out;
  out.file = file;
  Reader root(run, file);
  const WithoutStrategy all = resolve_all_else(root, lookup, out);
  const StrategyRequest& request = all.request;

  const Framework& f = out.run.framework;
  const ResolvedStrategy strategy =
      resolve_strategy(request, out.run.model, shape_of(out.run), all.training.micro_batch,
                       {f.zero, f.cp_type, f.selective_modules, f.shard_group, f.zeropp}, file);
  out.run.strategy = strategy.strategy;
  out.assumed.insert(out.assumed.end(), strategy.assumed.begin(), strategy.assumed.end());
  agree_on_context(request, out);
  check_own_order(out);
  agree_on_sharding(request, out);
  if (strategy.recompute_open) choose_recompute(out);

  add_warnings(out);
  out.inputs = inputs_json(out, root.at("cluster").json(), all.training.optimizer, request.overlap);
  if (!request.placement.is_null()) out.inputs["parallel"]["placement"] = request.placement;
  if (!request.schedule_file.empty()) out.inputs["parallel"]["schedule"] = request.schedule_file;
  // As given: a path or an object is not the shipped profile of the same name.
  if (const auto own = root.find("framework")) out.inputs["framework"] = own->json();
  return out;
}

OpenRun resolve_open(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  OpenRun open;
  ResolvedRun& out = open.resolved;
  out.file = file;
  Reader root(run, file);
  const WithoutStrategy all = resolve_all_else(root, lookup, out);
  open.request = all.request;
  if (root.at("training").find("micro_batch")) open.micro_batch = all.training.micro_batch;
  add_warnings(out);
  return open;
}

}  // namespace orrery
