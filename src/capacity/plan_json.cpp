// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "capacity/plan.h"
#include "capacity/plan_keys.h"
#include "capacity/plan_sites.h"
#include "core/error.h"
#include "core/json.h"
#include "estimate/config_lookup.h"

namespace orrery {
namespace {

constexpr std::size_t kMostOptions = 1000;
constexpr std::int64_t kMostSimulations = 100'000;

struct Loaded {
  Json json;
  std::string file;
};

class PlanReader {
 public:
  PlanReader(const Json& document, const std::string& file, const PlanContext& context)
      : top_(document, file), context_(context) {}

  CapacityPlan read();

 private:
  void read_frame();
  void read_scenario(const Reader& scenario, std::size_t index);
  void add_option(Both both, const std::string& name, std::optional<Reader> model);
  std::vector<PhasePlan> read_phases(Both& both, const OptionPlan& option,
                                     const std::optional<Reader>& model);
  PhasePlan read_phase(Both& both, std::optional<Reader> phase, const OptionPlan& option,
                       std::optional<Reader> model);
  Loaded load_run(const Reader& r);
  void read_sizes(Both& both, OptionPlan& option);
  void apply_sets(std::optional<Reader> r, Json& run);

  Reader top_;
  const PlanContext& context_;
  CapacityPlan plan_;
  ExchangeRates exchange_;
};

[[noreturn]] void refuse_no_cluster(Both& both) {
  both.scenario().fail("no cluster",
                       "`cluster`: {\"node\": …, \"gpus\": …}, or a `run` of its own");
}

std::string option_file(const std::string& file, const OptionPlan& o) {
  return file + " (scenario " + o.scenario + (o.model.empty() ? "" : ", " + o.model) + ")";
}

CapacityPlan PlanReader::read() {
  top_.must_be_object();
  read_frame();
  if (auto v = top_.find("require")) plan_.requirements = read_requirements(*v, exchange_);
  if (auto scenarios = top_.find("scenarios")) {
    const std::vector<Reader> items = scenarios->items();
    for (std::size_t i = 0; i < items.size(); ++i) read_scenario(items[i], i);
    if (items.empty()) scenarios->fail("no scenarios", "at least one");
  } else {
    static const Json kNothing = Json::object();
    read_scenario(Reader(kNothing, top_.file()), 0);
  }
  top_.reject_unknown();
  return std::move(plan_);
}

void PlanReader::read_frame() {
  plan_.file = top_.file();
  top_.allow("source");
  if (auto v = top_.find("name")) plan_.name = v->text();
  if (auto v = top_.find("currency")) plan_.currency = read_currency(*v);
  exchange_ = read_exchange(top_.find("exchange"), plan_.currency);
  if (auto v = top_.find("start")) {
    plan_.start = parse_date(v->text());
    if (!plan_.start) v->fail("a date: \"2027-01-31\"");
  }
  if (auto v = top_.find("rank")) plan_.rank = v->choice<RankBy>();
  if (auto v = top_.find("simulations")) plan_.simulations = v->integer(1, kMostSimulations);
  if (auto v = top_.find("seed")) {
    plan_.seed = static_cast<std::uint64_t>(v->integer(0, std::int64_t{1} << 53U));
  }
}

void PlanReader::read_scenario(const Reader& scenario, std::size_t index) {
  Both both(scenario, top_);
  both.scenario().must_be_object();
  std::string name =
      index == 0 && !top_.has("scenarios") ? plan_.name : "scenario " + std::to_string(index + 1);
  if (top_.has("scenarios")) {
    if (auto v = both.scenario().find("name")) name = v->text();
    // A scenario replaces the cluster of the plan's run.
    if (!both.scenario().has("cluster") && !both.scenario().has("run")) refuse_no_cluster(both);
  }
  if (auto models = top_.find("models")) {
    for (const Reader& model : models->items()) add_option(both, name, model);
  } else {
    add_option(both, name, {});
  }
  both.scenario().reject_unknown();
  if (plan_.options.size() > kMostOptions) top_.fail("more than 1,000 options", "fewer");
}

bool names_a_strategy(const OptionPlan& o) {
  return std::any_of(o.phases.begin(), o.phases.end(),
                     [](const PhasePlan& p) { return p.run->contains("parallel"); });
}

void PlanReader::add_option(Both both, const std::string& name, std::optional<Reader> model) {
  OptionPlan o;
  o.scenario = name;
  if (model) o.model = model->at("name").text();
  if (auto v = both.find("search")) {
    if (v->json().is_object()) {
      o.search = v->json();
    } else if (v->boolean()) {
      o.search = Json::object();
    }
  }
  if (auto v = both.find("spares"); v && !(v->json().is_string() && v->text() == "as needed")) {
    o.spares = v->integer(0, kMostPlanGpus);
  }
  o.phases = read_phases(both, o, model);
  if (!both.find("search") && !names_a_strategy(o)) o.search = Json::object();
  read_sizes(both, o);
  read_sites(both, {context_, plan_.file, exchange_}, o);
  if (model) model->reject_unknown();
  plan_.options.push_back(std::move(o));
}

std::vector<PhasePlan> PlanReader::read_phases(Both& both, const OptionPlan& option,
                                               const std::optional<Reader>& model) {
  std::vector<PhasePlan> phases;
  if (auto list = both.find("phases")) {
    for (const Reader& phase : list->items()) {
      phases.push_back(read_phase(both, phase, option, model));
    }
    if (phases.empty()) list->fail("no phases", "at least one");
  } else {
    phases.push_back(read_phase(both, {}, option, model));
  }
  return phases;
}

// Precedence: the phase's keys, the model's, the scenario's, the plan's.
PhasePlan PlanReader::read_phase(Both& both, std::optional<Reader> phase, const OptionPlan& option,
                                 std::optional<Reader> model) {
  const auto find = [&](const char* key) {
    auto of_phase = phase ? phase->find(key) : std::nullopt;
    auto of_model = model ? model->find(key) : std::nullopt;
    auto of_both = both.find(key);
    return of_phase ? of_phase : of_model ? of_model : of_both;
  };
  PhasePlan p;
  if (phase) p.name = phase->at("name").text();
  auto run = find("run");
  if (!run) top_.fail("no run", "`run`: a name of `orrery list runs`, a path or an object");
  Loaded loaded = load_run(*run);
  Json& file = loaded.json;
  p.file = loaded.file;
  if (auto cluster = both.find("cluster")) {
    file["cluster"] = cluster->json();
    p.file = option_file(plan_.file, option);
  }
  if (!file.is_object() || !file.contains("cluster")) refuse_no_cluster(both);
  if (option.search) {
    file.erase("parallel");
    if (file.contains("training") && file["training"].is_object()) {
      file["training"].erase("micro_batch");
    }
  }
  apply_sets(both.find("set"), file);
  if (model) apply_sets(model->find("set"), file);
  if (phase) apply_sets(phase->find("set"), file);
  p.run = std::move(file);
  if (auto v = find("goal")) p.goal = read_goal(*v);
  if (auto v = find("batch_ramp")) p.ramp = read_ramp(*v);
  if (phase) phase->reject_unknown();
  return p;
}

void PlanReader::apply_sets(std::optional<Reader> r, Json& run) {
  if (!r) return;
  r->must_be_object();
  for (const std::string& path : r->keys()) context_.set(run, path, r->at(path).json());
}

Loaded PlanReader::load_run(const Reader& r) {
  if (r.json().is_object()) return {r.json(), plan_.file};
  if (!r.json().is_string()) r.fail("a run: a name, a path or an object");
  const std::optional<ConfigText> found = context_.run(r.text());
  if (!found) {
    r.fail("\"" + r.text() + "\"", "a name of `orrery list runs`, a path or an object",
           nearest_name(r.text(), context_.run_names()));
  }
  return {parse_json(found->text, found->file), found->file};
}

void PlanReader::read_sizes(Both& both, OptionPlan& option) {
  const Json& cluster = option.phases.front().run->at("cluster");
  auto v = both.find("gpus");
  if (v && v->json().is_string()) {
    if (v->text() != "smallest") v->fail("a count, a list, {from, to, factor} or \"smallest\"");
    option.smallest = true;
    return;
  }
  if (v) option.sizes = read_counts(*v);
  const bool has_own = cluster.is_object() && cluster.contains("gpus");
  if (!v && has_own)
    option.sizes = read_counts(Reader(cluster.at("gpus"), plan_.file, "cluster.gpus"));
  if (option.sizes.empty()) both.scenario().fail("no number of GPUs", "`gpus`, or `cluster.gpus`");
}

}  // namespace

bool is_plan(const Json& document) {
  if (!document.is_object()) return false;
  return document.contains("scenarios") || document.contains("run") || document.contains("goal") ||
         document.contains("phases");
}

CapacityPlan read_plan(const Json& document, const std::string& file, const PlanContext& context) {
  return PlanReader(document, file, context).read();
}

}  // namespace orrery
