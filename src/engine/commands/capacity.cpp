// SPDX-License-Identifier: Apache-2.0
#include "report/capacity.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "capacity/mixed_purchase.h"
#include "core/error.h"
#include "document/html.h"
#include "engine/answer.h"
#include "engine/commands/commands.h"
#include "engine/given_names.h"
#include "engine/given_run.h"
#include "engine/gpu_prices.h"
#include "engine/missing_flags.h"
#include "engine/plan_context.h"
#include "estimate/mixed_document.h"
#include "estimate/training_keys.h"
#include "hardware/cluster_keys.h"
#include "report/fleet.h"
#include "report/mixed_purchase.h"

namespace orrery {
namespace {

struct CapacityCommand {
  GivenRun run;                // or a plan
  bool is_plan = false;        // the request says so
  std::vector<Override> plan;  // in the order of kPlanFlags
  bool search = false;
  bool sure = false;
  bool all = false;
  std::vector<std::string> models;
  std::string grow;  // a group
  unsigned jobs = 0;
  AnswerFormat format = AnswerFormat::json;
  Style style;
  std::string html;
};

// `plan` in place of `run`, where an object that has a key `run` is a run with changes.
bool take_plan(Request& request, GivenRun& given) {
  const auto plan = request.find("plan");
  if (!plan) return false;
  if (!given.name.empty() || given.document) plan->fail("a plan beside `run`", "one of the two");
  given.document = request_document(*plan);
  return true;
}

// 60 of a deadline could be days as well as seconds: these two ask for the unit.
void refuse_bare_number(const std::string& name, const Override& o) {
  const bool deadline = o.path == "require.deadline";
  if (!o.value.is_number() || (!deadline && o.path != "require.power")) return;
  throw UsageError(name + ": found " + brief(o.value) + " without a unit; allowed: " +
                   (deadline ? "a time such as 60d or 36h" : "a power such as 10MW or 500kW"));
}

bool sets(const std::vector<Override>& options, const std::string& path) {
  return std::any_of(options.begin(), options.end(),
                     [&](const Override& o) { return o.path == path; });
}

constexpr const char* kGpusOfRun = key_path<&ClusterRequest::gpus>;
constexpr const char* kSizesOfPlan = "gpus";
constexpr const char* kTokensOfRun = key_path<&TrainingRequest::tokens>;
constexpr const char* kTokensPerParameter = "goal.tokens_per_parameter";
constexpr const char* kRent = "prices.rent";

// One of two options that say the same would be ignored.
void refuse_two_of(const std::vector<Override>& run, const char* of_run, const char* run_flag,
                   const std::vector<Override>& plan, const char* of_plan, const char* plan_flag) {
  if (!sets(run, of_run) || !sets(plan, of_plan)) return;
  throw UsageError(std::string(run_flag) + ": found " + plan_flag + " too; allowed: one of them");
}

void read_plan_flag(Request& request, const Option& option, CapacityCommand& c) {
  const std::string key = key_of(option);
  const auto* flag = std::find_if(kPlanFlags.begin(), kPlanFlags.end(),
                                  [&](const PlanFlag& f) { return f.name == option.name; });
  auto o = given_override(request, key, flag->path);
  if (!o) return;
  refuse_bare_number(request.named(key), *o);
  c.plan.push_back(*std::move(o));
}

constexpr const char* kThePlan = "The plan";

constexpr auto kCapacityOptions = [] {
  using C = CapacityCommand;
  std::array<Option, kPlanFlags.size() + 7> all;
  std::size_t n = 0;
  all[n++] = Option{into<&C::run>()};
  for (const PlanFlag& f : kPlanFlags) {
    all[n++] = Option{by<C, read_plan_flag>(), f.name, f.type, f.help, "", kThePlan, f.names};
  }
  all[n++] = Option{into<&C::search>(),
                    "--search",
                    "",
                    "search the best strategy at each size, also for a run that has its own",
                    "",
                    kThePlan};
  all[n++] = Option{into<&C::models>(OptionKind::comma_texts),
                    "--models",
                    "NAME",
                    "models in place of the run's: which of them the limits allow, a strategy "
                    "searched for each, on 20 tokens an active parameter unless --tokens is given",
                    "",
                    kThePlan,
                    "model"};
  all[n++] = Option{into<&C::grow>(),
                    "--grow",
                    "GROUP",
                    "with cluster.groups: the group whose GPUs --sizes are of (the last)",
                    "",
                    kThePlan};
  all[n++] = Option{into<&C::sure>(),
                    "--sure",
                    "",
                    "compare the upper end of days and cost with the limits, not the middle",
                    "",
                    kThePlan};
  all[n++] = Option{into<&C::all>(), "--all", "",
                    "every table: power caps, memory to serve the model, what matters, sources"};
  all[n++] = Option{into<&C::jobs>(1, kMostWorkers), "--jobs", "N",
                    "threads of a search (all the machine has)"};
  return all;
}();

CapacityCommand read_capacity(Request& request) {
  auto c = read_options<CapacityCommand>(kCapacityOptions, request);
  c.is_plan = take_plan(request, c.run);
  refuse_two_of(c.run.overrides, kGpusOfRun, "--gpus", c.plan, kSizesOfPlan, "--sizes");
  refuse_two_of(c.run.overrides, kTokensOfRun, "--tokens", c.plan, kTokensPerParameter,
                "--tokens-per-parameter");
  c.format = request.format({AnswerFormat::json, AnswerFormat::text, AnswerFormat::csv,
                             AnswerFormat::html, AnswerFormat::markdown});
  c.style = request.style();
  c.html = request.text("html");
  return c;
}

struct PlanSource {
  Json json;
  std::string file;
  std::string beside;
  // The run that a plan was made from, as it is called, before anything goes over it.
  std::string base_name = "";
  KeptJson base = {};
  std::vector<AssumedKey> assumed = {};
};

// The plan of the request; nothing if its run is no plan.
std::optional<PlanSource> plan_source(const CapacityCommand& c, const ConfigSource& configs) {
  const GivenRun& run = c.run;
  if (run.document) {
    const Json& json = run.document->json;
    if (!c.is_plan && !is_plan(json) && !is_fleet(json)) return {};
    return PlanSource{run.document->json, run.document->file, run.document->beside};
  }
  if (run.name.empty()) return {};
  auto found = find_config(configs, ConfigKind::capacity, run.name);
  if (!found) found = find_config(configs, ConfigKind::fleet, run.name);
  if (!found) return {};
  Json json = parse_json(found->text, found->file);
  if (!is_plan(json) && !is_fleet(json)) return {};
  return PlanSource{std::move(json), found->file, directory_of(found->file)};
}

// An option counts for every scenario, so that a scenario's own key goes.
void erase_in_scenarios(const std::string& path, Json& plan) {
  if (!plan.contains("scenarios") || !plan["scenarios"].is_array()) return;
  const std::size_t dot = path.find('.');
  for (Json& scenario : plan["scenarios"]) {
    const auto outer = scenario.is_object() ? scenario.find(path.substr(0, dot)) : scenario.end();
    if (!scenario.is_object() || outer == scenario.end()) continue;
    if (dot == std::string::npos) {
      scenario.erase(outer);
    } else if (outer->is_object()) {
      outer->erase(path.substr(dot + 1));
    }
  }
}

bool is_site(const std::string& path) {
  return path == "failures" || path == "recovery" || path == "storage" || path == "prices" ||
         path == "energy";
}

// The device of a node by its name, or of a device's own.
std::string device_named(const std::string& name, const ConfigLookup& lookup) {
  const std::string node = our_node_name(lookup, name);
  const auto found = lookup.hardware.find(HardwareKind::node, node);
  if (!found && !lookup.hardware.find(HardwareKind::device, name)) {
    throw InputError(ErrorCode::unknown_name, "command line", "--rent", name,
                     "a node or a GPU (`orrery list nodes`, `orrery list devices`)",
                     nearest_name(name, lookup.hardware.names(HardwareKind::node)));
  }
  if (!found) return name;
  const Json document = parse_json(found->text, found->file);
  return document.contains("device") && document["device"].is_string()
             ? document["device"].get<std::string>()
             : name;
}

// Prices of "hgx-b200=3.10,dgx-h100=2.20": the rent of each kind of GPU.
Json rents_by_kind(const std::string& given, const ConfigLookup& lookup) {
  Json prices = {{"gpus", Json::object()}, {"pay", "rent"}};
  std::istringstream list(given);
  for (std::string one; std::getline(list, one, ',');) {
    const std::size_t is = one.find('=');
    if (is == std::string::npos || is == 0) {
      throw UsageError("--rent: found " + one +
                       "; allowed: 2.5, or NAME=2.5 for each kind of node");
    }
    const Override rent = make_override("--rent", kRent, one.substr(is + 1));
    prices["gpus"][device_named(one.substr(0, is), lookup)] = {{"rent", rent.value}};
  }
  return with_source(std::move(prices), "--rent");
}

void add_rents(const Json& rent, const ConfigLookup& lookup, Json& work) {
  const bool by_kind = rent.is_string() && rent.get<std::string>().find('=') != std::string::npos;
  if (!by_kind) return add_rent(rent, work);
  Json& prices = work[kPricesKey];
  if (!prices.is_array()) prices = prices.is_null() ? Json::array() : Json::array({prices});
  prices.push_back(rents_by_kind(rent.get<std::string>(), lookup));
}

void apply_rent(const Json& rent, const ConfigLookup& lookup, Json& plan) {
  add_rents(rent, lookup, plan);
  if (!plan.contains("scenarios") || !plan["scenarios"].is_array()) return;
  for (Json& scenario : plan["scenarios"]) {
    if (scenario.is_object() && scenario.contains("prices")) add_rents(rent, lookup, scenario);
  }
}

void set_sure(Json& plan) {
  Json& require = plan["require"];
  if (require.is_null()) {
    throw UsageError("--sure: found no limit; allowed: --deadline or --budget beside it");
  }
  if (!require.is_array()) require = Json::array({require});
  for (Json& one : require) {
    if (one.is_object()) one["sure"] = true;
  }
}

void erase_gpus_of_set(Json& work) {
  if (!work.is_object() || !work.contains("set") || !work["set"].is_object()) return;
  work["set"].erase(kGpusOfRun);
}

// An option that says the sizes counts for all that a plan sets.
void erase_set_gpus(Json& plan) {
  erase_gpus_of_set(plan);
  for (const char* list : {"scenarios", "models"}) {
    if (!plan.contains(list) || !plan[list].is_array()) continue;
    for (Json& one : plan[list]) erase_gpus_of_set(one);
  }
}

void apply_options(const CapacityCommand& c, const ConfigLookup& lookup, Json& plan) {
  const Override* rent = nullptr;
  for (const Override& o : c.plan) {
    if (o.path == kRent) {
      rent = &o;
      continue;
    }
    erase_in_scenarios(o.path, plan);
    if (o.path == kSizesOfPlan) erase_set_gpus(plan);
    apply_override(
        is_site(o.path) ? Override{o.flag, o.path, with_source(o.value, "--" + o.path)} : o, lookup,
        plan);
  }
  if (rent != nullptr) apply_rent(rent->value, lookup, plan);
  if (c.sure) set_sure(plan);
  if (!c.search) return;
  erase_in_scenarios("search", plan);
  plan["search"] = true;
}

// Flags of a run over a plan: its number of GPUs is that of every scenario; a cluster that
// scenarios replace is refused.
void apply_run_options(const GivenRun& run, const ConfigLookup& lookup, Json& plan) {
  for (const Override& o : run.overrides) {
    const bool is_size = o.path == kGpusOfRun;
    if (!is_size && plan.contains("scenarios") && o.path.starts_with("cluster.")) {
      throw InputError(o.flag, o.path, "a plan whose scenarios name their clusters",
                       "a plan without `scenarios`, or a run");
    }
    if (is_size) erase_in_scenarios("gpus", plan);
    if (is_size) erase_set_gpus(plan);
    apply_override(is_size ? Override{o.flag, "gpus", o.value} : o, lookup, plan);
  }
}

// Our names in the run of a plan, in its cluster and in those of its scenarios, of which the counts
// are the plan's.
void take_plan_names(const ConfigLookup& lookup, const std::string& file, Json& plan) {
  std::vector<Fact> facts;  // an option names what it is of
  if (plan.contains("run") && plan["run"].is_object()) {
    take_names(lookup, file, plan["run"], facts);
    take_node(lookup, file, {}, plan["run"], facts);
  }
  const std::string node(key_name<&ClusterRequest::node>);
  const bool names_node = plan.contains("cluster") && plan["cluster"].is_object() &&
                          plan["cluster"].contains(node) && plan["cluster"][node].is_string();
  if (names_node) {
    Json& named = plan["cluster"][node];
    named = our_node_name(lookup, named.get<std::string>());
  }
  if (!plan.contains("scenarios") || !plan["scenarios"].is_array()) return;
  for (Json& scenario : plan["scenarios"]) {
    if (scenario.is_object()) take_plan_names(lookup, file, scenario);
  }
}

AnswerText rendered(const CapacityReport& report, const CapacityCommand& c) {
  if (c.format == AnswerFormat::json) return AnswerText(capacity_json(report));
  const bool is_page = c.format == AnswerFormat::html;
  const bool all = c.all || c.format != AnswerFormat::text;
  return drawn(is_page ? capacity_page(report) : capacity_document(report, all),
               {c.format, c.style});
}

void set_base(const PlanSource& source, CapacityPlan& plan) {
  for (OptionPlan& option : plan.options) {
    for (PhasePlan& phase : option.phases) {
      phase.base_name = source.base_name;
      phase.base = source.base;
    }
  }
}

CommandAnswer answer_plan(const CapacityCommand& c, const CommandContext& context,
                          const PlanSource& source) {
  const PlanContext plan = plan_context(context, source.beside, c.jobs);
  CapacityReport report;
  try {
    report.plan = read_plan(source.json, source.file, plan);
    if (!source.base_name.empty()) set_base(source, report.plan);
  } catch (const InputError& error) {
    throw named_after_flag(error, c.plan, source.file);
  }
  for (OptionPlan& option : report.plan.options) {
    for (const AssumedKey& a : source.assumed) {
      option.assumptions.push_back({a.what, a.value, a.why, ""});
    }
  }
  report.answer = answer(report.plan, plan);
  if (report.answer.is_stopped) return {ExitCode::interrupted};
  CommandAnswer a{is_answered(report) ? ExitCode::answer : ExitCode::no, rendered(report, c)};
  if (!c.html.empty()) a.files.push_back({c.html, html_of(capacity_page(report))});
  return a;
}

// The name of a file without directory and ending.
std::string stem_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  const std::string file = slash == std::string::npos ? name : name.substr(slash + 1);
  const std::size_t dot = file.rfind('.');
  return dot == std::string::npos || dot == 0 ? file : file.substr(0, dot);
}

// Each model in place of the run's, with the best strategy, on its compute-optimal tokens by
// default.
void add_models(const CapacityCommand& c, Json& plan) {
  constexpr int kComputeOptimal = 20;  // arXiv:2203.15556
  for (const std::string& model : c.models) {
    const std::string name = is_path(model) ? stem_of(model) : model;
    plan["models"].push_back({{"name", name}, {"set", {{"model", model}}}});
  }
  // The run's own name says another model.
  const Json& run = plan["run"];
  const Json node =
      run.is_object() ? run.value(Json::json_pointer("/cluster/node"), Json()) : Json();
  if (node.is_string()) plan["name"] = node;
  plan["search"] = true;
  const bool given = sets(c.run.overrides, kTokensOfRun) || sets(c.plan, kTokensPerParameter);
  if (!given) plan["goal"] = {{"tokens_per_parameter", kComputeOptimal}};
}

// A run is a plan of one cluster, or of the smallest that meets what is required.
Json plan_of_run(const CapacityCommand& c, const Json& run) {
  const std::string& name = c.run.name;
  Json plan = {{"run", run}, {"name", name.empty() ? "run" : is_path(name) ? stem_of(name) : name}};
  const bool required = sets(c.plan, "require.deadline") || sets(c.plan, "require.budget") ||
                        sets(c.plan, "require.power");
  const bool sized = sets(c.plan, kSizesOfPlan) || sets(c.run.overrides, kGpusOfRun);
  if (required && !sized) plan["gpus"] = "smallest";
  if (!c.models.empty()) add_models(c, plan);
  return plan;
}

void set_base(const std::string& name, const ConfigSource& configs, PlanSource& source) {
  const auto found = find_config(configs, ConfigKind::run, name);
  if (!found) return;
  source.base_name = name;
  source.base = parse_json(found->text, found->file);
}

// The nodes of --node a,b,c by our names, whose counts a plan leaves open; the run keeps the first.
std::vector<std::string> take_nodes(GivenRun& run, const ConfigLookup& lookup) {
  constexpr const char* kNode = key_path<&ClusterRequest::node>;
  std::vector<std::string> nodes;
  for (Override& o : run.overrides) {
    if (o.path != kNode || !o.value.is_string()) continue;
    std::istringstream list(o.value.get<std::string>());
    for (std::string node; std::getline(list, node, ',');)
      nodes.push_back(our_node_name(lookup, node));
    if (nodes.size() > 1) o.value = nodes.front();
  }
  return nodes;
}

// A scenario for each node, with the rest of the run's cluster.
void add_nodes(const std::vector<std::string>& nodes, Json& plan) {
  Json cluster = plan["run"].value(std::string(kClusterKeys.path), Json::object());
  const std::string gpus(key_name<&ClusterRequest::gpus>);
  if (!plan.contains("gpus") && cluster.contains(gpus)) plan["gpus"] = cluster[gpus];
  cluster.erase(gpus);
  for (const std::string& node : nodes) {
    cluster[std::string(key_name<&ClusterRequest::node>)] = node;
    plan["scenarios"].push_back({{"name", node}, {"cluster", cluster}});
  }
}

// A schedule of trainings takes no option but the format: its document says all.
CommandAnswer answer_of_fleet(const CapacityCommand& c, const CommandContext& context,
                              const PlanSource& source) {
  if (!c.html.empty() || !c.plan.empty() || !c.run.overrides.empty() || !c.models.empty() ||
      c.search || c.sure) {
    throw UsageError(source.file + ": found a fleet beside options; allowed: the fleet alone");
  }
  const FleetAnswer answer =
      answer_fleet(source.json, source.file, plan_context(context, source.beside, c.jobs));
  if (answer.is_stopped) return {ExitCode::interrupted};
  const ExitCode code = is_answered(answer) ? ExitCode::answer : ExitCode::no;
  if (c.format == AnswerFormat::json) return {code, AnswerText(fleet_json(answer))};
  return {code, drawn(fleet_document(answer), {c.format, c.style})};
}

// Flags that a run with cluster.groups reads; it has no plan.
constexpr std::array<const char*, 4> kGroupPaths = {kSizesOfPlan, kTokensPerParameter, "prices",
                                                    kRent};

void refuse_beside_groups(const CapacityCommand& c) {
  const auto refuse = [](const std::string& what) {
    throw InputError(
        ErrorCode::not_allowed, "command line", what, "a run with cluster.groups",
        "--sizes, --grow, --prices, --rent, --tokens-per-parameter and flags of the run");
  };
  for (const Override& o : c.plan) {
    const bool is_read = std::any_of(kGroupPaths.begin(), kGroupPaths.end(),
                                     [&](const char* path) { return o.path == path; });
    if (!is_read) refuse(o.flag.substr(0, o.flag.find(' ')));
  }
  if (c.search) refuse("--search");
  if (!c.models.empty()) refuse("--models");
  if (c.sure) refuse("--sure");
  if (c.all) refuse("--all");
  if (c.jobs > 0) refuse("--jobs");
  if (!c.html.empty()) refuse("--html");
}

double number_of(const Override& o) {
  return Reader(o.value, "command line", o.path).number(0.001, 1e6);
}

std::vector<std::int64_t> sizes_of(const Json& given) {
  const Json list = given.is_array() ? given : Json::array({given});
  std::vector<std::int64_t> sizes;
  for (const Reader& one : Reader(list, "command line", "--sizes").items()) {
    sizes.push_back(one.integer(0, kMostGpus));
  }
  return sizes;
}

CommandAnswer answer_groups(const CapacityCommand& c, const CommandContext& context,
                            const RunSource& run) {
  refuse_beside_groups(c);
  MixedPurchaseQuestion q;
  q.run = run.json;
  q.file = run.file;
  q.lookup = run.lookup;
  q.group = c.grow;
  q.progress = context.hooks.progress;
  Json work = Json::object();
  const Json* rent = nullptr;
  for (const Override& o : c.plan) {
    if (o.path == kSizesOfPlan) q.sizes = sizes_of(o.value);
    if (o.path == kTokensPerParameter) q.goal.tokens_per_parameter = number_of(o);
    if (o.path == kPricesKey) work[kPricesKey] = with_source(o.value, "--prices");
    if (o.path == kRent) rent = &o.value;
  }
  if (rent != nullptr) add_rents(*rent, run.lookup, work);
  q.prices = price_book({work.value(kPricesKey, Json()), Json()}, context, run.beside);
  const MixedPurchase p = mixed_purchase(q);
  const bool any = std::any_of(p.rows.begin(), p.rows.end(),
                               [](const PurchaseRow& r) { return r.training.best.has_value(); });
  return {any ? ExitCode::answer : ExitCode::no,
          c.format == AnswerFormat::json ? AnswerText(mixed_purchase_json(p))
                                         : drawn(mixed_purchase_document(p), {c.format, c.style})};
}

CommandAnswer answer_capacity(Request& request, const CommandContext& context) {
  CapacityCommand command = read_capacity(request);
  request.done();
  if (std::optional<PlanSource> source = plan_source(command, context.configs)) {
    if (!command.grow.empty()) {
      throw UsageError("--grow: found a plan; allowed: a run with cluster.groups");
    }
    if (is_fleet(source->json)) return answer_of_fleet(command, context, *source);
    const ConfigLookup lookup = config_lookup(context.configs, source->beside);
    if (!command.models.empty()) {
      throw UsageError("--models: found a plan; allowed: its key `models`, or a run");
    }
    take_plan_names(lookup, source->file, source->json);
    apply_run_options(command.run, lookup, source->json);
    apply_options(command, lookup, source->json);
    return answer_plan(command, context, *source);
  }
  CommandAnswer answer;
  const std::vector<std::string> nodes = take_nodes(command.run, config_lookup(context.configs));
  use_run(command.run, context, [&](const RunSource& run) {
    if (has_groups(run.json)) {
      answer = answer_groups(command, context, run);
      return;
    }
    if (!command.grow.empty()) {
      throw UsageError("--grow: found a run on one kind of node; allowed: cluster.groups");
    }
    Json work = run.json;
    const bool by_flags = command.run.name.empty() && !command.run.document;
    std::vector<AssumedKey> assumed;
    if (by_flags) assumed = assume_training(work, run.lookup);
    PlanSource source{plan_of_run(command, work), run.file, ""};
    source.assumed = std::move(assumed);
    if (nodes.size() > 1) add_nodes(nodes, source.json);
    if (!command.run.name.empty()) set_base(command.run.name, context.configs, source);
    apply_options(command, run.lookup, source.json);
    answer = answer_plan(command, context, source);
  });
  return answer;
}

}  // namespace

const CommandRow kCapacityCommand = {"capacity", answer_capacity, kCapacityOptions};

}  // namespace orrery
