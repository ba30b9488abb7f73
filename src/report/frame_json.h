// SPDX-License-Identifier: Apache-2.0
//
// The part of every answer in JSON that is about the run itself: warnings, inputs, what its
// constants rest on, the versions. Every number of an answer is finite: another one is a fault of
// Orrery's own (std::logic_error), never printed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fact.h"
#include "core/json.h"
#include "insight/rests_on.h"
#include "insight/settings.h"
#include "orrery/quantity.h"

namespace orrery {

struct ResolvedRun;  // estimate/resolve.h
struct Run;
struct RunReport;  // insight/run_report.h

inline constexpr int kSchemaVersion = 2;

// The answer with its versions at the end.
Json versioned(Json answer);

// Adds what stands in every answer about a run: warnings, open keys, inputs, versions.
void add_frame(const RunReport& r, Json& j);

Json facts_json(const std::vector<Fact>& facts);

// {"parallel.tp": 8}
Json settings_json(const std::vector<Setting>& settings);

// `inputs` with the origins of all its values.
Json reported_inputs(const ResolvedRun& r);

// Refuses NaN and infinities anywhere in the document.
void check_finite(const Json& j);

// The document as text; std::logic_error if a number in it is not finite.
std::string dump(const Json& j);

// The value of a key *_gib.
inline double gib(Bytes b) { return b / kGiB; }

// An array of what `json_of` makes of each item.
template <class Items, class JsonOf>
Json json_list(const Items& items, JsonOf&& json_of) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

// null where there is none.
template <class T, class JsonOf>
Json json_or_null(const std::optional<T>& x, JsonOf&& json_of) {
  return x ? Json(json_of(*x)) : Json();
}

// The kind of run by which errors of published runs are taken together (estimate/accuracy.h).
Json stack_json(const Run& run);

Json rests_on_json(const std::vector<RestsOnPart>& parts);
Json rests_on_json(const ResolvedRun& r);

}  // namespace orrery
