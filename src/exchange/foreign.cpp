// SPDX-License-Identifier: Apache-2.0
#include "exchange/foreign.h"

#include <algorithm>
#include <stdexcept>

#include "core/error.h"
#include "core/json_path.h"
#include "estimate/estimate.h"
#include "estimate/resolve.h"
#include "estimate/training_keys.h"
#include "exchange/accelerate/accelerate.h"
#include "exchange/bridge/bridge.h"
#include "exchange/deepspeed/deepspeed.h"
#include "exchange/deepspeed/names.h"
#include "exchange/import_draft.h"
#include "exchange/import_files.h"
#include "exchange/megatron/megatron.h"
#include "exchange/megatron/names.h"
#include "exchange/slurm/slurm.h"
#include "exchange/torchtitan/names.h"
#include "exchange/torchtitan/torchtitan.h"
#include "hardware/cluster_keys.h"
#include "parallel/stages.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr int kMostRepairs = 64;

class Comparison {
 public:
  Comparison(const ResolvedRun& resolved, const Json& run, const Json& imported,
             const ConfigLookup& lookup)
      : resolved_(resolved), truth_(run_file(resolved, run)), read_(imported), lookup_(lookup) {}

  std::vector<NotExpressed> list() {
    cluster();
    if (!read_.contains("model")) take("model");
    if (value_at(truth_, "framework") != value_at(read_, "framework")) take("framework");
    // Left open it follows from memory, and would agree by chance alone.
    if (value_at(read_, key_path<&StrategyRequest::recompute>).is_null())
      take(key_path<&StrategyRequest::recompute>);
    const ResolvedRun back = resolve_repaired();
    Json inputs = *back.inputs;
    if (same_stages(back.run)) {
      for (const std::string key :
           {key_path<&StrategyRequest::stage_layers>, key_path<&StrategyRequest::layer_split>}) {
        set_at(inputs, key, value_at(*resolved_.inputs, key));
      }
    }
    compare("", *resolved_.inputs, inputs);
    return std::move(list_);
  }

 private:
  // Megatron's launcher says how many GPUs there are, nobody what they are.
  void cluster() {
    const Json stated = value_at(read_, key_path<&ClusterRequest::gpus>);
    for (const auto& [key, value] : value_at(truth_, "cluster").items()) {
      if (key == "gpus" && value == stated) continue;
      list_.push_back({"cluster." + key, value, Json()});
    }
    set_at(read_, "cluster", value_at(truth_, "cluster"));
  }

  void take(const std::string& path) {
    const Json& value = value_at(truth_, path);
    list_.push_back({path, value, value_at(read_, path)});
    if (value.is_null()) {
      erase_at(read_, path);
    } else {
      set_at(read_, path, value);
    }
  }

  // A key that is missing, or not legal beside what the words did not say, comes from the run.
  ResolvedRun resolve_repaired() {
    for (int i = 0; i < kMostRepairs; ++i) {
      try {
        return resolve_run(read_, resolved_.file, lookup_);
      } catch (const InputError& e) {
        std::string path = e.path().substr(0, e.path().find('['));
        while (!path.empty() && value_at(truth_, path) == value_at(read_, path)) {
          path = path.substr(0, path.rfind('.') == std::string::npos ? 0 : path.rfind('.'));
        }
        if (path.empty()) path = "parallel";
        take(path);
      }
    }
    throw std::logic_error("what was written of the run cannot be read back");
  }

  // Whether stages hold the same layers, however that was said.
  bool same_stages(const Run& back) const {
    const Strategy& a = resolved_.run.strategy;
    const Strategy& b = back.strategy;
    const std::int64_t chunks = a.pp * a.vpp;
    if (chunks != b.pp * b.vpp || resolved_.run.model.layers != back.model.layers) return false;
    for (std::int64_t i = 0; i < chunks; ++i) {
      const LayerRange x = layers_of(a, back.model, i);
      const LayerRange y = layers_of(b, back.model, i);
      if (x.first != y.first || x.end != y.end) return false;
    }
    return true;
  }

  void compare(const std::string& path, const Json& ours, const Json& theirs) {
    if (ours == theirs || path == "cluster" || is_listed(path)) return;
    if (!ours.is_object() || !theirs.is_object()) {
      list_.push_back({path, ours, theirs});
      return;
    }
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const auto& [key, value] : ours.items()) {
      compare(prefix + key, value, theirs.contains(key) ? theirs[key] : Json());
    }
    for (const auto& [key, value] : theirs.items()) {
      if (!ours.contains(key)) compare(prefix + key, Json(), value);
    }
  }

  bool is_listed(const std::string& path) const {
    return std::any_of(list_.begin(), list_.end(),
                       [&](const NotExpressed& n) { return n.path == path; });
  }

  const ResolvedRun& resolved_;
  Json truth_;
  Json read_;
  const ConfigLookup& lookup_;
  std::vector<NotExpressed> list_;
};

using Names = std::vector<std::string>;

template <class T>
Names all_names(const T& names) {
  return {std::begin(names), std::end(names)};
}

Names schedules_of_torchtitan() {
  Names names;
  for (const torchtitan::ScheduleName& s : torchtitan::kSchedules) names.emplace_back(s.ours);
  return names;
}

// The pipelines that a format has words for.
enum class Pipelines : std::uint8_t { any, none, by_schedule };

// No format is left out of the table: there is no default constructor, and no reference is null.
class WrittenFormat {
 public:
  using Writer = std::string(const ResolvedRun& resolved, const ConfigLookup& lookup);
  using Schedules = Names();

  constexpr WrittenFormat(Writer& writer, Schedules& with_words_for, bool whole)
      : write(&writer),
        pipelines(Pipelines::by_schedule),
        schedules(&with_words_for),
        is_whole(whole) {}
  constexpr WrittenFormat(Writer& writer, Pipelines all_or_none, bool whole)
      : write(&writer), pipelines(all_or_none), is_whole(whole) {}

  Writer* write;
  Pipelines pipelines;
  Schedules* schedules = nullptr;  // that it has words for, if by schedule
  // The text starts the whole training, so that a key it loses trains another one.
  bool is_whole;
};

Names schedules_of_megatron() { return all_names(megatron::kSchedules); }
Names schedules_of_deepspeed() { return all_names(deepspeed::kSchedules); }

// A writer whose names stand in code.
template <std::string (*write)(const ResolvedRun&)>
std::string by_itself(const ResolvedRun& resolved, const ConfigLookup&) {
  return write(resolved);
}

// In the order of ForeignFormat.
constexpr std::array<WrittenFormat, kWrittenFormats> kWritten = {{
    {megatron::export_run, schedules_of_megatron, true},
    {by_itself<deepspeed::export_run>, schedules_of_deepspeed, false},
    {by_itself<torchtitan::export_arguments>, schedules_of_torchtitan, false},
    {by_itself<torchtitan::export_toml>, schedules_of_torchtitan, false},
    {bridge::export_run, schedules_of_megatron, true},
    {by_itself<accelerate::export_run>, Pipelines::none, false},
    {by_itself<slurm::export_header>, Pipelines::any, false},
}};

const WrittenFormat& written(ForeignFormat format) {
  return kWritten.at(static_cast<std::size_t>(format));
}

void refuse_other_schedule(ForeignFormat format, const ResolvedRun& resolved) {
  const Strategy& s = resolved.run.strategy;
  const WrittenFormat& w = written(format);
  if (s.pp == 1 || w.pipelines == Pipelines::any) return;
  if (w.pipelines == Pipelines::none) {
    throw InputError(resolved.file, key_path<&StrategyRequest::pp>, std::to_string(s.pp),
                     "1: " + std::string(tool_of(format)) + " starts no pipeline");
  }
  const Names names = w.schedules();
  const std::string ours(name_of(s.schedule));
  if (std::find(names.begin(), names.end(), ours) != names.end()) return;
  throw InputError(resolved.file, key_path<&StrategyRequest::schedule>, "\"" + ours + "\"",
                   alternatives(names) + ": " + tool_of(format) + " has no other");
}

bool starts(const std::string& path, std::string_view with) { return path.rfind(with, 0) == 0; }

// Keys of the training and its layout, without the habits of the software.
bool is_of_the_script(const std::string& path, bool same_framework) {
  if (path == key_path<&TrainingRequest::states>) return same_framework;
  const bool habit = starts(path, key_path<&StrategyRequest::framework_options>) ||
                     starts(path, key_path<&StrategyRequest::overlap>);
  return !habit &&
         (starts(path, "parallel.") || starts(path, "training.") || starts(path, "model."));
}

struct Figures {
  Seconds step;
  Bytes peak;
  bool operator==(const Figures&) const = default;
};

Figures figures(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  const auto e = estimate(resolve_run(run, file, lookup).run);
  return {e.step_time, e.memory.peak};
}

// True if the run predicts another step or memory with the value that was read, or is
// illegal.
bool is_another_run(Json run, const NotExpressed& n, const std::string& file,
                    const ConfigLookup& lookup) {
  const Figures before = figures(run, file, lookup);
  if (n.read.is_null()) {
    erase_at(run, n.path);
  } else {
    set_at(run, n.path, n.read);
  }
  try {
    return figures(run, file, lookup) != before;
  } catch (const InputError&) {
    return true;
  }
}

void refuse_lost_keys(ForeignFormat format, const ResolvedRun& resolved, const Json& run,
                      const std::vector<NotExpressed>& not_expressed, const ConfigLookup& lookup) {
  if (!written(format).is_whole) return;
  Json whole = run_file(resolved, run);
  // Switches that say a second time what a key says.
  erase_at(whole, key_path<&StrategyRequest::framework_options>);
  const bool same = std::none_of(not_expressed.begin(), not_expressed.end(),
                                 [](const NotExpressed& n) { return n.path == "framework"; });
  for (const NotExpressed& n : not_expressed) {
    if (!is_of_the_script(n.path, same) || !is_another_run(whole, n, resolved.file, lookup))
      continue;
    throw InputError(resolved.file, n.path, n.value.dump(),
                     "what " + std::string(tool_of(format)) +
                         " has words for; without it step or memory is another");
  }
}

}  // namespace

std::vector<NotExpressed> not_expressed(const ResolvedRun& resolved, const Json& run,
                                        const Json& imported, const ConfigLookup& lookup) {
  return Comparison(resolved, run, imported, lookup).list();
}

ImportedRun import_run(ForeignFormat format, std::string_view text, const std::string& file,
                       const Json& given, const ConfigLookup* lookup) {
  return import_files({{{file, std::string(text)}}, format, given, {}, lookup});
}

// The settings of other tools that are written are those of decoders.
static void refuse_trunk(const ResolvedRun& resolved) {
  if (resolved.run.model.trunk.kinds == 0) return;
  throw InputError(
      ErrorCode::not_allowed, resolved.file, "model", resolved.model_name,
      "a text decoder: settings for models of images, sound or series are not written");
}

ExportedRun export_run(ForeignFormat format, const ResolvedRun& resolved, const Json& run,
                       const ConfigLookup& lookup) {
  ExportedRun out;
  refuse_trunk(resolved);
  refuse_other_schedule(format, resolved);
  out.text = written(format).write(resolved, lookup);
  ImportedRun back = import_run(format, out.text, "what was written",
                                {{"cluster", {{"gpus", resolved.run.cluster.gpus}}}}, &lookup);
  fit_import(back, {{"model", value_at(*resolved.inputs, "model")}}, lookup);
  out.not_expressed = not_expressed(resolved, run, back.run, lookup);
  refuse_lost_keys(format, resolved, run, out.not_expressed, lookup);
  return out;
}

Json run_file(const ResolvedRun& resolved, const Json& run) {
  Json file = *resolved.inputs;
  if (value_at(run, "framework").is_object()) file["framework"] = run["framework"];
  return file;
}

std::vector<std::string> missing_keys(const Json& run) {
  std::vector<std::string> missing;
  const Json& model = value_at(run, "model");
  for (const char* key :
       {"num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"}) {
    if (is_part_of_model(model) && !model.contains(key))
      missing.push_back(std::string("model.") + key);
  }
  std::vector<const char*> needed = {"model", key_path<&ClusterRequest::node>,
                                     key_path<&ClusterRequest::gpus>};
  const bool of_rl = !value_at(run, key_path<&TrainingRequest::rl>).is_null();
  for (const char* path :
       {key_path<&TrainingRequest::sequence_length>, key_path<&TrainingRequest::global_batch>}) {
    if (!of_rl) needed.push_back(path);
  }
  for (const char* path : needed) {
    const bool own_node = std::string(path) == key_path<&ClusterRequest::node> &&
                          !value_at(run, "cluster.device").is_null();
    if (value_at(run, path).is_null() && !own_node) missing.emplace_back(path);
  }
  return missing;
}

}  // namespace orrery
