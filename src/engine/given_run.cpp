// SPDX-License-Identifier: Apache-2.0
#include "engine/given_run.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/units.h"
#include "engine/foreign_run.h"
#include "engine/given_names.h"
#include "engine/group_names.h"
#include "engine/missing_flags.h"
#include "engine/options.h"
#include "engine/other_tool.h"
#include "engine/overrides.h"
#include "engine/run_files.h"
#include "engine/short_flags.h"
#include "estimate/accuracy.h"
#include "estimate/estimate.h"
#include "estimate/mixed_document.h"
#include "estimate/open_run.h"
#include "estimate/origins.h"
#include "estimate/run_keys.h"
#include "exchange/hub_names.h"
#include "exchange/logs/training_log.h"
#include "exchange/text_lines.h"
#include "hardware/cluster_keys.h"
#include "insight/against.h"
#include "validate/observed.h"

namespace orrery {
namespace {

std::string stack_of(const Run& run) {
  return std::string(run.framework.name.view()) + " on " +
         std::string(run.cluster.device.name.view());
}

// A step of another run tells of this one's stack where both have its framework and devices; this
// one's calibration holds for it too.
void take_stack_of(const RunSource& at_hand, const std::string& file, const ConfigSource& configs,
                   RunSource& run) {
  const auto resolved = [&configs](const RunSource& r) {
    return resolve_open(r.json, r.file, config_lookup(configs, r.beside)).resolved;
  };
  const std::string own = stack_of(resolved(at_hand).run);
  const std::string found = stack_of(resolved(run).run);
  if (own != found) {
    throw InputError(file, "", "a run of " + found,
                     "runs of this one's framework and device: " + own);
  }
  const auto calibration = [](Json& json) -> Json& {
    return at_key<&ClusterRequest::calibration>(at_key<&RunRequest::cluster>(json));
  };
  Json mine = at_hand.json;
  if (calibration(run.json).is_null()) calibration(run.json) = calibration(mine);
}

double log_of(const ObservedStep& step, RunSource run, const ConfigSource& configs) {
  erase_key<&RunRequest::stack>(run.json);
  const ResolvedRun resolved = resolve_run(run.json, run.file, config_lookup(configs, run.beside));
  return std::log(step.time / estimate(resolved.run).step_time);
}

// The flag of the key, else --set: the same whoever asks.
Fact fact_of(const Override& o) {
  const std::string flag = flag_of_key(o.path);
  return {o.path, bare_text(o.value), "", Known::stated, flag.empty() ? "--set" : flag};
}

// A log may begin with "[2026-01-01 …" or "{'loss': …".
bool begins_as_json(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t at = text.find_first_not_of(kBlanks);
  if (at == std::string_view::npos) return false;
  const std::size_t next = text.find_first_not_of(kBlanks, at + 1);
  const char second = next == std::string_view::npos ? ' ' : text[next];
  return (text[at] == '[' && (second == '{' || second == ']')) ||
         (text[at] == '{' && (second == '"' || second == '}'));
}

// Another run, machine or unit: no stack is that far from another.
void refuse_far_level(const StackLevel& level, const std::string& file) {
  constexpr double kMost = 10;
  if (level.factor >= 1 / kMost && level.factor <= kMost) return;
  const double round = level.factor > kMost ? std::round(level.factor) : level.factor;
  throw InputError(file, "", "a step of " + shortest(round) + " times the predicted one",
                   "a log of this run: 0.1 to 10 times");
}

// A model's name where a run is asked for.
void refuse_model_name(const std::string& name, const ConfigSource& configs) {
  if (find_config(configs, ConfigKind::run, name)) return;
  if (shipped_model(name).empty() && !find_config(configs, ConfigKind::model, name)) return;
  throw InputError(
      ErrorCode::unknown_name, name, "", "a model where a run is asked for",
      "--model " + name + " with --node NAME --gpus N --sequence-length N --global-batch N");
}

RunSource source_of(const GivenRun& given, const ConfigSource& configs) {
  const auto of = [](const RequestDocument& d) { return RunSource{d.json, d.file, d.beside, {}}; };
  if (given.document) return of(*given.document);
  if (!given.name.empty()) {
    refuse_model_name(given.name, configs);
    return of(named_document(ConfigKind::run, given.name, configs));
  }
  RunSource source;
  source.file = given.asker == Asker::flags ? "command line" : "request";
  return source;
}

// "8xA100" beside a file that says its GPUs is the kind of node: the number is the file's. A
// smaller one gets a warning, as does another number than that of --nodes, which holds.
void keep_gpus_of_files(const GivenRun& given, const ConfigText& foreign,
                        const ConfigSource& configs, Json& own,
                        std::vector<std::string>& warnings) {
  constexpr const char* kGpus = key_path<&ClusterRequest::gpus>;
  if (!value_at(own, kGpus).is_null()) return;
  const ConfigLookup lookup = config_lookup(configs);
  Json named = own;
  std::vector<Fact> facts;
  take_node(lookup, "command line", given.nodes, named, facts);
  const Json counted = value_at(named, kGpus);
  if (!counted.is_number_integer()) return;
  named["cluster"].erase(key_name<&ClusterRequest::gpus>);
  const std::int64_t stated = gpus_of_foreign(foreign, given.with, named, configs);
  const auto each = counted.get<std::int64_t>();
  if (given.nodes) {
    if (stated > 0 && stated != each) {
      warnings.push_back(foreign.file + ": GPUs: " + std::to_string(each) +
                         " by --nodes, not the " + std::to_string(stated) + " of the file");
    }
    return;
  }
  if (stated < 1 || (stated > each && stated % each != 0)) return;
  set_at(own, kGpus, stated);
  if (stated < each) {
    warnings.push_back(foreign.file + ": GPUs: " + std::to_string(stated) + ", not the " +
                       std::to_string(each) + " of the node; --gpus " + std::to_string(each) +
                       " for all");
  }
}

// A run file, or any file of another tool that `import` reads.
RunSource foreign_source(const GivenRun& given, const ConfigSource& configs) {
  const auto foreign = given.name.empty() || given.document
                           ? std::nullopt
                           : foreign_text_at(given.name, configs, !given.with.empty());
  if (!foreign && !given.with.empty()) {
    throw InputError("orrery", "", "one argument too many: " + given.with.front(),
                     "one run, or files of one training of another tool");
  }
  if (!foreign) return source_of(given, configs);
  const ConfigLookup lookup = config_lookup(configs);
  Json own = Json::object();
  std::vector<Fact> facts;
  for (const Override& o : given.overrides) {
    apply_override(o, lookup, own);
    take_names(lookup, o.flag, own, facts);
  }
  RunSource source;
  keep_gpus_of_files(given, *foreign, configs, own, source.warnings);
  take_node(lookup, "command line", given.nodes, own, facts);
  source.is_imported = true;
  source.json = run_of_foreign(*foreign, given.with, own, configs, source.warnings, source.read);
  source.file = foreign->file;
  source.beside = directory_of(foreign->file);
  return source;
}

// A model's config.json where a run is asked for is the model of one that flags describe.
GivenRun by_model_flag(GivenRun given, const ConfigSource& configs) {
  const bool is_alone = !given.name.empty() && !given.document && given.with.empty();
  if (!is_alone || !is_model_file(given.name, configs)) return given;
  const std::string path = is_path(given.name) ? given.name : "./" + given.name;
  given.overrides.insert(given.overrides.begin(),
                         {"--model " + path, key_path<&RunRequest::model>, path});
  given.name.clear();
  return given;
}

// GPUs of a run that flags describe, where they name a whole node and no number.
void take_whole_node(RunSource& source) {
  constexpr const char* kGpus = key_path<&ClusterRequest::gpus>;
  const Json& node = value_at(source.json, key_path<&ClusterRequest::node>);
  const bool has_model = !value_at(source.json, key_path<&RunRequest::model>).is_null();
  if (!has_model || !node.is_string() || !value_at(source.json, kGpus).is_null() ||
      has_groups(source.json))
    return;
  const std::string name = node.get<std::string>();
  const auto found = source.lookup.hardware.find(HardwareKind::node, name);
  if (!found) return;
  const Json document = parse_json(found->text, found->file);
  const Json& gpus = value_at(document, "devices_per_node");
  if (!gpus.is_number_integer()) return;
  set_at(source.json, kGpus, gpus);
  source.changes.push_back({kGpus, bare_text(gpus), kWholeNode, Known::derived, kNameOf + name});
}

// {"run", "set", …}: changes of this run alone; those of the request go over them. Without a run
// the settings describe it.
void take_changed_run(const Reader& value, GivenRun& given) {
  Request own(value.json(), given.asker);
  GivenRun one = given_run(own);
  own.done();
  one.overrides.insert(one.overrides.end(), given.overrides.begin(), given.overrides.end());
  if (given.observed) one.observed = given.observed;
  given = std::move(one);
}

}  // namespace

RunSource run_of_step(const ObservedStep& step, const RunSource& at_hand, const std::string& file,
                      const ConfigSource& configs) {
  if (!step.run) return {at_hand.json, file, "", {}};
  const std::string beside = directory_of(file);
  if (step.run->is_object()) return {*step.run, file, beside, {}};
  const std::string name = step.run->get<std::string>();
  // Beside its file first: a path in a document is that document's own.
  const std::string own = beside.empty() ? name : beside + "/" + name;
  const bool there = is_path(name) && configs.open && configs.open(own);
  GivenRun given;
  given.name = there ? own : name;
  RunSource found;
  use_run(given, {configs, {}}, [&found](const RunSource& source) { found = source; });
  return found;
}

std::vector<ObservedStep> observed_steps(const NamedText& observed, const RunSource& at_hand,
                                         const ConfigSource& configs) {
  if (begins_as_json(observed.text)) return read_observed(observed.text, observed.name);
  const TrainingLog log = read_training_log(observed.text, observed.name);
  Json json = at_hand.json;
  erase_key<&RunRequest::stack>(json);
  const ResolvedRun resolved =
      resolve_run(json, at_hand.file, config_lookup(configs, at_hand.beside));
  const std::vector<OtherSetting> others = other_settings(log, resolved.run);
  if (!others.empty())
    throw InputError(observed.name, "", words_of(others.front()), "a log of this run");
  ObservedStep step;
  step.time = step_of(log, resolved.run);
  return {step};
}

void set_observed_level(const NamedText& observed, const ConfigSource& configs, RunSource& run) {
  const auto found = run.lookup.accuracy();
  if (!found) {
    throw InputError("--observed", "", "no accuracy.json beside the configurations",
                     "the table of how far stacks lie apart");
  }
  std::vector<double> logs;
  for (const ObservedStep& step : observed_steps(observed, run, configs)) {
    RunSource other = run_of_step(step, run, observed.name, configs);
    if (step.time.si() == 0) {
      throw InputError(observed.name, "", "a run without a step time", "step_time or step_time_s");
    }
    if (step.run) take_stack_of(run, observed.name, configs, other);
    logs.push_back(log_of(step, std::move(other), configs));
  }
  const StackLevel level = stack_level(read_accuracy(found->text, found->file), logs);
  refuse_far_level(level, observed.name);
  Json& stack = at_key<&RunRequest::stack>(run.json) = Json::object();
  write_keys(kStackKeys, level, stack);
}

void take_run(const Reader& value, GivenRun& given) {
  const auto says = [&value](const char* key) { return value.json().contains(key); };
  if (value.json().is_object() && (says("run") || says("set") || says(kObservedKey))) {
    take_changed_run(value, given);
    return;
  }
  given.name.clear();
  given.document.reset();
  if (value.json().is_string()) {
    given.name = value.text();
  } else {
    given.document = request_document(value);
  }
}

GivenRun given_run(Request& request) {
  GivenRun given;
  given.asker = request.asker();
  if (const auto run = request.find("run")) take_run(*run, given);
  if (const auto with = request.find(kRunFilesKey)) {
    for (const Reader& item : with->items()) given.with.push_back(item.text());
  }
  for (const RunFlag& flag : run_flags()) {
    if (auto o = given_override(request, key_of(flag.name), flag.path)) {
      given.overrides.push_back(*std::move(o));
    }
  }
  for (const ShortFlag& flag : short_flags())
    flag.give(request, key_of(flag.name), given.overrides);
  if (const std::string key = key_of(kNodesFlag); request.has(key))
    given.nodes = request.count(key, 1, 1, kMostGpus);
  for (Override& o : given_sets(request)) given.overrides.push_back(std::move(o));
  given.observed = request.file(kObservedKey);
  return given;
}

void read_run(Request& request, GivenRun& out) { out = given_run(request); }

bool has_changes(const GivenRun& given) { return !given.overrides.empty() || given.observed; }

bool sets_model(const GivenRun& given) {
  return std::any_of(given.overrides.begin(), given.overrides.end(), [](const Override& o) {
    return lies_at(o.path, key_path<&RunRequest::model>);
  });
}

void use_run(const GivenRun& asked, const CommandContext& context,
             const std::function<void(const RunSource&)>& use, Searches searches) {
  const GivenRun given = by_model_flag(asked, context.configs);
  RunSource source = foreign_source(given, context.configs);
  if (context.warnings != nullptr) {
    auto& all = *context.warnings;
    all.insert(all.end(), source.warnings.begin(), source.warnings.end());
  }
  if (context.read != nullptr)
    context.read->insert(context.read->end(), source.read.begin(), source.read.end());
  if (given.name.empty() && !given.document && given.overrides.empty()) {
    throw InputError(source.file, "", "no run",
                     "RUN, or --model, --node, --gpus, --sequence-length and --global-batch");
  }
  source.lookup = config_lookup(context.configs, source.beside);
  take_names(source.lookup, source.file, source.json, source.changes);
  for (const Override& o : given.overrides) {
    if (searches == Searches::no && path_keys(o.path).front() == kSearchKey) {
      throw InputError(o.flag, o.path, "a key that `orrery search` alone reads", "keys of the run");
    }
    apply_override(o, source.lookup, source.json);
    source.changes.push_back(fact_of(o));
    take_names(source.lookup, o.flag, source.json, source.changes);
  }
  take_node(source.lookup, source.file, given.nodes, source.json, source.changes);
  const bool by_flags = given.name.empty() && !given.document;
  if (by_flags) take_whole_node(source);
  take_group_nodes(source.lookup, source.json, source.changes);
  source.json = without_single_group(source.json, source.file);
  try {
    if (given.observed) set_observed_level(*given.observed, context.configs, source);
    use(source);
  } catch (const InputError& e) {
    const bool is_described = by_flags && !has_rl(source.json);
    throw named_after_flag(
        is_described ? with_missing_flags(e, source.json, source.lookup, given.asker) : e,
        given.overrides, source.file);
  }
}

ResolvedRun resolved_run(const GivenRun& given, const CommandContext& context) {
  ResolvedRun run;
  use_run(given, context, [&run](const RunSource& source) {
    run = resolve_run(source.json, source.file, source.lookup, source.changes);
  });
  return run;
}

}  // namespace orrery
