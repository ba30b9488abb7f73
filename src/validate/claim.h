// SPDX-License-Identifier: Apache-2.0
//
// A claim of a paper as a file that runs: the claim, the runs that test it, the assumptions, values
// computed from the answers, and the rule of the verdict.
//
// {"title", "claim", "source", "documents": {name: {kind: name}}, "runs": {name: {"run" | "like",
//  "set"} | {"published"}}, "assumptions": [text], "map": [{"name", "why", "values": [{"label",
//  "let", "set"}]}], "compute": {name: expression | {"is", "unit", "claimed"}}, "checks": [{"text",
//  "holds"} | {"text", "not_checkable"}], "remarks": [text]}
//
// `run` is a run file or a capacity plan, inline or by name; `like` another run of the file, as it
// stands at that point of the map; `set` changes it, {path: value} as --set does. `published` is
// the id of a row of published runs: its unchanged run, with the measurement beside the prediction.
// An assumption that the source leaves open is an axis of the map: every
// combination of values is computed, `let` gives names numbers, `set` changes runs, {run: {path:
// value}}. A document is one of configs/: `{"h100": {"device": "h100-sxm5-80gb"}}`. An expression
// (core/expression.h) sees the names that `let` gives, what was computed before it, the answer of a
// run by the run's name, and the numbers and quantities (in SI) of a document by its name:
// `a.step_time_s`, `a.totals.dp.bytes_per_gpu`, `b.measured.step_time_s`, `h100.memory_bandwidth`,
// `plan.options[0].time.days[1]`.
// Errors: InputError.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/expression.h"
#include "core/json.h"

namespace orrery {

struct ClaimDocument {
  std::string name;
  std::string kind;    // as `orrery show` calls it
  std::string called;  // its name in configs/
};

struct ClaimRun {
  std::string name;
  Json run;                   // an object, or the name of a run file
  std::string like;           // another run of the claim, or ""
  std::string published;      // id of a row of published runs, or ""
  Json set = Json::object();  // value by path
};

struct ClaimValue {
  std::string label;
  std::vector<std::pair<std::string, double>> let;
  Json set = Json::object();  // by run, the same
};

struct ClaimAxis {
  std::string name;
  std::string why;
  std::vector<ClaimValue> values;
};

struct ClaimQuantity {
  std::string name;
  Expression is;
  std::string unit;
  std::string meaning;
  std::optional<double> claimed;
};

struct ClaimCheck {
  std::string text;
  std::optional<Expression> holds;
  std::string not_checkable;  // why, where there is no rule
};

struct Claim {
  std::string file;
  std::string title;
  std::string claim;
  std::string source;
  std::string url;
  std::vector<std::string> assumptions;
  std::vector<ClaimDocument> documents;
  std::vector<ClaimRun> runs;
  std::vector<ClaimAxis> axes;
  std::vector<ClaimQuantity> quantities;
  std::vector<ClaimCheck> checks;
  std::vector<std::string> remarks;
};

// Whether a document is a claim, not an array of published runs.
bool is_claim(const Json& document);

Claim read_claim(std::string_view text, const std::string& file);

}  // namespace orrery
