// SPDX-License-Identifier: Apache-2.0
#include "report/estimate.h"

#include "core/error.h"
#include "core/units.h"
#include "document/text.h"
#include "engine/answer.h"
#include "engine/commands/commands.h"
#include "engine/commands/mixed.h"
#include "engine/commands/rl.h"
#include "engine/given_run.h"
#include "engine/storage_named.h"
#include "engine/typed_run.h"
#include "insight/mixed_report.h"
#include "insight/neighbours.h"
#include "parallel/strategy_keys.h"
#include "report/against.h"
#include "report/comm.h"
#include "report/compare.h"
#include "report/explain.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

ExitCode code_of(const RunReport& r) { return is_feasible(r) ? ExitCode::answer : ExitCode::no; }

CommandAnswer answer_against(const CommReport& report, const NamedText& file,
                             const OutputForm& output) {
  CommAgainst a{report, read_comm_log(file.text, file.name), file.name, {}};
  a.comparison = compare(a.report.messages, a.log);
  return {code_of(a.report.run), output.json() ? AnswerText(comm_against_json(a))
                                               : drawn(comm_against_document(a), output)};
}

// The other job on nodes that the first leaves free, where they share a fabric.
ResolvedRun placed_beside(const ResolvedRun& own, GivenRun beside, const CommandContext& context) {
  ResolvedRun other = resolved_run(beside, context);
  const std::optional<std::vector<std::int64_t>> nodes = nodes_beside(own, other);
  if (!nodes) return other;
  beside.overrides.push_back(
      {"--beside", key_path<&StrategyRequest::placement>, {{"nodes", *nodes}}});
  return resolved_run(beside, context);
}

CommandAnswer answer_beside(const CommReport& own, const GivenRun& beside, const OutputForm& output,
                            const CommandContext& context) {
  if (output.csv()) throw UsageError("--beside: give it without --csv");
  const std::string name = beside.document ? beside.document->file : beside.name;
  const CommBeside b{own, comm_report_on(placed_beside(own.run.resolved, beside, context)), name};
  return {code_of(b.own.run),
          output.json() ? AnswerText(comm_beside_json(b)) : drawn(comm_beside_document(b), output)};
}

// The key, or the last part of one.
const Metric& metric_named(const std::string& name) {
  if (const Metric* m = find_metric(name)) return *m;
  for (const Metric& m : metrics()) {
    const std::size_t dot = m.key.rfind('.');
    if (dot != std::string_view::npos && m.key.substr(dot + 1) == name) return m;
  }
  throw InputError("orrery explain", "", "the metric \"" + name + "\"",
                   "a key of `orrery list metrics`", nearest_name(name, metric_keys()));
}

Json document_of(const ResolvedRun& r, const Explanation& e) {
  Json j = explain_json(e);
  j["rests_on"] = rests_on_json(r);
  j["inputs"] = reported_inputs(r);
  return versioned(std::move(j));
}

constexpr std::size_t kMostRuns = 8;

struct RunChoice {
  GivenRun run;
  std::optional<NamedText> against;
  bool all = false;
};

constexpr std::array kEstimateOptions = {
    Option{into<&RunChoice::run>()},
    Option{into<&RunChoice::against>(), "--against", "LOG",
           "a training log of this run (Megatron-LM, DeepSpeed, torchtitan, …) to compare with, "
           "term by term; `orrery diagnose` takes it too"},
    Option{into<&RunChoice::all>(), "--all", "",
           "every table: memory, time and messages, and each default with its origin"},
};

constexpr OptionRows kMemoryOptions = OptionRows(kEstimateOptions).first(1);

struct CommChoice {
  GivenRun run;
  std::optional<NamedText> against;
  std::optional<GivenRun> beside;
  std::string write_every;
  std::string storage;
};

// Another run, by name or as its document.
void read_beside(Request& request, const Option& option, CommChoice& choice) {
  const auto given = request.find(key_of(option));
  if (!given) return;
  take_run(*given, choice.beside.emplace());
}

constexpr std::array kCommOptions = {
    Option{into<&CommChoice::run>()},
    Option{by<CommChoice, read_beside>(OptionKind::text), "--beside", "RUN",
           "another job whose traffic meets this one's on the outermost links: steps of both, in "
           "the mean and the tail over their phases",
           "runs"},
    Option{into<&CommChoice::write_every>(), "--write-every", "TIME",
           "a checkpoint written every so often over the same network, beside the steps (30 min)"},
    Option{into<&CommChoice::storage>(), "--storage", "NAME",
           "with --write-every: storage by a name of `orrery list storage` or a path", "storage"},
    Option{into<&CommChoice::against>(), "--against", "LOG",
           "a measured log to compare with: DeepSpeed's communication summary, or CSV of "
           "operation,bytes,count,us"},
};

Seconds interval_of(const std::string& text) {
  const std::optional<double> seconds = parse_quantity(text, kSeconds);
  if (seconds && *seconds > 0) return Seconds(*seconds);
  throw InputError("command line", "--write-every", "\"" + text + "\"", "a time: \"30 min\"");
}

// One of the two options alone says nothing.
bool writes_beside(const CommChoice& c) {
  if (c.write_every.empty() == c.storage.empty()) return !c.storage.empty();
  throw InputError("command line", c.storage.empty() ? "--write-every" : "--storage",
                   c.storage.empty() ? "no --storage" : "no --write-every",
                   "both, --write-every TIME --storage NAME");
}

CommandAnswer answer_writing(const CommReport& r, const CommChoice& c, const OutputForm& output,
                             const CommandContext& context) {
  const Storage storage = storage_with_rate(c.storage, context.configs);
  const WriteBeside w = step_beside_write(r.run, storage, interval_of(c.write_every));
  return {code_of(r.run), output.json() ? AnswerText(comm_write_json(r, w))
                                        : drawn(comm_write_document(r, w), output)};
}

struct ExplainChoice {
  GivenRun run;
  std::string metric = "step_time_s";
  std::size_t depth = 3;
};

constexpr std::array kExplainOptions = {
    Option{{}, "RUN", "", "run file: name, path or -"},
    Option{into<&ExplainChoice::metric>(), "METRIC", "", "a key of `orrery list metrics`"},
    Option{into<&ExplainChoice::depth>(), "--depth", "N", "levels below the metric (3)"},
    Option{into<&ExplainChoice::run>(OptionKind::run_flags)},
};

struct CompareChoice {
  std::vector<GivenRun> runs;
};

void read_runs(Request& request, const Option& option, CompareChoice& choice) {
  const GivenRun changes = given_run(request);
  const auto list = request.find(key_of(option));
  if (!list) return;
  for (const Reader& item : list->items()) {
    choice.runs.push_back(changes);
    take_run(item, choice.runs.back());
  }
}

constexpr std::array kCompareOptions = {
    Option{by<CompareChoice, read_runs>(OptionKind::runs), "RUN", "", "run files: names or paths",
           "runs"},
    Option{{OptionKind::run_flags}},
};

std::vector<GivenRun> given_runs(Request& request) {
  std::vector<GivenRun> all = read_options<CompareChoice>(kCompareOptions, request).runs;
  if (all.size() < 2 || all.size() > kMostRuns) {
    throw InputError("orrery compare", "",
                     std::to_string(all.size()) + (all.size() == 1 ? " run" : " runs"),
                     "two to eight runs");
  }
  return all;
}

CommandAnswer answer_estimate(Request& request, const CommandContext& context) {
  const auto [given, log, all] = read_options<RunChoice>(kEstimateOptions, request);
  const OutputForm output = request.output();
  request.done();
  if (log && output.csv()) throw UsageError(request.named("against") + ": give it without --csv");
  RunReport r;
  std::optional<CommandAnswer> of_rl;
  std::optional<CommandAnswer> of_groups;
  TypedRun typed = typed_run(given);
  const GivenRun& of_request = given;  // clang 14 takes no binding into a lambda
  const bool is_short = output.format == AnswerFormat::text && !all;
  const TypedRun* brief = is_short ? &typed : nullptr;
  use_run(given, context, [&](const RunSource& source) {
    typed = typed_run(of_request, &source);
    of_rl = rl_estimate(source, output, brief);
    if (!of_rl) of_groups = mixed_estimate(source, output, brief);
    if (of_rl || of_groups) return;
    r = report_with_remedy(source.json, source.file, source.lookup, source.changes);
  });
  if (of_rl && log)
    throw UsageError(request.named("against") + ": a log of a run without training.rl");
  if (of_rl) return *std::move(of_rl);
  if (of_groups && log)
    throw UsageError(request.named("against") + ": a log of a run on one kind of node");
  if (of_groups) return *std::move(of_groups);
  if (log) {
    const TrainingLog logged = read_training_log(log->text, log->name);
    return {ExitCode::answer, output.json() ? AnswerText(training_against_json(r, logged))
                                            : drawn(training_against_document(r, logged), output)};
  }
  if (output.json()) return {code_of(r), AnswerText(estimate_json(r))};
  return {code_of(r), drawn(is_short ? estimate_summary(r, typed) : estimate_document(r), output)};
}

CommandAnswer answer_memory(Request& request, const CommandContext& context) {
  const auto choice = read_options<RunChoice>(kMemoryOptions, request);
  const OutputForm output = request.output();
  request.done();
  RunReport r;
  std::optional<CommandAnswer> of_rl;  // or of several groups
  TypedRun typed;
  use_run(choice.run, context, [&](const RunSource& source) {
    typed = typed_run(choice.run, &source);
    of_rl = rl_memory(source, output);
    if (!of_rl) of_rl = mixed_memory(source, output);
    if (of_rl) return;
    r = report_on(resolve_run(source.json, source.file, source.lookup, source.changes));
  });
  if (of_rl) return *std::move(of_rl);
  if (output.json()) return {code_of(r), AnswerText(memory_json(r))};
  AnswerDocument document = memory_document(r);
  document.add(memory_ending(r, typed));
  return {code_of(r), drawn(document, output)};
}

CommandAnswer answer_comm(Request& request, const CommandContext& context) {
  const auto choice = read_options<CommChoice>(kCommOptions, request);
  const std::optional<NamedText>& log = choice.against;
  const OutputForm output = request.output();
  request.done();
  CommReport r;
  std::optional<CommandAnswer> of_groups;
  const bool writes = writes_beside(choice);
  if (log && choice.beside) {
    throw UsageError(request.named("beside") + ": give it without " + request.named("against"));
  }
  if (writes && (log || choice.beside)) {
    throw UsageError("--write-every: give it without --beside and --against");
  }
  use_run(choice.run, context, [&](const RunSource& source) {
    of_groups = mixed_comm(source, output);
    if (of_groups) return;
    r = comm_report_on(resolve_run(source.json, source.file, source.lookup, source.changes));
  });
  if (of_groups && log)
    throw UsageError(request.named("against") + ": a log of a run on one kind of node");
  if (of_groups && writes)
    throw UsageError("--write-every: a checkpoint beside a run on one kind of node");
  if (of_groups && choice.beside)
    throw UsageError(request.named("beside") + ": a job beside a run on one kind of node");
  if (of_groups) return *std::move(of_groups);
  if (log) return answer_against(r, *log, output);
  if (writes) return answer_writing(r, choice, output, context);
  if (choice.beside) return answer_beside(r, *choice.beside, output, context);
  return {code_of(r.run),
          output.json() ? AnswerText(comm_json(r)) : drawn(comm_document(r), output)};
}

CommandAnswer answer_explain(Request& request, const CommandContext& context) {
  const auto choice = read_options<ExplainChoice>(kExplainOptions, request);
  const OutputForm output = request.output(
      {AnswerFormat::json, AnswerFormat::text, AnswerFormat::html, AnswerFormat::markdown});
  request.done();
  ResolvedRun r;
  std::optional<CommandAnswer> other;  // of a step of reinforcement learning, or of several groups
  use_run(choice.run, context, [&](const RunSource& source) {
    other = rl_explain(source, output, choice.metric, choice.depth);
    if (other) return;
    const Metric& metric = metric_named(choice.metric);
    other = mixed_explain(source, metric, choice.depth, output);
    if (!other) r = resolve_run(source.json, source.file, source.lookup, source.changes);
  });
  if (other) return *std::move(other);
  const Explanation e = explain(r, metric_named(choice.metric));
  if (output.json()) return {ExitCode::answer, AnswerText(document_of(r, e))};
  return {ExitCode::answer, drawn(explain_document(r, e, choice.depth), output)};
}

CommandAnswer answer_compare(Request& request, const CommandContext& context) {
  const std::vector<GivenRun> all = given_runs(request);
  const OutputForm output = request.output();
  request.done();
  if (auto of_rl = rl_compare(all, output, context)) return *std::move(of_rl);
  std::vector<NamedRun> runs;
  bool feasible = true;
  for (const GivenRun& one : all) {
    use_run(one, context, [&](const RunSource& source) {
      runs.push_back({one.document ? one.document->file : one.name,
                      report_on_either(source.json, source.file, source.lookup, source.changes)});
    });
    feasible = feasible && is_feasible(runs.back().report);
  }
  const Comparison c = compare(std::move(runs), config_lookup(context.configs));
  return {feasible ? ExitCode::answer : ExitCode::no,
          output.json() ? AnswerText(comparison_json(c)) : drawn(comparison_document(c), output)};
}

}  // namespace

const CommandRow kEstimateCommand = {"estimate", answer_estimate, kEstimateOptions};
const CommandRow kMemoryCommand = {"memory", answer_memory, kMemoryOptions};
const CommandRow kCommCommand = {"comm", answer_comm, kCommOptions};
const CommandRow kExplainCommand = {"explain", answer_explain, kExplainOptions};
const CommandRow kCompareCommand = {"compare", answer_compare, kCompareOptions};

}  // namespace orrery
