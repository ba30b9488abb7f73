// SPDX-License-Identifier: Apache-2.0
#include "cli/run_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "cli/run_source.h"
#include "core/error.h"
#include "engine/overrides.h"
#include "estimate/estimate.h"
#include "io/files.h"
#include "validate/observed.h"

namespace orrery {
namespace {

constexpr std::array kFlags = {
    RunFlag{"--model", "model", "model: name or path (ours or Hugging Face's config.json)"},
    RunFlag{"--node", "cluster.node", "kind of node: name or path"},
    RunFlag{"--gpus", "cluster.gpus", "GPUs in all"},
    RunFlag{"--calibration", "cluster.calibration",
            "constants fitted on measurements: name or path (docs/calibrate.md)"},
    RunFlag{"--framework", "framework", "training software: name or path"},
    RunFlag{"--sequence-length", "training.sequence_length", "tokens of a sequence"},
    RunFlag{"--global-batch", "training.global_batch", "sequences of a step"},
    RunFlag{"--micro-batch", "training.micro_batch", "sequences of a micro batch"},
    RunFlag{"--precision", "training.precision", "fp32, tf32, fp16, bf16, fp8, mxfp8 or nvfp4"},
    RunFlag{"--states", "training.states", "recipe of the model states"},
    RunFlag{"--tokens", "training.tokens", "tokens of the whole training"},
    RunFlag{"--flash-attention", "training.flash_attention", "true or false"},
    RunFlag{"--tp", "parallel.tp", "tensor parallel"},
    RunFlag{"--pp", "parallel.pp", "pipeline parallel"},
    RunFlag{"--vpp", "parallel.vpp", "model chunks a pipeline stage"},
    RunFlag{"--cp", "parallel.cp", "context parallel"},
    RunFlag{"--ep", "parallel.ep", "expert parallel"},
    RunFlag{"--etp", "parallel.etp", "tensor parallel of experts"},
    RunFlag{"--dp", "parallel.dp", "data parallel"},
    RunFlag{"--sequence-parallel", "parallel.sequence_parallel", "true or false"},
    RunFlag{"--zero", "parallel.zero", "ZeRO 0 to 3"},
    RunFlag{"--schedule", "parallel.schedule", "pipeline schedule"},
    RunFlag{"--recompute", "parallel.recompute", "none, selective or full"},
    RunFlag{"--flops-convention", "flops_convention", "megatron, palm, 6n or causal"},
};

struct Source {
  Json json = Json::object();
  std::string file = "command line";
  std::string beside;
};

Source read_run(const RunArguments& arguments, const ConfigDirs& dirs) {
  if (arguments.run.empty()) return {};
  if (arguments.run == "-") {
    return {parse_json(read_text("-"), "standard input"), "standard input", ""};
  }
  const auto found = find_config(dirs, ConfigKind::run, arguments.run);
  if (found) {
    return {parse_json(found->text, found->file), found->file,
            std::filesystem::path(found->file).parent_path().string()};
  }
  if (is_path(arguments.run) || std::filesystem::exists(arguments.run)) {
    read_text(arguments.run);  // says why it cannot be read
  }
  throw InputError(arguments.run, "", "no such run", "a file, - or a name of `orrery list runs`",
                   nearest_name(arguments.run, config_names(dirs, ConfigKind::run)));
}

// ln(measured/predicted) of one observed step, each predicted without a level of its own.
double observed_log(const ObservedStep& step, const Json& at_hand, const std::string& file,
                    const ConfigDirs& dirs) {
  Source source{at_hand, file, ""};
  if (step.run && step.run->is_object()) {
    source = {*step.run, file, std::filesystem::path(file).parent_path().string()};
  } else if (step.run) {
    RunArguments named;
    named.run = step.run->get<std::string>();
    const auto beside = std::filesystem::path(file).parent_path() / named.run;
    if (is_path(named.run) && std::filesystem::exists(beside)) named.run = beside.string();
    source = read_run(named, dirs);
  }
  source.json.erase("stack");
  const ResolvedRun resolved =
      resolve_run(source.json, source.file, config_lookup(dirs, source.beside));
  return std::log(step.time / estimate(resolved.run).step_time);
}

// The level of the user's own stack goes into the run, where everything that reads one finds it.
void apply_observed(const std::string& file, const ConfigDirs& dirs, const ConfigLookup& lookup,
                    Source& source) {
  const auto found = lookup.accuracy();
  if (!found) {
    throw InputError("--observed", "", "no accuracy.json beside the configurations",
                     "the table of how far stacks lie apart");
  }
  std::vector<double> logs;
  for (const ObservedStep& step : read_observed(read_text(file), file)) {
    logs.push_back(observed_log(step, source.json, file, dirs));
  }
  const StackLevel level = stack_level(read_accuracy(found->text, found->file), logs);
  source.json["stack"] = {
      {"factor", level.factor}, {"spread", level.spread}, {"steps", level.steps}};
}

// An unset variable of a shell is not a value.
std::string not_empty(const std::string& value) { return value.empty() ? "an empty value" : ""; }

}  // namespace

void add_run_options(CLI::App& app, RunArguments& arguments) {
  app.add_option("RUN", arguments.run, "run file: name, path or - (flags may say it all instead)");
  add_run_flags(app, arguments);
}

void add_run_flags(CLI::App& app, RunArguments& arguments) {
  arguments.values.resize(kFlags.size());
  app.add_option("--set", arguments.sets,
                 "any key of the run file: parallel.zero=3, model.num_hidden_layers=48")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  app.add_option("--observed", arguments.observed,
                 "step times of your own, to set the level by: [{\"run\": \"run.json\", "
                 "\"step_time\": \"12.3 s\"}], or a training log of this run")
      ->type_name("FILE");
  for (std::size_t i = 0; i < kFlags.size(); ++i) {
    app.add_option(kFlags[i].name, arguments.values[i], kFlags[i].help)
        ->type_name("X")
        ->check(not_empty)
        ->group("The run");
  }
}

bool has_changes(const RunArguments& arguments) {
  return !arguments.sets.empty() || !arguments.observed.empty() ||
         std::any_of(arguments.values.begin(), arguments.values.end(),
                     [](const std::string& v) { return !v.empty(); });
}

std::vector<Override> overrides_of(const RunArguments& arguments) {
  std::vector<Override> list;
  for (std::size_t i = 0; i < kFlags.size(); ++i) {
    if (!arguments.values[i].empty()) {
      list.push_back(make_override(kFlags[i].name, kFlags[i].path, arguments.values[i]));
    }
  }
  for (const std::string& text : arguments.sets) list.push_back(parse_set(text));
  return list;
}

void use_run(const RunArguments& arguments, const Session& session,
             const std::function<void(const RunSource&)>& use) {
  const ConfigDirs dirs = dirs_of(session);
  Source source = read_run(arguments, dirs);
  const std::vector<Override> overrides = overrides_of(arguments);
  if (arguments.run.empty() && overrides.empty()) {
    throw InputError("command line", "", "no run",
                     "RUN, or --model, --node, --gpus, --sequence-length and --global-batch");
  }
  const ConfigLookup lookup = config_lookup(dirs, source.beside);
  for (const Override& o : overrides) apply_override(o, lookup, source.json);
  try {
    if (!arguments.observed.empty()) {
      apply_observed(arguments.observed, dirs, lookup, source);
    }
    use({source.json, source.file, lookup});
  } catch (const InputError& e) {
    throw named_after_flag(e, overrides, source.file);
  }
}

ResolvedRun resolved_run(const RunArguments& arguments, const Session& session) {
  ResolvedRun run;
  use_run(arguments, session, [&run](const RunSource& source) {
    run = resolve_run(source.json, source.file, source.lookup);
  });
  return run;
}

}  // namespace orrery
