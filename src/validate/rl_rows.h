// SPDX-License-Identifier: Apache-2.0
//
// Published steps of reinforcement learning by phase, and what is predicted of them.
//
// A file {"kind": "rl", "rows": [{"id", "tool", "compares", "run", "measured", "unknown",
// "fits", "source"}]}. `measured` has seconds a step by phase, `fits` whether it ran at all. Rows
// that `compares` names alike differ by placement, split or layout alone: which of two is faster is
// judged besides, and it alone where `unknown` has the lengths (training.rl.response). Generation
// and learning rest on no row of the file: constants of engines are fitted on decode points
// (decode_rows.h), those of training elsewhere, so that every tool is left out. The rates of
// handing over are the exception; they are fitted on the rows' own. Errors: InputError.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/config_lookup.h"
#include "rl/step.h"
#include "validate/error_summary.h"

namespace orrery {

struct RlMeasured {
  std::optional<double> step;
  std::optional<double> generate;
  std::optional<double> log_probs;  // old and reference together, where both were made
  std::optional<double> update;
  std::optional<double> handover;
};

struct RlRow {
  std::string id;
  std::string tool;
  std::string compares;  // "": with none
  KeptJson run;
  RlMeasured measured;
  std::optional<bool> fits;  // whether it ran, or ran out of memory
  std::vector<std::string> unknown;
  std::string source;
};

struct JudgedRl {
  RlRow row;
  std::optional<PlacementKind> placement;  // nothing where it was refused
  std::int64_t gpus = 0;
  RlMeasured predicted;
  bool is_judged = false;  // whether it fits
  bool fits = false;
  std::string refused;  // why it was not predicted; "" where it was
};

struct RlSummary {
  std::string quantity;
  std::string scope;
  std::int64_t tools = 0;
  ErrorSummary errors;
};

// Judgements that are right: which of a pair is faster, whether a run fits. Rows of one tool make
// up half of the file: errors stand apart of it and of the others.
struct RlPairs {
  std::int64_t right = 0;
  std::int64_t all = 0;
};

// How many times as fast as the first the second is: placements of one source on as many GPUs.
struct RlRatio {
  std::string colocated;
  std::string async;
  double measured = 1;
  double predicted = 1;
};

struct RlValidation {
  std::vector<JudgedRl> rows;
  std::vector<RlSummary> summaries;
  RlPairs pairs;
  std::vector<RlRatio> ratios;
  RlPairs ran;      // runs that fitted, and that are judged to
  RlPairs ran_out;  // of memory, and that are judged to
};

bool is_rl_file(std::string_view text);
RlValidation judge_rl(std::string_view text, const std::string& file, const ConfigLookup& lookup);

// The quantities of a row by name, for tables.
struct RlQuantity {
  const char* name;
  std::optional<double> RlMeasured::*value;
};
inline constexpr std::array kRlQuantities = {
    RlQuantity{"step", &RlMeasured::step}, RlQuantity{"generate", &RlMeasured::generate},
    RlQuantity{"log_probs", &RlMeasured::log_probs}, RlQuantity{"update", &RlMeasured::update},
    RlQuantity{"handover", &RlMeasured::handover}};

}  // namespace orrery
