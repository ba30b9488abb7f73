// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/checkpoint_flags.h"
#include "cli/command.h"
#include "cli/parts_flags.h"
#include "cli/run_flags.h"
#include "core/error.h"
#include "core/units.h"
#include "document/text.h"
#include "exchange/chakra/chakra.h"
#include "exchange/simai/simai.h"
#include "insight/simulate_check.h"
#include "io/files.h"
#include "io/gzip.h"
#include "report/estimate_json.h"
#include "report/perfetto.h"
#include "report/run_header.h"
#include "report/simulate_text.h"
#include "report/timeline_html.h"
#include "report/timeline_picture.h"

namespace orrery {
namespace {

struct SimulateArguments {
  RunArguments run;
  CheckpointArguments checkpoint;
  std::vector<std::string> with;
  std::vector<std::string> without;
  std::string trace;
  std::string trace_ranks;
  std::string html;
  std::string chakra;
  std::string simai;
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

void set_effects(const SimulateArguments& arguments, SimulationOptions& o) {
  for (const std::string& name : arguments.with) {
    if (!set_switch(o.effects, name, true)) refuse_effect("--with", name, false);
  }
  for (const std::string& name : arguments.without) {
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

Disturbances disturbances_of(const SimulateArguments& a, const Run& run) {
  Disturbances d;
  for (const std::string& text : a.slow) d.slow.push_back(read_slow(text, run));
  d.spread = checked(a.spread, "--spread", 0, 10);
  d.jitter = checked(a.jitter, "--jitter", 0, 10);
  d.expert_load = checked(a.expert_load, "--expert-load", 1, 1000);
  d.seed = a.seed;
  if (d.expert_load > 1 && !is_moe(run.model)) {
    throw InputError("command line", "--expert-load", plain_number(d.expert_load),
                     "1: this model has no experts");
  }
  return d;
}

constexpr double kMostPrefetch = 64;

std::int64_t prefetch_of(const SimulateArguments& a, const Run& run) {
  if (!a.prefetch) return -1;
  const double n = checked(*a.prefetch, "--prefetch", 0, kMostPrefetch);
  const std::string why = why_no_prefetch(run);
  if (n != std::floor(n) || !why.empty()) {
    throw InputError("command line", "--prefetch", why.empty() ? plain_number(n) : why,
                     why.empty() ? "a whole number of layers" : "runs that gather them");
  }
  return static_cast<std::int64_t>(n);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// All are made before the first is written: what is refused leaves nothing behind.
void write_files(const SimulateArguments& a, const SimulationReport& r) {
  if (a.trace.empty() && a.chakra.empty() && !a.trace_ranks.empty()) {
    throw InputError("command line", "--trace-ranks", "no --trace",
                     "--trace FILE or --chakra PREFIX beside it");
  }
  const Run& run = r.run.resolved.run;
  if (const std::string why = why_no_chakra(run); !a.chakra.empty() && !why.empty()) {
    throw InputError("command line", "--chakra", why, "runs without");
  }
  if (const std::string why = why_no_simai(run); !a.simai.empty() && !why.empty()) {
    throw InputError("command line", "--simai", why,
                     "runs without: the format has no word for them");
  }
  const std::vector<std::int64_t> ranks = trace_ranks(r, a.trace_ranks);
  std::string trace;
  std::string html;
  if (!a.trace.empty()) trace = perfetto_trace(r, ranks);
  if (!a.html.empty()) html = timeline_html(r);
  if (!a.trace.empty()) write_text(a.trace, ends_with(a.trace, ".gz") ? gzip(trace) : trace);
  if (!a.html.empty()) write_text(a.html, html);
  if (!a.simai.empty()) write_text(a.simai, simai_workload(run, r.simulation));
  if (a.chakra.empty()) return;
  for (const std::int64_t rank : ranks) {
    write_text(a.chakra + "." + std::to_string(rank) + ".et",
               chakra_trace(run, r.simulation, rank));
  }
  write_text(a.chakra + ".json", chakra_groups(run, r.simulation, ranks));
}

std::string text_of(const SimulateArguments& a, const SimulationReport& r, const Style& style) {
  if (!a.picture) return simulation_text(r, style);
  return text_of(run_header(r.run.resolved), style) + timeline_picture(r, style);
}

ExitCode run_simulate(const SimulateArguments& arguments, const Session& s) {
  SimulationOptions options;
  set_effects(arguments, options);
  ResolvedRun resolved = resolved_run(arguments.run, s);
  check_playable(resolved);
  options.disturbances = disturbances_of(arguments, resolved.run);
  options.failures = read_failures(arguments.fail, arguments.slow, resolved.run);
  options.prefetch = prefetch_of(arguments, resolved.run);
  options.every_gpu = arguments.every_gpu;
  const auto saved = saved_states(arguments.checkpoint, resolved.run, s);
  const SimulationReport r = report_on_simulation(std::move(resolved), std::move(options), saved);
  write_files(arguments, r);
  give(s, s.json  ? dump(simulation_json(r))
          : s.csv ? simulation_csv(r)
                  : text_of(arguments, r, style_of(s)));
  return is_feasible(r.run) ? ExitCode::answer : ExitCode::no;
}

void declare_effects(CLI::App& app, SimulateArguments& a) {
  const auto names = [&app](const char* flag, std::vector<std::string>& to, const char* help) {
    app.add_option(flag, to, help)->type_name("NAME")->delimiter(',')->allow_extra_args(false);
  };
  names("--without", a.without,
        "leave an effect out: contention (for links), send-overlap (a stage goes on while it "
        "sends); or what runs beside compute: grad-reduce, param-gather, tp, cp, ep, offload, "
        "pairs, checkpoint, reshard");
  names("--with", a.with, "take one in: slowdown (of kernels beside a reduction or gather)");
  app.add_flag("--every-gpu", a.every_gpu,
               "play every replica, also those that are alike; --csv has a row a GPU");
}

void declare_disturbances(CLI::App& app, SimulateArguments& a) {
  const auto parts = [&app](const char* flag, std::vector<std::string>& to, const char* help,
                            const char* type) {
    app.add_option(flag, to, help)->type_name(type)->delimiter(',')->allow_extra_args(false);
  };
  parts("--slow", a.slow, "a part that takes longer: gpu:17=1.3, node:3=1.2, link:0=2 (a node's)",
        "PART:NUMBER=FACTOR");
  add_checkpoint_flags(app, a.checkpoint);
  parts("--fail", a.fail,
        "a part that has failed, the run going on without: gpu:17, node:3, link:0 (one of "
        "a node's)",
        "PART:NUMBER");
  app.add_option("--spread", a.spread, "every GPU up to this share slower, each its own: 0.05")
      ->type_name("SHARE");
  app.add_option("--jitter", a.jitter, "every pass up to this share longer, at random")
      ->type_name("SHARE");
  app.add_option("--prefetch", a.prefetch,
                 "fetch sharded weights layer by layer, so many layers ahead")
      ->type_name("LAYERS");
  app.add_option("--expert-load", a.expert_load,
                 "tokens of the fullest rank of experts over the mean")
      ->type_name("FACTOR");
  app.add_option("--seed", a.seed, "of what is random")->type_name("N");
}

void declare_files(CLI::App& app, SimulateArguments& a) {
  app.add_option("--trace", a.trace,
                 "write Chrome trace events, which ui.perfetto.dev opens; FILE.gz is compressed")
      ->type_name("FILE");
  app.add_option("--trace-ranks", a.trace_ranks,
                 "whose: 0,8,16-23 or all; the first rank of every stage where not given")
      ->type_name("RANKS");
  app.add_option("--chakra", a.chakra,
                 "write Chakra execution traces, PREFIX.RANK.et, and their groups, PREFIX.json")
      ->type_name("PREFIX");
  app.add_option("--simai", a.simai, "write the step as a SimAI workload")->type_name("FILE");
  app.add_option("--html", a.html, "write the timeline as a page of its own")->type_name("FILE");
}

}  // namespace

Action declare_simulate(CLI::App& app) {
  auto arguments = std::make_shared<SimulateArguments>();
  add_run_options(app, arguments->run);
  declare_effects(app, *arguments);
  declare_disturbances(app, *arguments);
  declare_files(app, *arguments);
  app.add_flag("--picture", arguments->picture, "show the schedule, a line a stage");
  return [arguments](const Session& s) { return run_simulate(*arguments, s); };
}

}  // namespace orrery
