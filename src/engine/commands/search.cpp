// SPDX-License-Identifier: Apache-2.0
#include "report/search.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "core/error.h"
#include "core/unknown_name.h"
#include "document/html.h"
#include "engine/commands/commands.h"
#include "engine/commands/rl.h"
#include "engine/given_run.h"
#include "engine/gpu_prices.h"
#include "engine/plan_context.h"
#include "engine/power_limit.h"
#include "engine/printed_run.h"
#include "engine/typed_run.h"
#include "estimate/mixed_document.h"
#include "explore/mixed_search.h"
#include "explore/search_team.h"
#include "insight/rl_search_question.h"
#include "report/mixed_search.h"

namespace orrery {
namespace {

struct SearchCommand : SearchExtras {
  GivenRun run;
  std::size_t top = 0;  // 0: as the run file says
  unsigned jobs = 0;
  std::vector<std::string> where;
  std::vector<std::string> pareto;
  std::string html;
  std::string minimize;
  std::string maximize;
  std::string print;  // a format; "": the answer
  GivenPrices prices;
  bool all = false;
  bool beside = false;  // what a search does anyway
  bool one_more = false;
  PowerLimit power;
};

constexpr std::int64_t kMostShown = 1000;
constexpr const char* kStepTime = "step_time_s";
constexpr const char* kCost = "cost";

void read_prices_of(Request& request, const Option& option, SearchCommand& c) {
  read_price_flag(request, key_of(option), c.prices);
}

void read_power_flag(Request& request, const Option& option, SearchCommand& c) {
  c.power.read(request, key_of(option));
}

constexpr auto kSearchOptions = [] {
  using C = SearchCommand;
  return std::array{
      Option{into<&C::run>()},
      Option{into<&C::top>(1, kMostShown), "--top", "N", "number of strategies to show (5)"},
      Option{into<&C::where>(), "--where", "EXPRESSION",
             "a constraint: 'memory.peak_gib <= 72' or 'tp * cp <= 8'"},
      Option{into<&C::pareto>(), "--pareto", "EXPRESSION",
             "minimize this too (Pareto front); give the flag twice or more"},
      Option{into<&C::minimize>(), "--minimize", "EXPRESSION", "what to minimize (step_time_s)"},
      Option{into<&C::maximize>(), "--maximize", "EXPRESSION",
             "what to maximize, in place of --minimize"},
      Option{into<&C::print>(printed_formats), "--print", "FORMAT",
             "print the recommended strategy alone, in this format: "},
      Option{by<C, read_prices_of>(), "--prices", "NAME",
             "with training.rl: shows what a step costs, which --minimize cost makes least: a name "
             "of `orrery list prices` or a path",
             "", "", plan_flag("--prices").names},
      Option{by<C, read_prices_of>(), "--rent", "MONEY",
             "what you pay for an hour of a GPU: 2.5, \"2.5 USD/h\"; goes before --prices"},
      Option{by<C, read_power_flag>(), "--power", "WATTS",
             "limit of the site: devices are under the cap that keeps it, and the answer shows the "
             "step and its energy under others: 300kW"},
      Option{by<C, read_power_flag>(), "--energy", "NAME",
             "with --power: power by load and PUE: a name of `orrery list energy` or a path", "",
             "", plan_flag("--energy").names},
      Option{into<&C::refine, C>(1, kMostShown), "--refine", "K", "simulate the best K strategies"},
      Option{into<&C::keep, C>(), "--keep", "KEY",
             "hold this key of the run's strategy as the run has it (tp, recompute, parallel for "
             "all); flags and `search.axes` hold theirs"},
      Option{into<&C::all>(), "--all", "",
             "every table: what each value loses, and the rules that refuse candidates"},
      Option{into<&C::beside>(), "--beside", "",
             "without effect: a search shows the run's own strategy by itself"},
      Option{into<&C::fewest, C>(), "--fewest", "",
             "search on the fewest GPUs on which the run fits"},
      Option{into<&C::one_more>(), "--one-more", "",
             "with cluster.groups: the best step with one node more of each group"},
      Option{into<&C::html>(), "--html", "FILE", "write the answer as an HTML page"},
      Option{into<&C::heat, C>(), "--heat", "X,Y", "the two axes of the map of --html (tp,pp)"},
      Option{into<&C::jobs>(1, kMostWorkers), "--jobs", "N",
             "threads (all the machine has); the answer is the same"},
  };
}();

SearchCommand read_search(Request& request) {
  auto c = read_options<SearchCommand>(kSearchOptions, request);
  check_printed_format(request, "print", c.print);
  c.page = !c.html.empty();
  return c;
}

// Options go over the file's `search`: conditions are added, the objective is replaced.
Json with_options(Json run, const SearchCommand& c) {
  if (!run.is_object()) return run;
  for (const std::string& text : c.where) run["search"]["constraints"].push_back(text);
  if (!c.pareto.empty()) run["search"]["pareto"] = c.pareto;
  if (!c.minimize.empty()) run["search"]["objective"] = {{"minimize", c.minimize}};
  if (!c.maximize.empty()) run["search"]["objective"] = {{"maximize", c.maximize}};
  return run;
}

void adjust(const SearchCommand& c, const EngineHooks& hooks, SearchOptions& o) {
  o.team = hooks.team;
  o.stopped = hooks.stopped;
  o.progress = hooks.progress;
  if (c.top > 0) o.top = c.top;
  o.workers = workers_of(hooks, c.jobs);
  o.parallel = parallel_of(hooks, o.workers);
}

CommandAnswer answer_of(const SearchCommand& c, const OutputForm& output,
                        const SearchReport& report, const RunSource& source) {
  const TypedRun run = typed_run(c.run, &source);
  const bool is_short = output.format == AnswerFormat::text && !c.all;
  const AnswerDocument document = search_document(report, run, !is_short);
  CommandAnswer answer;
  if (!c.print.empty() && !report.best.empty()) {
    answer = printed_run(c.print, report.best[0].run.resolved, source.json, source.lookup,
                         output.json());
  } else {
    answer.code = report.best.empty() ? ExitCode::no : ExitCode::answer;
    answer.text = output.json() ? AnswerText(search_json(report)) : drawn(document, output);
  }
  if (c.page) answer.files.push_back({c.html, html_of(search_document(report, run, true))});
  return answer;
}

// The options that are given beside the run, by name, but those that every kind of run reads.
std::vector<std::string_view> options_beside_run(const SearchCommand& c) {
  std::vector<std::string_view> names;
  const auto add = [&names](bool given, std::string_view name) {
    if (given) names.push_back(name);
  };
  add(!c.where.empty(), "--where");
  add(!c.pareto.empty(), "--pareto");
  add(!c.minimize.empty(), "--minimize");
  add(!c.maximize.empty(), "--maximize");
  add(!c.print.empty(), "--print");
  add(!c.prices.prices.is_null(), "--prices");
  add(!c.prices.rent.is_null(), "--rent");
  add(c.refine > 0, "--refine");
  add(c.power.is_given(), "--power");
  add(c.fewest, "--fewest");
  add(c.page, "--html");
  return names;
}

CommandAnswer answer_of_groups(const SearchCommand& c, const OutputForm& output,
                               const RunSource& source) {
  refuse_unread(options_beside_run(c), {}, "a run with cluster.groups",
                "search without it: over groups it looks for the shortest step");
  MixedSearchOptions options;
  if (c.top > 0) options.top = c.top;
  const std::vector<std::string> axes = mixed_axes();
  for (const std::string& key : c.keep) {
    const bool known = std::find(axes.begin(), axes.end(), key) != axes.end();
    if (!known) throw unknown_name("command line", "--keep", key, axes);
    options.keep.push_back(key);
  }
  MixedSearchResult r = search_mixed(source.json, source.file, source.lookup, options);
  if (c.one_more) {
    const auto own = r.best.empty() ? std::nullopt : std::optional(r.best.front().step);
    r.marginals = marginals_of(source.json, source.file, source.lookup, options, own);
  }
  return {r.best.empty() ? ExitCode::no : ExitCode::answer,
          output.json() ? AnswerText(mixed_search_json(r))
                        : drawn(mixed_search_document(r, typed_run(c.run, &source)), output)};
}

// True where the least cost is looked for. Errors: another aim than the step's time or its cost.
bool is_for_cost(const SearchCommand& c) {
  if (c.minimize.empty() || c.minimize == kStepTime) return false;
  if (c.minimize != kCost) {
    throw unknown_name("command line", "--minimize", c.minimize, {kStepTime, kCost});
  }
  if (c.prices.any()) return true;
  throw InputError(ErrorCode::missing_key, "command line", "--minimize", "cost without a price",
                   "--prices NAME or --rent MONEY beside it");
}

std::optional<CommandAnswer> answer_rl(const SearchCommand& c, const RunSource& source,
                                       const OutputForm& output, const CommandContext& context) {
  if (!has_rl(source.json)) return {};
  static constexpr std::array<std::string_view, 5> kRead = {"--where", "--minimize", "--print",
                                                            "--prices", "--rent"};
  refuse_unread(options_beside_run(c), kRead, "a step of reinforcement learning",
                "--top, --keep, --where, --minimize, --prices, --rent, --print and flags of "
                "the run, with training.rl");
  if (context.hooks.team != nullptr && !context.hooks.team->leads()) return CommandAnswer{};
  RlSearchQuestion question{c.keep, c.where, {}, is_for_cost(c), {}};
  question.prices = price_book(c.prices, context, source.beside);
  question.adjust = [&](SearchOptions& o) { adjust(c, context.hooks, o); };
  return rl_search_answer(source, output, question, c.print, typed_run(c.run, &source));
}

void refuse_prices(const SearchCommand& c) {
  if (!c.prices.any()) return;
  const char* given = c.prices.prices.is_null() ? "--rent" : "--prices";
  throw InputError(ErrorCode::not_allowed, "command line", given, "a run without training.rl",
                   "`search.price` of the run file, {\"gpu_hour\": 2.5}");
}

void refuse_two_aims(const SearchCommand& c) {
  if (!c.fewest) return;
  throw InputError(ErrorCode::not_allowed, "command line", "--power", "--fewest beside it",
                   "one of them");
}

CommandAnswer answer_search(Request& request, const CommandContext& context) {
  SearchCommand command = read_search(request);
  const OutputForm output = request.output();
  request.done();
  if (output.csv() && !command.print.empty()) {
    throw InputError("orrery search", "", "--print and --csv", "one of them");
  }
  if (command.power.is_given()) {
    refuse_two_aims(command);
    command.run = command.power.capped(command.run, context);
  }
  CommandAnswer answer;
  use_run(
      command.run, context,
      [&](const RunSource& source) {
        if (has_groups(source.json)) {
          answer = answer_of_groups(command, output, source);
          return;
        }
        if (auto of_rl = answer_rl(command, source, output, context)) {
          answer = *std::move(of_rl);
          return;
        }
        refuse_prices(command);
        if (command.one_more) {
          throw InputError(ErrorCode::not_allowed, "command line", "--one-more",
                           "a run on one kind of node", "cluster.groups beside it");
        }
        SearchExtras extras = static_cast<const SearchExtras&>(command);
        extras.frees = true;
        extras.changes = source.changes;
        SearchReport report = report_on_search(
            with_options(source.json, command), source.file, source.lookup,
            [&](SearchOptions& o) { adjust(command, context.hooks, o); }, extras);
        if (command.power.asked() != nullptr) add_power(*command.power.asked(), report);
        const bool stopped = context.hooks.stopped && context.hooks.stopped();
        const bool alone = context.hooks.team == nullptr;
        // The others of a team have no answer.
        const bool leads = alone || context.hooks.team->leads();
        const bool has_answer = !stopped || (alone && !report.best.empty());
        if (leads && has_answer) answer = answer_of(command, output, report, source);
        if (stopped) answer.code = ExitCode::interrupted;
      },
      Searches::yes);
  return answer;
}

}  // namespace

const CommandRow kSearchCommand = {"search", answer_search, kSearchOptions};

}  // namespace orrery
