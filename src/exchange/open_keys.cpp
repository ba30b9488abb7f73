// SPDX-License-Identifier: Apache-2.0
#include "exchange/open_keys.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/json_path.h"
#include "estimate/training_keys.h"
#include "exchange/import_draft.h"
#include "exchange/text_lines.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kStates = key_path<&TrainingRequest::states>;
constexpr const char* kNotGiven = "no file given says it";
// In the order in which they are asked for.
constexpr std::array kNeeded = {"framework",
                                key_path<&TrainingRequest::sequence_length>,
                                key_path<&TrainingRequest::global_batch>,
                                key_path<&TrainingRequest::micro_batch>,
                                key_path<&TrainingRequest::precision>,
                                kStates,
                                key_path<&StrategyRequest::zero>,
                                key_path<&StrategyRequest::recompute>};

// The releases whose defaults the readers have.
constexpr EnumArray<ForeignFormat, const char*> kReleases = {
    "@d98e8a6", "@edaa722", "@b5bcd76", "", "", "", "", "", "", "", ""};

bool is_needed(const std::string& path) {
  return std::any_of(kNeeded.begin() + 1, kNeeded.end(),
                     [&](const char* key) { return path == key; });
}

// Keys of a step of reinforcement learning that follow from its prompts and answers.
bool follows_from_answers(const ImportedRun& r, std::string_view path) {
  const bool of_batch = path == key_path<&TrainingRequest::sequence_length> ||
                        path == key_path<&TrainingRequest::global_batch> ||
                        path == key_path<&TrainingRequest::micro_batch>;
  return of_batch && !value_at(r.run, key_path<&TrainingRequest::rl>).is_null();
}

bool is_asked_for(const ImportedRun& r, const std::string& path) {
  return std::any_of(r.ignored.begin(), r.ignored.end(),
                     [&](const LeftOver& l) { return l.is_refused && l.key == path; });
}

// Each optimizer but Adam has states of its own.
bool has_own_states(const Json& optimizer) { return !optimizer.is_null() && optimizer != "adam"; }

// The recipe of the profile for a precision; null where it has none.
Json states_of_profile(const Json& framework, const Json& precision, const ConfigLookup& lookup) {
  if (precision == "fp32" || precision == "tf32") return "fp32-adam-16";
  if (precision == "fp16") {
    const Json own = of_profile(framework, "fp16_states", lookup);
    if (!own.is_null()) return own;
  }
  return of_profile(framework, "states", lookup);
}

// Names the states that the run has without a word of its files.
void name_states(ImportedRun& r, const ConfigLookup& lookup) {
  const Json& precision = value_at(r.run, key_path<&TrainingRequest::precision>);
  const Json& framework = value_at(r.run, "framework");
  if (!value_at(r.run, kStates).is_null() || is_asked_for(r, kStates) || precision.is_null() ||
      framework.is_null() || is_assumed(r.assumed, kStates))
    return;
  const Json& optimizer = value_at(r.run, key_path<&TrainingRequest::optimizer>);
  if (has_own_states(optimizer)) {
    r.assumed.push_back({kStates, "of " + bare_text(optimizer), "the optimizer's own states"});
    return;
  }
  const Json states = states_of_profile(framework, precision, lookup);
  if (states.is_null()) return;
  const std::string profile = framework.is_string() ? framework.get<std::string>() : "given";
  r.assumed.push_back({kStates, bare_text(states),
                       "what the profile " + profile + " keeps for " + bare_text(precision)});
}

// States follow from a precision that is asked for already.
bool follows(const ImportedRun& r, const std::string& path) {
  return path == kStates && (is_assumed(r.assumed, kStates) ||
                             value_at(r.run, key_path<&TrainingRequest::precision>).is_null());
}

}  // namespace

void name_tool_of_defaults(ImportedRun& part) {
  // A tool's own file names the source of each default.
  if (part.format == ForeignFormat::tool) return;
  const std::string tool = tool_of(part.format);
  for (Fact& a : part.assumed) {
    const bool stated = a.why == "--assume" || contains(a.why, tool) || contains(a.why, "@");
    if (is_needed(a.path) && !stated) a.why = tool + kReleases[part.format] + ": " + a.why;
  }
}

void ask_for_open_keys(ImportedRun& r, const ConfigLookup& lookup) {
  if (!r.is_training) return;
  name_states(r, lookup);
  for (const char* path : kNeeded) {
    if (!value_at(r.run, path).is_null() || is_asked_for(r, path) || follows(r, path)) continue;
    if (follows_from_answers(r, path)) continue;
    r.ignored.push_back({path, kNotGiven, path, true});
  }
  // A model that the files give by its parts.
  for (const std::string& key : missing_keys(r.run)) {
    if (key.starts_with("model.") && !is_asked_for(r, key) && !is_asked_for(r, "model"))
      r.ignored.push_back({key, kNotGiven, key, true});
  }
}

}  // namespace orrery
