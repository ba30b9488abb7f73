// SPDX-License-Identifier: Apache-2.0
#include "report/limits.h"

#include <algorithm>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "engine/commands/commands.h"
#include "engine/given_names.h"
#include "engine/given_run.h"
#include "engine/missing_flags.h"
#include "engine/typed_run.h"
#include "estimate/mixed_document.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"
#include "insight/limits.h"

namespace orrery {
namespace {

constexpr double kPercent = 0.01;
constexpr std::int64_t kMostPercent = 1000;

struct LimitsChoice {
  GivenRun run;
  std::vector<std::string> of;
  double within = 10;  // percent
  std::string versus;
  bool keep_layout = false;
};

std::vector<std::string> limit_names() {
  return {kNamesOf<LimitKind>.begin(), kNamesOf<LimitKind>.end()};
}

constexpr auto kLimitsOptions = [] {
  using C = LimitsChoice;
  ReadOption of = into<&C::of>(OptionKind::comma_texts);
  of.words = limit_names;
  return std::array{
      Option{into<&C::run>()},
      Option{of, "--of", "LIMIT", "only these limits: "},
      Option{into<&C::within>(0, kMostPercent), "--within", "PERCENT",
             "how much longer a step may be on a slower network or with less memory (10)"},
      Option{into<&C::versus>(), "--versus", "NODE",
             "another node: the price of its GPU-hour at which it costs the same a sample", "", "",
             "node"},
      Option{into<&C::keep_layout>(), "--keep-layout", "",
             "the run's own strategy alone, without a search at each value"},
  };
}();

std::vector<LimitKind> kinds_named(const std::vector<std::string>& names, const LimitsChoice& c) {
  std::vector<LimitKind> kinds;
  for (const std::string& name : names) {
    const auto kind = find_name<LimitKind>(name);
    if (!kind) {
      throw InputError(ErrorCode::unknown_name, "--of", "", "\"" + name + "\"",
                       alternatives(limit_names()), nearest_name(name, limit_names()));
    }
    if (*kind == LimitKind::price && c.versus.empty())
      throw InputError("--of", "", "price without another node", "--versus NODE beside it");
    kinds.push_back(*kind);
  }
  return kinds;
}

// Ours of a name that people type: "8xB200".
std::string node_named(const std::string& name, const ConfigLookup& lookup) {
  if (name.empty()) return name;
  Json run = {{"cluster", {{"node", name}}}};
  std::vector<Fact> facts;
  take_node(lookup, "--versus", {}, run, facts);
  return run["cluster"]["node"].get<std::string>();
}

LimitQuestion question_of(const LimitsChoice& c, const RunSource& source,
                          const CommandContext& context) {
  LimitQuestion q;
  q.run = source.json;
  q.file = source.file;
  q.lookup = config_lookup(until_stopped(context), source.beside);
  q.kinds = kinds_named(c.of, c);
  q.within = c.within * kPercent;
  q.versus = node_named(c.versus, q.lookup);
  q.keeps_layout = c.keep_layout;
  q.progress = context.hooks.progress;
  return q;
}

// One node stands for one kind.
void refuse_beside_groups(const LimitsChoice& c, const RunSource& source) {
  if (c.versus.empty() || !has_groups(source.json)) return;
  throw InputError(ErrorCode::not_allowed, "command line", "--versus", "a run with cluster.groups",
                   "a run on one kind of node");
}

bool asks_alone(const LimitsChoice& c, LimitKind kind) {
  return c.of.size() == 1 && c.of[0] == name_of(kind);
}

// The fewest GPUs are asked for: a node of them is where the search begins.
RunSource with_gpus(const RunSource& source, const LimitsChoice& c) {
  constexpr const char* kGpus = key_path<&ClusterRequest::gpus>;
  constexpr const char* kNode = key_path<&ClusterRequest::node>;
  RunSource out = source;
  if (!asks_alone(c, LimitKind::gpus) || !value_at(out.json, kGpus).is_null() ||
      !value_at(out.json, kNode).is_string())
    return out;
  const auto node =
      out.lookup.hardware.find(HardwareKind::node, value_at(out.json, kNode).get<std::string>());
  if (!node) return out;
  const Json document = parse_json(node->text, node->file);
  const Json& gpus = value_at(document, "devices_per_node");
  if (gpus.is_number_integer()) set_at(out.json, kGpus, gpus);
  return out;
}

constexpr std::int64_t kFirstLength = 8192;  // of a question that has none; no answer depends on it

// The longest sequence needs no length; without one no other limit is asked.
RunSource with_length(RunSource source, const CommandContext& context, LimitsChoice& c) {
  constexpr const char* kLength = key_path<&TrainingRequest::sequence_length>;
  const bool may_be_open = c.of.empty() || asks_alone(c, LimitKind::sequence_length);
  const bool is_open = value_at(source.json, kLength).is_null() && !has_groups(source.json) &&
                       !value_at(source.json, key_path<&RunRequest::model>).is_null();
  if (!may_be_open || !is_open || !is_text_model(source.json, source.lookup)) return source;
  set_at(source.json, kLength, kFirstLength);
  if (c.of.empty() && context.warnings != nullptr)
    context.warnings->push_back(
        "no --sequence-length: the longest one alone is asked; with it, the other limits too");
  c.of = {std::string(name_of(LimitKind::sequence_length))};
  return source;
}

CommandAnswer answer_limits(Request& request, const CommandContext& context) {
  auto choice = read_options<LimitsChoice>(kLimitsOptions, request);
  const OutputForm output = request.output();
  request.done();
  LimitsReport r;
  TypedRun typed;
  use_run(choice.run, context, [&](const RunSource& given) {
    const RunSource source = with_length(given, context, choice);
    typed = typed_run(choice.run, &source);
    refuse_beside_groups(choice, source);
    r = limits_of(question_of(choice, with_gpus(source, choice), context));
  });
  const bool any = std::any_of(r.limits.begin(), r.limits.end(),
                               [](const Limit& l) { return l.value.has_value(); });
  return {any ? ExitCode::answer : ExitCode::no,
          output.json() ? AnswerText(limits_json(r)) : drawn(limits_document(r, typed), output)};
}

}  // namespace

const CommandRow kLimitsCommand = {"limits", answer_limits, kLimitsOptions};

}  // namespace orrery
