// SPDX-License-Identifier: Apache-2.0
#include "report/simulate.h"

#include <array>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/units.h"
#include "document/text.h"
#include "engine/commands/commands.h"
#include "engine/commands/simulate_files.h"
#include "engine/given_run.h"
#include "engine/parts.h"
#include "engine/saved_states.h"
#include "insight/simulate_check.h"
#include "report/estimate_json.h"
#include "report/run_header.h"
#include "report/timeline_picture.h"

namespace orrery {
namespace {

struct SimulateOptions {
  GivenRun run;
  CheckpointChoice checkpoint;
  SimulateFiles files;
  std::vector<std::string> with;
  std::vector<std::string> without;
  bool picture = false;
  bool every_gpu = false;
  std::vector<std::string> slow;
  std::vector<std::string> fail;
  double spread = 0;
  double jitter = 0;
  double expert_load = 1;
  std::optional<double> prefetch;
  std::uint64_t seed = 1;
};

SimulateOptions read_simulate_options(Request& request) {
  SimulateOptions o;
  o.run = given_run(request);
  o.checkpoint = {request.text("checkpoint"), request.text("storage")};
  o.files = {request.text("trace"), request.text("trace_ranks"), request.text("html"),
             request.text("chakra"), request.text("simai")};
  o.with = request.texts("with");
  o.without = request.texts("without");
  o.picture = request.flag("picture");
  o.every_gpu = request.flag("every_gpu");
  o.slow = request.texts("slow");
  o.fail = request.texts("fail");
  o.spread = request.number("spread", 0);
  o.jitter = request.number("jitter", 0);
  o.expert_load = request.number("expert_load", 1);
  if (request.has("prefetch")) o.prefetch = request.number("prefetch", 0);
  o.seed = static_cast<std::uint64_t>(request.count("seed", 1, 0));
  return o;
}

struct Switch {
  const char* name;
  bool Effects::*effect;
};

constexpr std::array kSwitches = {
    Switch{"contention", &Effects::contention},
    Switch{"slowdown", &Effects::slowdown},
    Switch{"send-overlap", &Effects::sends_overlap},
};

[[noreturn]] void refuse_effect(const char* flag, const std::string& name, bool overlaps) {
  std::vector<std::string> names;
  for (const Switch& s : kSwitches) names.emplace_back(s.name);
  for (std::size_t i = 0; overlaps && i < kOverlaps; ++i) {
    names.emplace_back(kOverlapTable[i].name);
  }
  throw InputError("command line", flag, "\"" + name + "\"", alternatives(names),
                   nearest_name(name, names));
}

bool set_switch(Effects& e, const std::string& name, bool to) {
  for (const Switch& s : kSwitches) {
    if (name != s.name) continue;
    e.*s.effect = to;
    return true;
  }
  return false;
}

bool turn_off(OverlapMask& without, const std::string& name) {
  for (std::size_t i = 0; i < kOverlaps; ++i) {
    if (name != kOverlapTable[i].name) continue;
    without = static_cast<OverlapMask>(without | 1U << i);
    return true;
  }
  return false;
}

void set_effects(const SimulateOptions& given, SimulationOptions& o) {
  for (const std::string& name : given.with) {
    if (!set_switch(o.effects, name, true)) refuse_effect("--with", name, false);
  }
  for (const std::string& name : given.without) {
    if (!set_switch(o.effects, name, false) && !turn_off(o.without, name)) {
      refuse_effect("--without", name, true);
    }
  }
}

double checked(double value, const char* flag, double least, double most) {
  if (value >= least && value <= most) return value;
  throw InputError("command line", flag, plain_number(value),
                   plain_number(least) + " to " + plain_number(most));
}

Disturbances disturbances_of(const SimulateOptions& o, const Run& run) {
  Disturbances d;
  for (const std::string& text : o.slow) d.slow.push_back(read_slow(text, run));
  d.spread = checked(o.spread, "--spread", 0, 10);
  d.jitter = checked(o.jitter, "--jitter", 0, 10);
  d.expert_load = checked(o.expert_load, "--expert-load", 1, 1000);
  d.seed = o.seed;
  if (d.expert_load > 1 && !is_moe(run.model)) {
    throw InputError("command line", "--expert-load", plain_number(d.expert_load),
                     "1: this model has no experts");
  }
  return d;
}

constexpr double kMostPrefetch = 64;

std::int64_t prefetch_of(const SimulateOptions& o, const Run& run) {
  if (!o.prefetch) return -1;
  const double n = checked(*o.prefetch, "--prefetch", 0, kMostPrefetch);
  const std::string why = why_no_prefetch(run);
  if (n != std::floor(n) || !why.empty()) {
    throw InputError("command line", "--prefetch", why.empty() ? plain_number(n) : why,
                     why.empty() ? "a whole number of layers" : "runs that gather them");
  }
  return static_cast<std::int64_t>(n);
}

SimulationReport report_of(const SimulateOptions& given, const CommandContext& context) {
  SimulationOptions options;
  set_effects(given, options);
  ResolvedRun resolved = resolved_run(given.run, context);
  check_playable(resolved);
  options.disturbances = disturbances_of(given, resolved.run);
  options.failures = read_failures(given.fail, given.slow, resolved.run);
  options.prefetch = prefetch_of(given, resolved.run);
  options.every_gpu = given.every_gpu;
  const auto saved = saved_states(given.checkpoint, resolved.run, context.configs);
  return report_on_simulation(std::move(resolved), std::move(options), saved);
}

std::string drawn(const SimulateOptions& o, const SimulationReport& r, const Look& look) {
  if (look.csv() || !o.picture) return drawn(simulation_document(r), look);
  return text_of(
      AnswerDocument{
          "", {run_header(r.run.resolved), timeline_picture(r, look.style.width)}, Table(), ""},
      look.style);
}

}  // namespace

CommandAnswer answer_simulate(Request& request, const CommandContext& context) {
  const SimulateOptions options = read_simulate_options(request);
  const Look look = request.look();
  request.done();
  const SimulationReport r = report_of(options, context);
  CommandAnswer answer;
  answer.files = simulate_files(options.files, r);
  answer.code = is_feasible(r.run) ? ExitCode::answer : ExitCode::no;
  answer.text = look.json() ? dump(simulation_json(r)) : drawn(options, r, look);
  return answer;
}

}  // namespace orrery
