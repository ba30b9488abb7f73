// SPDX-License-Identifier: Apache-2.0
#include "estimate/resolve.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/json_reader.h"
#include "core/key_access.h"
#include "core/one_line.h"
#include "core/units.h"
#include "estimate/accuracy.h"
#include "estimate/balanced_stages.h"
#include "estimate/cached_parts.h"
#include "estimate/conflicting_settings.h"
#include "estimate/framework_document.h"
#include "estimate/given_document.h"
#include "estimate/inputs_json.h"
#include "estimate/mixed_document.h"
#include "estimate/open_resolve.h"
#include "estimate/open_run.h"
#include "estimate/origins.h"
#include "estimate/overlap.h"
#include "estimate/rl_document.h"
#include "estimate/rl_resolve.h"
#include "estimate/run_keys.h"
#include "estimate/run_warnings.h"
#include "estimate/sample.h"
#include "estimate/sites_resolve.h"
#include "estimate/trained_model.h"
#include "estimate/training_json.h"
#include "estimate/workspace.h"
#include "hardware/cluster_keys.h"
#include "hardware/cluster_links.h"
#include "parallel/own_order.h"
#include "parallel/placement_json.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

struct ModelPart {
  ModelDescription model;
  std::vector<Fact> assumed;
};

ModelPart model_part(const Reader& given, const ConfigLookup& lookup) {
  const GivenDocument d = find_document(given, "model", lookup.model, lookup.model_names);
  ModelPart out{read_model(d.json, d.file, d.path, d.name), {}};
  out.model.name = one_line(out.model.name);
  if (out.model.name.empty()) out.model.name = "unnamed model";
  for (const AssumedValue& a : out.model.assumed) {
    out.assumed.push_back(
        {"model." + a.key, bare_text(*a.value), a.why, Known::tool_default, kOurDefault});
  }
  return out;
}

void resolve_model(Reader& root, const ConfigLookup& lookup, ResolvedRun& out) {
  const Reader given = at_key<&RunRequest::model>(root);
  const auto part =
      cached_part<ModelPart>(RunPart::model, out.file, {&given.json()}, lookup,
                             [&](const ConfigLookup& asked) { return model_part(given, asked); });
  out.model = part->model;
  out.model_name = out.model.name;
  out.run.model = out.model.architecture;
  out.assumed.insert(out.assumed.end(), part->assumed.begin(), part->assumed.end());
}

void resolve_cluster(Reader& root, const ConfigLookup& lookup, ResolvedRun& out) {
  const Reader given = at_key<&RunRequest::cluster>(root);
  refuse_groups(given);
  out.cluster = *cached_part<ResolvedCluster>(
      RunPart::cluster, out.file, {&given.json()}, lookup,
      [&](const ConfigLookup& asked) { return read_cluster(given, asked.hardware); });
  out.run.cluster = out.cluster.cluster;
}

std::string name_of_framework(const ResolvedRun& out) {
  return std::string(out.run.framework.name.view());
}

// Dropout the model file does not speak of is the framework's habit, where it has one.
void take_dropout_of_framework(ResolvedRun& out) {
  if (!out.framework.dropout) return;
  for (Fact& a : out.assumed) {
    if (a.path != "model.dropout") continue;
    out.run.model.dropout = out.model.architecture.dropout = *out.framework.dropout;
    a.value = *out.framework.dropout ? "true" : "false";
    a.why = "the framework's";
    a.where = name_of_framework(out);
  }
}

struct FrameworkPart {
  FrameworkProfile profile;
  std::string file;
};

FrameworkPart framework_part(const Reader& given, const Json& options, const std::string& run_file,
                             const ConfigLookup& lookup) {
  const GivenDocument d =
      find_document(given, "framework", lookup.framework, lookup.framework_names);
  std::vector<std::string> notes;
  const Json document = with_inherited(d.json, d.file, lookup, notes);
  FrameworkPart part{read_framework(document, d.file, options, run_file,
                                    key_path<&StrategyRequest::framework_options>),
                     d.file};
  part.profile.notes = std::move(notes);
  return part;
}

void resolve_framework(Reader& root, const ConfigLookup& lookup, const StrategyRequest& request,
                       ResolvedRun& out) {
  static const Json kGeneric = kDefaultFramework;
  static const Json kNoOptions = Json::object();
  const char* path = key_path<&RunRequest::framework>;
  const std::optional<Reader> own = find_key<&RunRequest::framework>(root);
  if (!own) {
    out.assumed.push_back({path, kDefaultFramework, "not given", Known::tool_default, kOurDefault});
  }
  const Reader given = own ? *own : Reader(kGeneric, root.file(), path);
  const Json& options = request.framework_options ? *request.framework_options : kNoOptions;
  const auto part = cached_part<FrameworkPart>(
      RunPart::framework, out.file, {&given.json(), &options}, lookup,
      [&](const ConfigLookup& asked) { return framework_part(given, options, out.file, asked); });
  out.framework = part->profile;
  out.framework_file = part->file;
  out.run.framework = out.framework.framework;
  take_dropout_of_framework(out);
  for (const FrameworkOption& o : out.framework.options) {
    if (!o.assumed) continue;
    const std::string option =
        std::string(key_path<&StrategyRequest::framework_options>) + "." + o.name;
    out.assumed.push_back(
        {option, o.value, "the framework's", Known::tool_default, name_of_framework(out)});
  }
  apply_overlap(request.overlap, root.file(), out.run.framework);
}

WireElements wire_elements(const Run& run) {
  return {element_bytes(storage_precision(run.training.precision)), gathered_bytes(run),
          run.training.recipe.reduced};
}

void resolve_compression(const ConfigLookup& lookup, const StrategyRequest& request,
                         ResolvedRun& out) {
  if (!request.compression) return;
  const Reader given(*request.compression, out.file, key_path<&StrategyRequest::compression>);
  const GivenDocument d =
      find_document(given, "compression", lookup.compression, lookup.compression_names);
  out.compression = read_compression(Reader(d.json, d.file, d.path), wire_elements(out.run));
  if (out.compression.name.empty()) out.compression.name = d.name;
  out.run.compression = out.compression.compression;
}

OwnOrder own_order(const ConfigLookup& lookup, const StrategyRequest& q, const ResolvedRun& out) {
  const std::optional<ConfigText> found =
      lookup.schedule ? lookup.schedule(q.schedule_file) : std::nullopt;
  if (!found) {
    throw InputError(out.file, key_path<&Strategy::schedule>, "\"" + q.schedule_file + "\"",
                     "a schedule by name (see `orrery list schedules`) or the path of an order");
  }
  return read_own_order(parse_json(found->text, found->file), found->file);
}

// The order of a file, and the degrees it has where the run does not say them.
void read_schedule_file(const ConfigLookup& lookup, StrategyRequest& q, ResolvedRun& out) {
  if (q.schedule_file.empty()) return;
  const Json path = q.schedule_file;
  out.run.own_order =
      cached_part<OwnOrder>(RunPart::schedule, out.file, {&path}, lookup,
                            [&](const ConfigLookup& asked) { return own_order(asked, q, out); });
  const PipelineShape& shape = out.run.own_order->shape;
  const auto take = [&](std::optional<std::int64_t>& degree, const char* path, std::int64_t n) {
    if (degree) return;
    degree = n;
    out.assumed.push_back(
        {path, std::to_string(n), "the schedule's", Known::derived, q.schedule_file});
  };
  take(q.pp, key_path<&Strategy::pp>, shape.stages);
  take(q.vpp, key_path<&Strategy::vpp>, shape.chunks);
}

std::shared_ptr<const Accuracy> accuracy_of(const ConfigLookup& lookup) {
  return cached_part<Accuracy>(RunPart::accuracy, "", {}, lookup, [](const ConfigLookup& asked) {
    const auto found = asked.accuracy ? asked.accuracy() : std::nullopt;
    return found ? read_accuracy(found->text, found->file) : Accuracy();
  });
}

// A profile's own interval, else that of published runs like this one; narrowed by the user's own
// level.
void take_interval(const RunRequest& request, const ConfigLookup& lookup, ResolvedRun& out) {
  Framework& f = out.run.framework;
  const std::shared_ptr<const Accuracy> all = accuracy_of(lookup);
  const Accuracy& table = *all;
  if (f.level.interval_low > 0) {
    out.interval = {f.level.interval_low, f.level.interval_high, 0, 0,
                    "as the framework's profile says"};
  } else {
    out.interval = interval_of(table, out.run);
  }
  if (request.stack) {
    out.stack = request.stack;
    f.level.factor *= request.stack->factor;
    out.interval = interval_of(table, *request.stack, out.interval);
  }
  out.memory = memory_interval_of(table, out.run);
  out.risk = request.risk;
  out.run.memory_risk = memory_risk(out.memory, request.risk.value_or(kDefaultRisk));
  f.level.interval_low = out.interval.low;
  f.level.interval_high = out.interval.high;
}

// The levels of the run's own site, over the documents' constants.
void take_site(Reader& root, const RunRequest& request, const ConfigLookup& lookup,
               ResolvedRun& out) {
  Reader cluster = at_key<&RunRequest::cluster>(root);
  const auto given = find_key<&ClusterRequest::site>(cluster);
  if (!given) return;
  if (request.stack) {
    given->fail("a site beside `stack`", "one of them: a site's levels hold the stack's own");
  }
  Site site = site_at(*given, lookup.hardware);
  const std::string device(out.run.cluster.device.name.view());
  if (site.device != device) {
    given->fail("levels of " + site.device, "a site of this run's device, " + device);
  }
  apply(site, out.run);
  out.site = std::move(site);
}

// Everything of a run but its strategy, and what was asked of that.
struct WithoutStrategy {
  StrategyRequest request;
  std::optional<std::int64_t> micro_batch;  // as asked
  ResolvedTraining training;
};

// Paths of the values that an object says.
void add_given_keys(const Json& object, const std::string& prefix,
                    std::vector<std::string>& stated) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      add_given_keys(value, prefix + key + ".", stated);
    } else if (!value.is_null()) {
      stated.push_back(prefix + key);
    }
  }
}

// A profile that names no kernel has all.
std::span<const AttentionKernel> attention_kernels(const FrameworkKernels& k) {
  if (k.attention_count == 0) return kAllOf<AttentionKernel>;
  return {k.attention.data(), k.attention_count};
}

// How the ranks share a loss over the pairs of a batch.
void take_pairs(const TrainingRequest& asked, ResolvedRun& out) {
  Trunk& t = out.run.model.trunk;
  const char* given = asked.pair_logits      ? key_path<&TrainingRequest::pair_logits>
                      : asked.pair_gradients ? key_path<&TrainingRequest::pair_gradients>
                                             : nullptr;
  if (given == nullptr) return;
  if (t.kinds == 0 || t.loss != TrunkLoss::pairs) {
    throw InputError(ErrorCode::broken_rule, out.file, given, "it",
                     "it left out: the model has no softmax over the pairs of a batch");
  }
  t.repeats_pairs = asked.pair_logits == PairLogits::global;
  t.pair_gradients = asked.pair_gradients.value_or(t.pair_gradients);
}

// The teacher is the moving average.
void take_teacher(TrainingRequest& asked, const ResolvedRun& out) {
  if (!asked.distillation) return;
  const char* beside = asked.adapter ? key_path<&TrainingRequest::adapter>
                       : asked.ema.value_or(EmaPlace::device) != EmaPlace::device
                           ? key_path<&TrainingRequest::ema>
                           : nullptr;
  if (beside != nullptr) {
    throw InputError(ErrorCode::conflict, out.file, beside, "it beside training.distillation",
                     "a teacher on the device and all weights training");
  }
  asked.ema = EmaPlace::device;
}

void take_buckets(const TrainingRequest& asked, const Buckets& buckets, ResolvedRun& out) {
  Training& t = out.run.training;
  if (asked.bucket_draw && !asked.buckets) {
    throw InputError(ErrorCode::conflict, out.file, key_path<&TrainingRequest::bucket_draw>,
                     "it without training.buckets", "buckets beside it");
  }
  t.buckets = buckets;
  t.buckets.draw = asked.bucket_draw.value_or(t.buckets.draw);
  if (asked.samples) {
    t.tokens = std::llround(static_cast<double>(t.tokens) / samples_factor(buckets));
  }
}

void resolve_training_of(Reader& root, WithoutStrategy& all, ResolvedRun& out) {
  Run& run = out.run;
  const Reader training = at_key<&RunRequest::training>(root);
  Buckets buckets;
  const Json sampled = sampled_training(training, run.model.trunk, buckets, out.assumed);
  out.model.architecture.trunk.text = run.model.trunk.text;
  TrainingRequest asked =
      read_keys(kTrainingKeys, Reader(sampled, training.file(), kTrainingKeys.path));
  take_teacher(asked, out);
  add_given_keys(training.json(), "", out.training_keys);
  all.micro_batch = asked.micro_batch;
  all.training =
      resolve_training(asked, run.cluster.device,
                       {out.framework.states, out.framework.fp16_states, name_of_framework(out),
                        attention_kernels(run.framework.kernels)},
                       out.file);
  run.training = all.training.training;
  take_buckets(asked, buckets, out);
  run.model.trunk.batch = run.training.global_batch;
  take_pairs(asked, out);
  check_learned_positions(out);
  take_tower(out);
  if (!all.training.request.recipe) out.states_name = *all.training.request.states;
  out.assumed.insert(out.assumed.end(), all.training.assumed.begin(), all.training.assumed.end());
}

void resolve_convention(const RunRequest& request, ResolvedRun& out) {
  out.run.convention = request.flops_convention.value_or(out.run.convention);
  if (request.flops_convention) return;
  const Key& key = key_row<&RunRequest::flops_convention>;
  out.assumed.push_back({key_path<&RunRequest::flops_convention>, std::string(key.otherwise.value),
                         std::string(key.otherwise.why), Known::tool_default, kOurDefault});
}

void resolve_placement(const StrategyRequest& request, ResolvedRun& out) {
  if (!request.placement) return;
  const Reader given(*request.placement, out.file, key_path<&StrategyRequest::placement>);
  Cluster& c = out.run.cluster;
  c.listed_devices = read_placement(given, c);
  c.device_of_rank = out_of_order(c.listed_devices, c);
}

// Recorded as open by an answer that this run was taken from, and unchanged since.
bool is_recorded_open(const Json& run, const std::string& path) {
  const Json& facts = value_at(run, key_name<&RunRequest::assumed>);
  return facts.is_array() && std::any_of(facts.begin(), facts.end(), [&](const Json& fact) {
           return value_at(fact, "path") == path &&
                  value_at(fact, "known") == name_of(Known::open) &&
                  value_at(fact, "value") == bare_text(value_at(run, path));
         });
}

template <auto... Members>
void leave_open(const Json& run, StrategyRequest& request, std::vector<std::string>& keys) {
  const auto leave = [&](auto& member, const char* path, std::string_view key) {
    if (!member || !is_recorded_open(run, path)) return;
    member.reset();
    std::erase(keys, key);
  };
  (leave(request.*Members, key_path<Members>, key_name<Members>), ...);
}

StrategyRequest request_of(Reader& root, ResolvedRun& out) {
  static const Json kNothing = Json::object();
  const std::optional<Reader> given = find_key<&RunRequest::parallel>(root);
  const Reader parallel = given ? *given : Reader(kNothing, out.file, kStrategyKeys.path);
  StrategyRequest request = read_strategy(parallel);
  for (const auto& [key, value] : parallel.json().items()) {
    if (!value.is_null()) out.parallel_keys.push_back(key);
  }
  leave_open<&StrategyRequest::recompute, &StrategyRequest::recompute_method,
             &StrategyRequest::recompute_layers>(root.json(), request, out.parallel_keys);
  return request;
}

WithoutStrategy resolve_all_else(Reader& root, const ConfigLookup& lookup, ResolvedRun& out) {
  root.must_be_object();
  RunRequest request;
  read_known(kRunKeys, root, request);
  refuse_generation_alone(request, root);
  resolve_model(root, lookup, out);
  resolve_cluster(root, lookup, out);

  WithoutStrategy all;
  all.request = request_of(root, out);
  read_schedule_file(lookup, all.request, out);
  resolve_framework(root, lookup, all.request, out);
  resolve_training_of(root, all, out);
  resolve_convention(request, out);
  take_sites(root, out);
  take_site(root, request, lookup, out);
  take_interval(request, lookup, out);
  root.allow(kSearchKey);
  root.reject_unknown();
  const Training& t = out.run.training;
  check_adapter(out);
  out.run.model_flops = model_flops(out.run.model, out.run.convention, counted(t, t.global_batch));
  resolve_compression(lookup, all.request, out);
  resolve_placement(all.request, out);
  return all;
}

// The interval that a site's levels leave depends on what the step waits for.
void narrow_by_site(ResolvedRun& out) {
  if (!out.site) return;
  Workspace workspace;
  out.interval = interval_of(*out.site, out.run, out.open, workspace, out.interval);
  out.run.framework.level.interval_low = out.interval.low;
  out.run.framework.level.interval_high = out.interval.high;
}

enum class OpenKeys : bool { predicted, chosen };

// Strategy, and what follows from it.
void resolve_strategy_of(const WithoutStrategy& all, OpenKeys open, ResolvedRun& out) {
  const StrategyRequest& request = all.request;
  refuse_group_keys(request, out.file);
  const Framework& f = out.run.framework;
  const ResolvedStrategy strategy = resolve_strategy(
      request, out.run.model, shape_of(out.run), *all.training.request.micro_batch,
      {f.sharding.zero, f.cp_type, f.recompute.selective, f.sharding.group, f.sharding.zeropp,
       f.pipeline.layer_split, f.sequence_parallel, f.recompute.offloaded, out.run.sites.count,
       devices_within(out.run.cluster, f.sharding.within), name_of_framework(out)},
      out.file);
  out.run.strategy = strategy.strategy;
  out.assumed.insert(out.assumed.end(), strategy.assumed.begin(), strategy.assumed.end());
  agree_on_context(request, out);
  agree_on_precision(out);
  check_own_order(out);
  agree_on_sharding(request, out);
  out.recompute_open = strategy.recompute_open;
  if (out.recompute_open) {
    open == OpenKeys::predicted ? predict_recompute(out) : choose_recompute(out);
  }
  if (request.balanced_stages) balance_stages(out);
  if (open == OpenKeys::predicted) predict_expert_load(out);
  narrow_by_site(out);
}

ResolvedRun resolve_whole(const Json& given, const std::string& file, const ConfigLookup& lookup,
                          const std::vector<Fact>& changes, OpenKeys open,
                          LearnerDocument* learner = nullptr) {
  const Json& run = learner != nullptr ? *learner->run : given;
  if (learner == nullptr) refuse_rl(given, file);
  ResolvedRun out;
  out.file = file;
  Reader root(run, file);
  const WithoutStrategy all = resolve_all_else(root, lookup, out);
  resolve_strategy_of(all, open, out);
  out.warnings = run_warnings(out);
  const Reader cluster = at_key<&RunRequest::cluster>(root);
  Json inputs = inputs_json(out, cluster.json(), all.training.request, all.request);
  // The framework as given: a path or an object is not the shipped profile of the same name.
  if (const auto own = find_key<&RunRequest::framework>(root)) {
    at_key<&RunRequest::framework>(inputs) = own->json();
  }
  for (const std::string& layout :
       beyond_runs(out.framework, at_key<&RunRequest::parallel>(inputs))) {
    out.warnings.push_back("framework " + std::string(out.run.framework.name.view()) +
                           " is known to run " + layout + " is priced as asked");
  }
  if (learner != nullptr) {
    out.rl = resolve_rl(given, file, lookup, *learner, out.run, inputs);
    for (std::string& line : placement_warnings(*out.rl)) out.warnings.push_back(std::move(line));
    for (Fact& f : learner->derived) out.assumed.push_back(std::move(f));
  }
  out.inputs = std::move(inputs);
  take_origins(given, changes, out);
  return out;
}

}  // namespace

ResolvedRun resolve_run(const Json& run, const std::string& file, const ConfigLookup& lookup,
                        const std::vector<Fact>& changes) {
  return resolve_whole(run, file, lookup, changes, OpenKeys::predicted);
}

ResolvedRun resolve_with_rl(const Json& run, const std::string& file, const ConfigLookup& lookup,
                            const std::vector<Fact>& changes) {
  std::optional<LearnerDocument> learner = learner_document(run, file);
  return resolve_whole(run, file, lookup, changes, OpenKeys::predicted,
                       learner ? &*learner : nullptr);
}

ResolvedRun resolve_chosen(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  return resolve_whole(run, file, lookup, {}, OpenKeys::chosen);
}

ResolvedRun resolve_for_numbers(const Json& run, const std::string& file,
                                const ConfigLookup& lookup) {
  refuse_rl(run, file);
  ResolvedRun out;
  out.file = file;
  Reader root(run, file);
  resolve_strategy_of(resolve_all_else(root, lookup, out), OpenKeys::predicted, out);
  return out;
}

namespace {

OpenRun resolve_all_open(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  OpenRun open;
  ResolvedRun& out = open.resolved;
  out.file = file;
  Reader root(run, file);
  const WithoutStrategy all = resolve_all_else(root, lookup, out);
  open.request = all.request;
  open.micro_batch = all.micro_batch;
  out.warnings = run_warnings(out);
  return open;
}

}  // namespace

OpenRun resolve_open(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  refuse_rl(run, file);
  return resolve_all_open(run, file, lookup);
}

OpenRun resolve_open_learner(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  const std::optional<LearnerDocument> learner = learner_document(run, file);
  if (!learner) ask_for_rl(file);
  OpenRun open = resolve_all_open(*learner->run, file, lookup);
  Json unused = Json::object();
  open.resolved.rl = resolve_rl(run, file, lookup, *learner, open.resolved.run, unused);
  return open;
}

}  // namespace orrery
