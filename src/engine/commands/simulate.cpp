// SPDX-License-Identifier: Apache-2.0
#include "report/simulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/units.h"
#include "core/unknown_name.h"
#include "engine/answer.h"
#include "engine/commands/commands.h"
#include "engine/commands/mixed.h"
#include "engine/commands/rl.h"
#include "engine/config_source.h"
#include "engine/given_run.h"
#include "engine/storage_named.h"
#include "estimate/mixed_document.h"
#include "estimate/run.h"
#include "exchange/chakra/chakra.h"
#include "exchange/simai/simai.h"
#include "exchange/snapshot/memory_snapshot.h"
#include "insight/simulation_report.h"
#include "report/frame.h"
#include "report/perfetto.h"
#include "report/timeline.h"
#include "sim/fail.h"

namespace orrery {
namespace {

struct Flag {
  const char* name;
  const char* form;
};
constexpr Flag kSlow{"--slow", "PART:NUMBER=FACTOR, as gpu:17=1.3, node:3=1.2 or link:0=2"};
constexpr Flag kFail{"--fail", "PART:NUMBER, as gpu:17, node:3 or link:0"};

[[noreturn]] void refuse(const Flag& flag, const std::string& text, const std::string& allowed) {
  throw InputError("command line", flag.name, "\"" + text + "\"", allowed);
}

double read_number(const Flag& flag, const std::string& part, const std::string& text) {
  const std::optional<double> n = parse_number(part);
  if (!n) refuse(flag, text, flag.form);
  return *n;
}

// Ranks sit in the node; without a placement they fill the first nodes.
bool is_used(const Cluster& c, std::int64_t node) {
  for (std::int64_t rank = 0; rank < c.gpus; ++rank) {
    if (node_of(c, rank) == node) return true;
  }
  return false;
}

bool is_one_node(const Cluster& c) {
  for (std::int64_t rank = 1; rank < c.gpus; ++rank) {
    if (node_of(c, rank) != node_of(c, 0)) return false;
  }
  return true;
}

// gpu:17
Failure read_part(const Flag& flag, const std::string& part, const std::string& text,
                  const Run& run) {
  const std::size_t colon = part.find(':');
  const std::string kind = part.substr(0, std::min(colon, part.size()));
  if (colon == std::string::npos || (kind != "gpu" && kind != "node" && kind != "link")) {
    refuse(flag, text, flag.form);
  }
  Failure f;
  f.part = kind == "gpu" ? SlowPart::gpu : kind == "node" ? SlowPart::node : SlowPart::link;
  const Cluster& c = run.cluster;
  if (f.part == SlowPart::link && is_one_node(c)) {
    refuse(flag, text, "gpu or node parts: this run has one node, and no links between nodes");
  }
  const double which = read_number(flag, part.substr(colon + 1), text);
  const std::int64_t nodes = c.listed_devices ? place_count(c) / c.devices_per_node : node_count(c);
  const std::int64_t parts = f.part == SlowPart::gpu ? c.gpus : nodes;
  if (!(which >= 0 && which < static_cast<double>(parts)) || which != std::floor(which)) {
    refuse(flag, text, kind + " 0 to " + std::to_string(parts - 1));
  }
  f.which = static_cast<std::int64_t>(which);
  if (f.part != SlowPart::gpu && !is_used(c, f.which)) {
    refuse(flag, text, "a node that parallel.placement gives to a rank");
  }
  return f;
}

// gpu:17=1.3
Slow read_slow(const std::string& text, const Run& run) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) refuse(kSlow, text, kSlow.form);
  const Failure part = read_part(kSlow, text.substr(0, equals), text, run);
  const double factor = read_number(kSlow, text.substr(equals + 1), text);
  if (!(factor >= 1 && factor <= 1e6)) refuse(kSlow, text, "a factor from 1 to 1e6");
  return {part.part, part.which, factor};
}

// Refuses failures after which the run cannot go on. With replicas left out, ranks have other
// numbers: then nothing else may be named by number.
std::vector<Failure> read_failures(const std::vector<std::string>& texts,
                                   const std::vector<std::string>& slow, const Run& run) {
  std::vector<Failure> failures;
  bool leaves_replicas_out = false;
  for (const std::string& text : texts) {
    failures.push_back(read_part(kFail, text, text, run));
    leaves_replicas_out = leaves_replicas_out || failures.back().part != SlowPart::link;
  }
  const bool names_links = std::any_of(failures.begin(), failures.end(),
                                       [](const Failure& f) { return f.part == SlowPart::link; });
  if (leaves_replicas_out && (names_links || !slow.empty())) {
    refuse(kFail, texts.front(),
           "only gpu and node parts, without --slow: after a failure the ranks are renumbered");
  }
  const Survivors left = survivors(run, failures);
  if (!left.why_none.empty()) refuse(kFail, texts.front(), "less: " + left.why_none);
  return failures;
}

struct CheckpointChoice {
  std::string mode;
  std::string storage;
};

std::optional<SavedStates> saved_states(const CheckpointChoice& choice, const Run& run,
                                        const ConfigSource& configs) {
  if (choice.mode.empty() && choice.storage.empty()) return {};
  if (choice.storage.empty()) {
    throw InputError("command line", "--checkpoint", "no --storage", "--storage NAME beside it");
  }
  if (choice.mode.empty()) {
    throw InputError("command line", "--storage", "no --checkpoint", "--checkpoint MODE beside it");
  }
  SavedStates saved;
  saved.mode = enumerator_named<CheckpointMode>(choice.mode, "command line", "--checkpoint");
  const Storage storage = storage_with_rate(choice.storage, configs);
  const Bytes size = checkpoint_bytes(run, 0);
  saved.cost = checkpoint_cost(size, storage, saved.mode, run.cluster);
  saved.stopped = checkpoint_cost(size, storage, CheckpointMode::synchronous, run.cluster).stall;
  return saved;
}

// "": not asked for.
struct SimulateFiles {
  std::string trace;
  std::string trace_ranks;
  std::string html;
  std::string chakra;
  std::string simai;
  std::string snapshot;
};

void check_asked(const SimulateFiles& asked, const Run& run) {
  if (asked.trace.empty() && asked.chakra.empty() && !asked.trace_ranks.empty()) {
    throw InputError("command line", "--trace-ranks", "no --trace",
                     "--trace FILE or --chakra PREFIX beside it");
  }
  if (const std::string why = why_no_chakra(run); !asked.chakra.empty() && !why.empty()) {
    throw InputError("command line", "--chakra", why, "runs without");
  }
  if (const std::string why = why_no_simai(run); !asked.simai.empty() && !why.empty()) {
    throw InputError("command line", "--simai", why,
                     "a run without it: SimAI's format cannot express it");
  }
}

void add_chakra(const std::string& prefix, const SimulationReport& r,
                const std::vector<std::int64_t>& ranks, std::vector<NamedText>& files) {
  const Run& run = r.run.resolved.run;
  for (const std::int64_t rank : ranks) {
    files.push_back(
        {prefix + "." + std::to_string(rank) + ".et", chakra_trace(run, r.simulation, rank)});
  }
  files.push_back({prefix + ".json", chakra_groups(run, r.simulation, ranks)});
}

// Errors: InputError where a format has no word for something in the run.
std::vector<NamedText> simulate_files(const SimulateFiles& asked, const SimulationReport& r) {
  const Run& run = r.run.resolved.run;
  check_asked(asked, run);
  const std::vector<std::int64_t> ranks = trace_ranks(r, asked.trace_ranks);
  std::vector<NamedText> files;
  if (!asked.trace.empty()) files.push_back({asked.trace, perfetto_trace(r, ranks)});
  if (!asked.html.empty()) files.push_back({asked.html, timeline_html(r)});
  if (!asked.simai.empty()) files.push_back({asked.simai, simai_workload(run, r.simulation)});
  if (!asked.snapshot.empty()) files.push_back({asked.snapshot, memory_snapshot(r.simulation)});
  if (!asked.chakra.empty()) add_chakra(asked.chakra, r, ranks, files);
  return files;
}

struct SimulateOptions : CheckpointChoice, SimulateFiles {
  GivenRun run;
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
  std::int64_t steps = 0;  // with training.rl; 0: as many as usual
};

constexpr auto kSimulateOptions = [] {
  using C = SimulateOptions;
  return std::array{
      Option{into<&C::run>(OptionKind::played_run)},
      Option{into<&C::without>(OptionKind::comma_texts), "--without", "NAME",
             "turn an effect off: contention (for links), send-overlap (a stage goes on while it "
             "sends), or an overlap with compute: grad-reduce, param-gather, tp, cp, ep, offload, "
             "pairs, checkpoint, reshard"},
      Option{into<&C::with>(OptionKind::comma_texts), "--with", "NAME",
             "turn an effect on: slowdown (of kernels beside a reduction or gather; off by "
             "default), contention or send-overlap (on by default)"},
      Option{into<&C::every_gpu>(), "--every-gpu", "",
             "simulate every replica, also equal ones; --csv then has one row per GPU"},
      Option{
          into<&C::slow>(OptionKind::comma_texts), kSlow.name, "PART:NUMBER=FACTOR",
          "a slow part: gpu:17=1.3 (the GPU of rank 17), node:3=1.2, link:0=2 (the links of node "
          "0); nodes as parallel.placement numbers them"},
      Option{into<&C::mode, C>(), "--checkpoint", "MODE",
             "write a checkpoint beside the step: synchronous, two-phase or asynchronous; needs "
             "--storage"},
      Option{into<&C::storage, C>(), "--storage", "NAME",
             "where the checkpoint goes: a name of `orrery list storage` or a path", "", "",
             "storage"},
      Option{
          into<&C::fail>(OptionKind::comma_texts), kFail.name, "PART:NUMBER",
          "continue without a failed part: gpu:17 (of rank 17), node:3, link:0 (one network card "
          "of node 0)"},
      Option{into<&C::spread>(), "--spread", "SHARE",
             "make each GPU slower by its own random share, up to this: 0.05"},
      Option{into<&C::jitter>(), "--jitter", "SHARE",
             "make each pass longer by a random share, up to this"},
      Option{into<&C::prefetch>(), "--prefetch", "LAYERS",
             "fetch sharded weights layer by layer, this many layers ahead"},
      Option{into<&C::expert_load>(), "--expert-load", "FACTOR",
             "tokens of the fullest rank of experts over the mean"},
      Option{into<&C::seed>(), "--seed", "N", "seed of the random speeds, or of answers' lengths"},
      Option{into<&C::steps>(), "--steps", "N",
             "with training.rl: steps to play, each with answers of its own (16)"},
      Option{into<&C::trace, C>(), "--trace", "FILE",
             "write Chrome trace events, which ui.perfetto.dev opens; FILE.gz is compressed"},
      Option{into<&C::trace_ranks, C>(), "--trace-ranks", "RANKS",
             "ranks to trace: 0,8,16-23 or all (the first rank of every stage)"},
      Option{
          into<&C::chakra, C>(), "--chakra", "PREFIX",
          "write Chakra execution traces, PREFIX.RANK.et, and their process groups, PREFIX.json"},
      Option{into<&C::simai, C>(), "--simai", "FILE", "write the step as a SimAI workload"},
      Option{into<&C::snapshot, C>(), "--memory-snapshot", "FILE",
             "write the memory of every stage as PyTorch's allocator does, which "
             "pytorch.org/memory_viz opens"},
      Option{into<&C::html, C>(), "--html", "FILE", "write the timeline as an HTML page"},
      Option{into<&C::picture>(), "--picture", "",
             "draw the schedule in the terminal, one line per stage"},
  };
}();

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
  throw unknown_name("command line", flag, name, names);
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
  const double most = most_expert_load(run.model, run.strategy.ep);
  if (d.expert_load > most) {
    throw InputError("command line", "--expert-load", plain_number(d.expert_load),
                     "1 to " + plain_number(most) + ", the most that one of " +
                         std::to_string(run.strategy.ep) +
                         " ranks of experts can get over the mean");
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
  if (resolved.run.sites.count > 1) {
    throw InputError(
        resolved.file, "cluster.sites", std::to_string(resolved.run.sites.count) + " sites",
        "a run on one of them, whose events these are: without cluster.sites and "
        "training.outer, with --gpus " +
            std::to_string(resolved.run.cluster.gpus / resolved.run.sites.count) +
            " --global-batch " +
            std::to_string(resolved.run.training.global_batch / resolved.run.sites.count));
  }
  options.failures = read_failures(given.fail, given.slow, resolved.run);
  options.prefetch = prefetch_of(given, resolved.run);
  options.every_gpu = given.every_gpu;
  const auto saved = saved_states(given, resolved.run, context.configs);
  return report_on_simulation(std::move(resolved), std::move(options), saved);
}

std::string drawn(const SimulateOptions& o, const SimulationReport& r, const OutputForm& output) {
  AnswerDocument d = simulation_document(r);
  if (o.picture) d.sections = {run_header(r.run.resolved), timeline_picture(r, output.style.width)};
  return drawn(d, output);
}

// The options that are given beside the run, by name.
std::vector<std::string_view> options_beside_run(const SimulateOptions& o) {
  std::vector<std::string_view> names;
  const auto add = [&names](bool given, std::string_view name) {
    if (given) names.push_back(name);
  };
  add(!o.with.empty(), "--with");
  add(!o.without.empty(), "--without");
  add(o.every_gpu, "--every-gpu");
  add(!o.slow.empty(), kSlow.name);
  add(!o.fail.empty(), kFail.name);
  add(!o.mode.empty(), "--checkpoint");
  add(!o.storage.empty(), "--storage");
  add(o.spread > 0, "--spread");
  add(o.jitter > 0, "--jitter");
  add(o.expert_load != 1, "--expert-load");
  add(o.prefetch.has_value(), "--prefetch");
  add(o.seed != SimulateOptions{}.seed, "--seed");
  add(o.steps != 0, "--steps");
  add(!o.trace.empty(), "--trace");
  add(!o.trace_ranks.empty(), "--trace-ranks");
  add(!o.chakra.empty(), "--chakra");
  add(!o.simai.empty(), "--simai");
  add(!o.snapshot.empty(), "--memory-snapshot");
  add(!o.html.empty(), "--html");
  add(o.picture, "--picture");
  return names;
}

std::optional<CommandAnswer> answer_of_groups(const SimulateOptions& o, const OutputForm& output,
                                              const CommandContext& context) {
  std::optional<CommandAnswer> answer;
  use_run(o.run, context, [&](const RunSource& source) {
    if (!has_groups(source.json)) return;
    refuse_unread(options_beside_run(o), {}, "a run with cluster.groups",
                  "simulate without it: of several kinds of node it plays the step alone");
    answer = mixed_simulate(source, output);
  });
  return answer;
}

std::optional<CommandAnswer> of_steps(const SimulateOptions& o, const OutputForm& output,
                                      const CommandContext& context) {
  std::optional<CommandAnswer> answer;
  use_run(o.run, context, [&](const RunSource& source) {
    if (!has_rl(source.json)) return;
    static constexpr std::array<std::string_view, 4> kRead = {"--steps", "--seed", "--trace",
                                                              "--html"};
    refuse_unread(options_beside_run(o), kRead, "a step of reinforcement learning",
                  "--steps, --seed, --trace and --html; the others are of a run without "
                  "training.rl");
    answer = rl_simulate(source, output, {o.steps, o.seed, o.trace, o.html});
  });
  if (!answer && o.steps != 0) {
    throw InputError(ErrorCode::not_allowed, "command line", "--steps", std::to_string(o.steps),
                     "a run with training.rl, or the flag away: one step is played");
  }
  return answer;
}

CommandAnswer answer_simulate(Request& request, const CommandContext& context) {
  const auto options = read_options<SimulateOptions>(kSimulateOptions, request);
  const OutputForm output = request.output();
  request.done();
  if (auto of_groups = answer_of_groups(options, output, context)) return *std::move(of_groups);
  if (auto of_rl = of_steps(options, output, context)) return *std::move(of_rl);
  const SimulationReport r = report_of(options, context);
  CommandAnswer answer;
  answer.files = simulate_files(options, r);
  answer.code = is_feasible(r.run) ? ExitCode::answer : ExitCode::no;
  answer.text = output.json() ? AnswerText(simulation_json(r)) : drawn(options, r, output);
  return answer;
}

}  // namespace

const CommandRow kSimulateCommand = {"simulate", answer_simulate, kSimulateOptions};

}  // namespace orrery
