// SPDX-License-Identifier: Apache-2.0
//
// A run file to a Run: names looked up, defaults taken and noted, rules checked.
//
// Required: model, cluster, training.sequence_length, training.global_batch. Unknown keys are
// errors. An absent key takes its default and is listed in `assumed`; a key that the file's own
// `assumed` lists with the value it has keeps that origin; every other key of the file is stated.
// `inputs` is the whole resolved run and, read again, gives the same Run. Recompute
// that is absent, or recorded as open, is predicted or chosen (estimate/least_recompute.h). Errors:
// InputError with file, JSON path, found, allowed and the nearest name.
//
// A choice fits with a probability of 1 − `risk` or more (estimate/risk.h); a prediction takes what
// a user's own run most likely has.
//
// `stack` = {"factor", "spread", "steps"} is the level of a user's own software and site, measured
// over predicted step time (--observed sets it). It scales every term of the step; the interval is
// then that of the level.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/accuracy.h"
#include "estimate/config_lookup.h"
#include "estimate/open_keys.h"
#include "estimate/rl_document.h"
#include "estimate/run.h"
#include "estimate/site.h"
#include "hardware/cluster_reader.h"
#include "model/architecture_json.h"
#include "parallel/compression_json.h"
#include "parallel/framework_json.h"
#include "parallel/strategy_json.h"

namespace orrery {

struct RlRun;  // estimate/rl_run.h

struct ResolvedRun {
  Run run;
  KeptJson inputs;                    // the run as resolved, our keys, quantities as exact text
  std::vector<Fact> assumed;          // taken here: defaults, derived values, choices
  std::vector<Fact> recorded;         // not stated either: what the run's document recorded of it
  std::vector<Fact> stated;           // values that the run states, with their places
  std::vector<std::string> warnings;  // one line each
  std::string file;
  StepInterval interval;                   // of the step time; the run holds its factors
  StepInterval memory;                     // of the peak
  std::optional<StackLevel> stack;         // the run file's own level
  std::optional<Site> site;                // whose levels the run has
  std::optional<double> risk;              // as the run file says
  std::vector<std::string> parallel_keys;  // keys of `parallel` in the run file
  std::vector<std::string> training_keys;  // and of `training`, as paths: "adapter.rank"
  bool recompute_open = false;             // the run leaves it to us
  std::vector<OpenKey> open;               // what a prediction took, and what else may be
  std::shared_ptr<const RlRun> rl;         // the run is the learner's of this; null: of nothing

  // Names and documents, for headers and for the sources of numbers.
  std::string model_name;
  std::string states_name;  // "" for a recipe given in the run
  ModelDescription model;
  ResolvedCluster cluster;
  FrameworkProfile framework;
  std::string framework_file;
  CompressionProfile compression;
};

// `changes`: origins of values that stand in `run` but not in its file (estimate/origins.h).
ResolvedRun resolve_run(const Json& run, const std::string& file, const ConfigLookup& lookup,
                        const std::vector<Fact>& changes = {});

// The same of a run with training.rl, whose learner the run is then. All others refuse that: their
// answers would be the learner's alone.
ResolvedRun resolve_with_rl(const Json& run, const std::string& file, const ConfigLookup& lookup,
                            const std::vector<Fact>& changes = {});

// The same where Orrery chooses: what is left open is what a planner takes.
ResolvedRun resolve_chosen(const Json& run, const std::string& file, const ConfigLookup& lookup);

// The same without `inputs`, origins and warnings, for who wants only numbers of many runs.
ResolvedRun resolve_for_numbers(const Json& run, const std::string& file,
                                const ConfigLookup& lookup);

}  // namespace orrery
