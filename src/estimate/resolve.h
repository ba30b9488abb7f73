// SPDX-License-Identifier: Apache-2.0
//
// A run file to a Run: names looked up, defaults taken and noted, rules checked.
//
// Required: model, cluster, training.sequence_length, training.global_batch. Unknown keys are
// errors. What is absent takes its default and stands in `assumed`; `inputs` is the whole run as
// resolved and, read again, gives the same Run. Recompute, when absent, is the least that fits in
// memory: none, selective, full, the first that does. Errors: InputError with file, JSON path,
// found, allowed and the nearest name.
//
// `stack` = {"factor", "spread", "steps"} is the level of a user's own software and site, as
// measured over predicted step time (--observed sets it); it scales every term of the step, and the
// interval is then that level's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "estimate/accuracy.h"
#include "estimate/run.h"
#include "hardware/cluster_reader.h"
#include "hardware/lookup.h"
#include "model/architecture_json.h"
#include "parallel/compression_json.h"
#include "parallel/framework_json.h"
#include "parallel/strategy_json.h"

namespace orrery {

struct ConfigText {
  std::string text;
  std::string file;  // for messages
};

// How a run file's names become documents; files are io's business.
struct ConfigLookup {
  HardwareLookup hardware;
  std::function<std::optional<ConfigText>(const std::string& name)> model;        // name or path
  std::function<std::optional<ConfigText>(const std::string& name)> framework;    // name or path
  std::function<std::optional<ConfigText>(const std::string& name)> compression;  // name or path
  std::function<std::optional<ConfigText>(const std::string& path)> schedule;     // path
  std::function<std::vector<std::string>()> model_names;
  std::function<std::vector<std::string>()> framework_names;
  std::function<std::vector<std::string>()> compression_names;
  std::function<std::optional<ConfigText>()> accuracy;  // estimate/accuracy.h; may be unset
};

struct ResolvedRun {
  Run run;
  Json inputs;                        // the run as resolved, our keys, quantities as exact text
  std::vector<Assumed> assumed;       // what the user did not say
  std::vector<std::string> warnings;  // what the user should know, one line each
  std::string file;
  StepInterval interval;                   // of the step time; the run holds its factors
  Json stack;                              // the run file's own level; null without one
  std::vector<std::string> parallel_keys;  // those of `parallel` that the run file says

  // Names and documents, for headers and for the sources of numbers.
  std::string model_name;
  std::string states_name;  // "" for a recipe given in the run
  ModelDescription model;
  ResolvedCluster cluster;
  FrameworkProfile framework;
  std::string framework_file;
  CompressionProfile compression;
};

ResolvedRun resolve_run(const Json& run, const std::string& file, const ConfigLookup& lookup);

}  // namespace orrery
