// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "capacity/plan.h"
#include "capacity/plan_keys.h"
#include "capacity/plan_sites.h"
#include "capacity/ranged_json.h"
#include "core/error.h"
#include "core/json.h"
#include "core/key_access.h"
#include "estimate/config_lookup.h"
#include "estimate/resolve.h"
#include "estimate/run.h"
#include "estimate/run_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr std::size_t kMostOptions = 1000;

// A model of the plan, or a phase.
struct NamedWork {
  std::string name;
  WorkKeys work;
};

NamedWork read_named_work(const Reader& given) {
  Reader r = given;
  GivenName name;
  NamedWork w;
  read_known(kNameKeys, r, name);
  w.name = std::move(name.name);
  read_known(kOwnWorkKeys, r, w.work);
  r.reject_unknown();
  return w;
}

std::vector<NamedWork> read_list(const std::optional<Reader>& list) {
  std::vector<NamedWork> all;
  if (!list) return all;
  for (const Reader& r : list->items()) all.push_back(read_named_work(r));
  return all;
}

// The keys of `own` where it has them, else those of `work`; changes of the run add up.
void put_over(WorkKeys& work, const WorkKeys& own) {
  if (own.run) work.run = own.run;
  if (own.goal) work.goal = own.goal;
  if (own.batch_ramp) work.batch_ramp = own.batch_ramp;
}

// A scenario: its own keys, else the plan's.
struct Scenario {
  std::string name;
  Reader at;
  WorkKeys work;
  ScenarioKeys keys;
};

struct Loaded {
  Json json;
  std::string file;
  std::string name;  // "" of an object
};

class PlanReader {
 public:
  PlanReader(const Json& document, const std::string& file, const PlanContext& context)
      : top_(document, file), context_(context) {}

  CapacityPlan read();

 private:
  void read_scenario(const Reader& own, std::size_t index);
  void add_option(const Scenario& s, const NamedWork* model);
  PhasePlan read_phase(const Scenario& s, const OptionPlan& option, const NamedWork* model,
                       const NamedWork* phase);
  Loaded load_run(const Reader& r);
  void read_sizes(const Scenario& s, const NamedWork* model, OptionPlan& option);
  void apply_sets(const std::optional<Reader>& r, Json& run);

  Reader top_;
  const PlanContext& context_;
  CapacityPlan plan_;
  PlanLists lists_;
  WorkKeys work_;
  ScenarioKeys keys_;
  std::vector<NamedWork> models_;
  ExchangeRates exchange_;
};

[[noreturn]] void refuse_no_cluster(const Reader& scenario) {
  scenario.fail("no cluster",
                "--node NAME, `cluster`: {\"node\": …, \"gpus\": …}, or a `run` of its own");
}

std::string option_file(const std::string& file, const OptionPlan& o) {
  return file + " (scenario " + o.scenario + (o.model.empty() ? "" : ", " + o.model) + ")";
}

bool sets_of_cluster(const std::string& path) {
  return path == kClusterKeys.path || path.rfind(std::string(kClusterKeys.path) + ".", 0) == 0;
}

// True if a value of `set` says the number of GPUs.
bool sets_gpus(const std::string& path, const Json& value) {
  if (path == key_path<&ClusterRequest::gpus>) return true;
  return path == kClusterKeys.path && value.contains(key_name<&ClusterRequest::gpus>);
}

// One cluster serves all phases: it has one price, one power and one number of GPUs.
void refuse_cluster_of_phase(const NamedWork& phase) {
  if (!phase.work.set) return;
  phase.work.set->must_be_object();
  for (const std::string& path : phase.work.set->keys()) {
    if (!sets_of_cluster(path)) continue;
    Reader(*phase.work.set)
        .at(path)
        .fail("the cluster of one phase",
              "keys of the training: one cluster serves all phases, see `cluster` and `gpus`");
  }
}

Json hardware_of(const PhasePlan& phase) {
  Json cluster = phase.run->at(std::string(kClusterKeys.path));
  if (cluster.is_object()) erase_key<&ClusterRequest::gpus>(cluster);
  return cluster;
}

void refuse_other_hardware(const Scenario& s, const std::vector<NamedWork>& given,
                           const std::vector<PhasePlan>& phases) {
  for (std::size_t i = 1; i < phases.size(); ++i) {
    const Json first = hardware_of(phases.front());
    const Json own = hardware_of(phases[i]);
    if (own == first) continue;
    given[i]
        .work.run.value_or(*s.keys.phases)
        .fail("a run on " + brief(own) + " after one on " + brief(first),
              "runs on one cluster, or a `cluster` that serves all phases");
  }
}

// Two numbers of GPUs, of which one would be ignored.
void refuse_gpus_beside_sizes(const std::optional<Reader>& set) {
  if (!set) return;
  for (const std::string& path : set->keys()) {
    const Reader value = Reader(*set).at(path);
    if (sets_gpus(path, value.json()))
      value.fail(brief(value.json()) + " beside `gpus`", "one of them");
  }
}

CapacityPlan PlanReader::read() {
  top_.must_be_object();
  plan_.file = top_.file();
  read_known(kFrameKeys, top_, plan_);
  read_known(kPlanListKeys, top_, lists_);
  read_known(kOwnWorkKeys, top_, work_);
  read_known(kScenarioKeys, top_, keys_);
  top_.reject_unknown();
  exchange_ = read_exchange(lists_.exchange, plan_.currency);
  if (lists_.require) plan_.requirements = read_requirements(*lists_.require, exchange_);
  models_ = read_list(lists_.models);
  if (!lists_.scenarios) {
    static const Json kNothing = Json::object();
    read_scenario(Reader(kNothing, top_.file()), 0);
    return std::move(plan_);
  }
  const std::vector<Reader> items = lists_.scenarios->items();
  for (std::size_t i = 0; i < items.size(); ++i) read_scenario(items[i], i);
  if (items.empty()) lists_.scenarios->fail("no scenarios", "at least one");
  return std::move(plan_);
}

void PlanReader::read_scenario(const Reader& own, std::size_t index) {
  Scenario s{plan_.name, own, work_, keys_};
  s.at.must_be_object();
  if (lists_.scenarios) {
    s.name = "scenario " + std::to_string(index + 1);
    if (auto v = s.at.find("name")) s.name = v->text();
    // A scenario replaces the cluster of the plan's run.
    if (!find_key<&ScenarioKeys::cluster>(s.at) && !find_key<&WorkKeys::run>(s.at))
      refuse_no_cluster(s.at);
  }
  read_known(kOwnWorkKeys, s.at, s.work);
  read_known(kScenarioKeys, s.at, s.keys);
  s.at.reject_unknown();
  for (const NamedWork& model : models_) add_option(s, &model);
  if (!lists_.models) add_option(s, nullptr);
  if (plan_.options.size() > kMostOptions) top_.fail("more than 1,000 options", "fewer");
}

bool names_a_strategy(const OptionPlan& o) {
  return std::any_of(o.phases.begin(), o.phases.end(), [](const PhasePlan& p) {
    return p.run->contains(kStrategyKeys.path) || has_rl(*p.run);
  });
}

// Keys of a plan that ask of a training on one stream of tokens.
void refuse_beside_rl(const ScenarioKeys& keys, const OptionPlan& o) {
  const bool is_rl = std::any_of(o.phases.begin(), o.phases.end(),
                                 [](const PhasePlan& p) { return has_rl(*p.run); });
  if (!is_rl) return;
  constexpr const char* kAllowed =
      "a plan without it: a training by reinforcement learning is so many steps "
      "(training.rl.steps) of one run";
  for (const std::optional<Reader>* key :
       {&keys.phases, &keys.achieved, &keys.data, &keys.materials}) {
    if (*key) (*key)->fail(brief((*key)->json()) + " beside training.rl", kAllowed);
  }
  if (keys.search && keys.search->json().is_object()) keys.search->fail("axes", "true or false");
  const PhasePlan& phase = o.phases.front();
  const bool has_goal =
      phase.goal.tokens > 0 || phase.goal.flops > Flops() || phase.goal.tokens_per_parameter > 0;
  if (!has_goal && phase.ramp.empty()) return;
  throw InputError(ErrorCode::not_allowed, phase.file, has_goal ? "goal" : "batch_ramp",
                   "it beside training.rl", kAllowed);
}

void read_search(const std::optional<Reader>& given, OptionPlan& o) {
  if (!given) return;
  if (given->json().is_object()) {
    o.search = given->json();
  } else if (given->boolean()) {
    o.search = Json::object();
  }
}

void PlanReader::add_option(const Scenario& s, const NamedWork* model) {
  OptionPlan o;
  o.scenario = s.name;
  if (model != nullptr) o.model = model->name;
  read_search(s.keys.search, o);
  if (const auto& v = s.keys.spares; v && v->json() != plan_forms::kAsNeeded[0]) {
    o.spares = v->integer(0, kMostPlanGpus);
  }
  if (s.keys.achieved) {
    o.achieved = read_ranged_quantity<FlopsPerSecond::dimension>(*s.keys.achieved, false);
  }
  const std::vector<NamedWork> phases = read_list(s.keys.phases);
  for (const NamedWork& phase : phases) {
    refuse_cluster_of_phase(phase);
    o.phases.push_back(read_phase(s, o, model, &phase));
  }
  refuse_other_hardware(s, phases, o.phases);
  if (s.keys.phases && o.phases.empty()) s.keys.phases->fail("no phases", "at least one");
  if (!s.keys.phases) o.phases.push_back(read_phase(s, o, model, nullptr));
  refuse_beside_rl(s.keys, o);
  if (!s.keys.search && !names_a_strategy(o)) o.search = Json::object();
  read_sizes(s, model, o);
  read_sites(s.keys, {context_, plan_.file, exchange_}, o);
  plan_.options.push_back(std::move(o));
}

// Precedence: the phase's keys, the model's, the scenario's, the plan's.
PhasePlan PlanReader::read_phase(const Scenario& s, const OptionPlan& option,
                                 const NamedWork* model, const NamedWork* phase) {
  WorkKeys work = s.work;
  if (model != nullptr) put_over(work, model->work);
  if (phase != nullptr) put_over(work, phase->work);
  PhasePlan p;
  if (phase != nullptr) p.name = phase->name;
  if (!work.run) top_.fail("no run", "`run`: a name of `orrery list runs`, a path or an object");
  Loaded loaded = load_run(*work.run);
  Json& file = loaded.json;
  p.file = loaded.file;
  p.base_name = loaded.name;
  p.base = loaded.name.empty() ? Json::object() : file;
  if (s.keys.cluster) {
    at_key<&RunRequest::cluster>(file) = s.keys.cluster->json();
    p.file = option_file(plan_.file, option);
  }
  if (!file.is_object() || !file.contains(kClusterKeys.path)) refuse_no_cluster(s.at);
  if (option.search) {
    erase_key<&RunRequest::parallel>(file);
    const auto training = file.find(kTrainingKeys.path);
    if (training != file.end() && training->is_object()) {
      erase_key<&TrainingRequest::micro_batch>(*training);
    }
  }
  apply_sets(s.work.set, file);
  if (model != nullptr) apply_sets(model->work.set, file);
  if (phase != nullptr) apply_sets(phase->work.set, file);
  Reader(file, p.file).at(std::string(kClusterKeys.path)).must_be_object();
  p.run = std::move(file);
  if (work.goal) p.goal = *work.goal;
  if (work.batch_ramp) p.ramp = *work.batch_ramp;
  return p;
}

void PlanReader::apply_sets(const std::optional<Reader>& r, Json& run) {
  if (!r) return;
  r->must_be_object();
  for (const std::string& path : r->keys()) context_.set(run, path, Reader(*r).at(path).json());
}

Loaded PlanReader::load_run(const Reader& r) {
  if (r.json().is_object()) return {r.json(), plan_.file, ""};
  if (!r.json().is_string()) r.fail("a run: a name, a path or an object");
  const std::optional<ConfigText> found = context_.run(r.text());
  if (!found) {
    r.fail("\"" + r.text() + "\"", "a name of `orrery list runs`, a path or an object",
           nearest_name(r.text(), context_.run_names()));
  }
  // A path in a plan is beside it.
  const std::vector<std::string> names = context_.run_names();
  const bool is_named = std::find(names.begin(), names.end(), r.text()) != names.end();
  return {parse_json(found->text, found->file), found->file, is_named ? r.text() : found->file};
}

void PlanReader::read_sizes(const Scenario& s, const NamedWork* model, OptionPlan& option) {
  Reader run(*option.phases.front().run, plan_.file);
  Reader cluster = at_key<&RunRequest::cluster>(run);
  const std::optional<Reader>& v = s.keys.gpus;
  if (v && v->json().is_string()) {
    if (v->text() != plan_forms::kSmallest[0]) {
      v->fail("a count, a list, {from, to, factor} or \"smallest\"");
    }
    option.smallest = true;
    return;
  }
  if (v) option.sizes = read_counts(*v);
  if (v) refuse_gpus_beside_sizes(s.work.set);
  if (v && model != nullptr) refuse_gpus_beside_sizes(model->work.set);
  if (!v && cluster.json().is_object()) {
    if (const auto own = find_key<&ClusterRequest::gpus>(cluster)) option.sizes = read_counts(*own);
  }
  if (option.sizes.empty()) s.at.fail("no number of GPUs", "`gpus`, or `cluster.gpus`");
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
