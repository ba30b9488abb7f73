// SPDX-License-Identifier: Apache-2.0
//
// The run of a request: `run` is a name in configs/runs, a path, a run file with its text or an
// object; the run's flags and `set` go over it, and may say it all.
//
// `set` is {"parallel.tp": 8} or a list of PATH=VALUE. Setting model.KEY over a model given by name
// takes that model's own document as the start; the same for framework. `observed` sets `stack`
// from measured step times of the user's own (validate/observed.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/fact.h"
#include "engine/hooks.h"
#include "engine/overrides.h"
#include "engine/request.h"

namespace orrery {

struct ObservedStep;
struct ResolvedRun;

struct GivenRun {
  std::string name;                         // "" where there is none, or the document is given
  std::vector<std::string> with;            // further files of another tool, which complete it
  std::optional<RequestDocument> document;  // handed in
  std::vector<Override> overrides;          // in the order in which they go over the run
  std::optional<NamedText> observed;
  std::optional<std::int64_t> nodes;  // of the run, which are GPUs once its node is known
  Asker asker = Asker::request;
};

// A run as its file has it with all that goes over it, not resolved yet.
struct RunSource {
  Json json = Json::object();
  std::string file;
  std::string beside;
  ConfigLookup lookup;
  std::vector<Fact> changes = {};          // which option gave which value
  std::vector<std::string> warnings = {};  // of settings of another tool's file
  std::vector<std::string> read = {};      // lines on what was read of it, and by whose defaults
  bool is_imported = false;                // from another tool's file
};

GivenRun given_run(Request& request);
// `value` is one run of several, also {"run", "set", …}; the rest of the request goes over each.
void take_run(const Reader& value, GivenRun& given);

// Whether anything goes over the run.
bool has_changes(const GivenRun& given);
// A flag sets the model.
bool sets_model(const GivenRun& given);

// `search` of a run file is for a search; others leave it alone, and take no option that sets it.
enum class Searches : bool { no, yes };

// Calls use() with the run. Errors: InputError; where an option brought the value that is wrong, it
// is named.
void use_run(const GivenRun& given, const CommandContext& context,
             const std::function<void(const RunSource&)>& use, Searches searches = Searches::no);

ResolvedRun resolved_run(const GivenRun& given, const CommandContext& context);

// Steps by run, or the one step of a training's log of the run at hand, whichever tool wrote it.
std::vector<ObservedStep> observed_steps(const NamedText& observed, const RunSource& at_hand,
                                         const ConfigSource& configs);

// The run of a step: the one at hand, an object of the file, or one by name or path.
RunSource run_of_step(const ObservedStep& step, const RunSource& at_hand, const std::string& file,
                      const ConfigSource& configs);

void set_observed_level(const NamedText& observed, const ConfigSource& configs, RunSource& run);

}  // namespace orrery
