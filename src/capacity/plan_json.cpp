// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "capacity/plan.h"
#include "capacity/site_json.h"
#include "core/error.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr double kMostTokens = 1e18;
constexpr double kMostFlops = 1e36;
constexpr std::int64_t kMostGpus = 10'000'000;
constexpr std::size_t kMostSizes = 64;
constexpr std::size_t kMostOptions = 1000;
constexpr std::int64_t kMostSimulations = 100'000;

// A scenario's key, or else the plan's.
class Both {
 public:
  Both(Reader scenario, Reader plan) : scenario_(std::move(scenario)), plan_(std::move(plan)) {}

  std::optional<Reader> find(const std::string& key) {
    auto own = scenario_.find(key);
    auto common = plan_.find(key);
    return own ? own : common;
  }
  Reader& scenario() { return scenario_; }

 private:
  Reader scenario_;
  Reader plan_;
};

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
  void read_requirements();
  Requirement read_requirement(Reader r, std::size_t index);
  void read_scenario(const Reader& scenario, std::size_t index);
  void add_option(Both both, const std::string& name, std::optional<Reader> model);
  std::vector<PhasePlan> read_phases(Both& both, const OptionPlan& option,
                                     std::optional<Reader> model);
  PhasePlan read_phase(Both& both, std::optional<Reader> phase, const OptionPlan& option,
                       std::optional<Reader> model);
  Loaded load_run(Reader r);
  Json one_site(SiteKind kind, const Reader& r, OptionPlan& option, std::string& file);
  Json site(SiteKind kind, const Reader& r, OptionPlan& option, std::string& file);
  void read_site(Both& both, OptionPlan& option);
  void read_data(Both& both, OptionPlan& option);
  Loaded data_table(const std::string& name);
  void read_sizes(Both& both, OptionPlan& option);
  void apply_sets(std::optional<Reader> r, Json& run);

  Reader top_;
  const PlanContext& context_;
  CapacityPlan plan_;
  ExchangeRates exchange_;
};

Goal read_goal(Reader r) {
  Goal g;
  if (auto v = r.find("tokens")) g.tokens = v->number(1, kMostTokens);
  if (auto v = r.find("flops")) g.flops = v->number(1, kMostFlops);
  if (auto v = r.find("tokens_per_parameter")) g.tokens_per_parameter = v->number(0.01, 1e6);
  if (auto v = r.find("flops_convention")) {
    g.convention = v->choice_of<FlopsConvention>(kFlopsConventionNames);
  }
  r.reject_unknown();
  const int given = (g.tokens > 0) + (g.flops > 0) + (g.tokens_per_parameter > 0);
  if (given != 1) r.fail("one of tokens, flops and tokens_per_parameter");
  return g;
}

std::vector<RampStep> read_ramp(const Reader& r) {
  std::vector<RampStep> steps;
  for (Reader step : r.items()) {
    steps.push_back({step.at("global_batch").integer(1, std::int64_t{1} << 30U),
                     step.at("tokens").number(1, kMostTokens)});
    step.reject_unknown();
  }
  return steps;
}

// 512, [512, 1024], {"from": 512, "to": 4096, "factor": 2}.
std::vector<std::int64_t> read_counts(Reader r) {
  std::vector<std::int64_t> sizes;
  if (r.json().is_object()) {
    const std::int64_t from = r.at("from").integer(1, kMostGpus);
    const std::int64_t to = r.at("to").integer(from, kMostGpus);
    const double factor = r.at("factor").number(1.01, 1000);
    r.reject_unknown();
    for (auto x = static_cast<double>(from); x <= static_cast<double>(to) * (1 + 1e-9);
         x *= factor) {
      sizes.push_back(std::llround(x));
    }
  } else if (r.json().is_array()) {
    for (const Reader& v : r.items()) sizes.push_back(v.integer(1, kMostGpus));
  } else {
    sizes.push_back(r.integer(1, kMostGpus));
  }
  if (sizes.empty() || sizes.size() > kMostSizes) r.fail("1 to 64 sizes");
  return sizes;
}

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
  read_requirements();
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
  if (auto v = top_.find("rank")) plan_.rank = v->choice_of<RankBy>(kRankNames);
  if (auto v = top_.find("simulations")) plan_.simulations = v->integer(1, kMostSimulations);
  if (auto v = top_.find("seed")) {
    plan_.seed = static_cast<std::uint64_t>(v->integer(0, std::int64_t{1} << 53U));
  }
}

void PlanReader::read_requirements() {
  auto r = top_.find("require");
  if (!r) return;
  if (!r->json().is_array()) {
    plan_.requirements.push_back(read_requirement(*r, 0));
    return;
  }
  for (const Reader& one : r->items()) {
    plan_.requirements.push_back(read_requirement(one, plan_.requirements.size()));
  }
}

Requirement PlanReader::read_requirement(Reader r, std::size_t index) {
  Requirement q;
  q.name = "requirement " + std::to_string(index + 1);
  if (auto v = r.find("name")) q.name = v->text();
  if (auto v = r.find("deadline")) q.deadline = v->quantity<kSeconds>();
  if (auto v = r.find("budget")) q.budget = read_amount(*v, exchange_, true);
  if (auto v = r.find("sure")) q.sure = v->boolean();
  if (auto v = r.find("power")) q.power = v->quantity<kJoules - kSeconds>();
  r.reject_unknown();
  if (!q.deadline && !q.budget && !q.power) r.fail("deadline, budget or power");
  return q;
}

void PlanReader::read_scenario(const Reader& scenario, std::size_t index) {
  Both both(scenario, top_);
  both.scenario().must_be_object();
  std::string name =
      index == 0 && !top_.has("scenarios") ? plan_.name : "scenario " + std::to_string(index + 1);
  if (top_.has("scenarios")) {
    if (auto v = both.scenario().find("name")) name = v->text();
    // The plan's run has a cluster of its own, which is not what a scenario is about.
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
    o.spares = v->integer(0, kMostGpus);
  }
  o.phases = read_phases(both, o, model);
  read_sizes(both, o);
  read_site(both, o);
  read_data(both, o);
  if (model) model->reject_unknown();
  plan_.options.push_back(std::move(o));
}

std::vector<PhasePlan> PlanReader::read_phases(Both& both, const OptionPlan& option,
                                               std::optional<Reader> model) {
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

// A phase's keys stand before the model's, those before the scenario's and the plan's.
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
  p.run = std::move(loaded.json);
  p.file = loaded.file;
  if (auto cluster = both.find("cluster")) {
    p.run["cluster"] = cluster->json();
    p.file = option_file(plan_.file, option);
  }
  if (!p.run.is_object() || !p.run.contains("cluster")) refuse_no_cluster(both);
  if (option.search) {
    p.run.erase("parallel");
    if (p.run.contains("training") && p.run["training"].is_object()) {
      p.run["training"].erase("micro_batch");
    }
  }
  apply_sets(both.find("set"), p.run);
  if (model) apply_sets(model->find("set"), p.run);
  if (phase) apply_sets(phase->find("set"), p.run);
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

Loaded PlanReader::load_run(Reader r) {
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
  Json& run = option.phases.front().run;
  Json& cluster = run["cluster"];
  auto v = both.find("gpus");
  if (v && v->json().is_string()) {
    if (v->text() != "smallest") v->fail("a count, a list, {from, to, factor} or \"smallest\"");
    option.smallest = true;
    return;
  }
  if (v) option.sizes = read_counts(*v);
  const bool has_own = cluster.is_object() && cluster.contains("gpus");
  if (!v && has_own)
    option.sizes = read_counts(Reader(cluster["gpus"], plan_.file, "cluster.gpus"));
  if (option.sizes.empty()) both.scenario().fail("no number of GPUs", "`gpus`, or `cluster.gpus`");
}

// One document: by name or path, or the object itself; its source goes to the assumptions.
Json PlanReader::one_site(SiteKind kind, const Reader& r, OptionPlan& option, std::string& file) {
  const std::string what(kSiteKindNames[static_cast<std::size_t>(kind)]);
  Json document = r.json();
  std::string name = "given";
  std::string source = plan_.file;
  if (document.is_string()) {
    name = r.text();
    const std::optional<ConfigText> found = context_.site(kind, name);
    if (!found) {
      const std::vector<std::string> names = context_.site_names(kind);
      r.fail("\"" + name + "\"", "an object, a path, or " + alternatives(names),
             nearest_name(name, names));
    }
    document = parse_json(found->text, found->file);
    file = found->file;
  }
  if (!document.is_object()) r.fail("a name, a path or an object");
  if (document.contains("source") && document["source"].is_string()) {
    source = document["source"].get<std::string>();
  }
  option.assumptions.push_back({what, name, source, ""});
  return document;
}

// A list goes over each other, the last one foremost.
Json PlanReader::site(SiteKind kind, const Reader& r, OptionPlan& option, std::string& file) {
  file = plan_.file;
  if (!r.json().is_array()) return one_site(kind, r, option, file);
  Json merged = Json::object();
  for (const Reader& one : r.items()) merge_over(merged, one_site(kind, one, option, file));
  file = plan_.file;
  return merged;
}

void PlanReader::read_site(Both& both, OptionPlan& option) {
  std::string file;
  if (auto v = both.find("failures")) {
    const Json j = site(SiteKind::failures, *v, option, file);
    option.interruptions = read_failures(Reader(j, file, file == plan_.file ? v->path() : ""));
  }
  if (auto v = both.find("storage")) {
    const Json j = site(SiteKind::storage, *v, option, file);
    option.storage = read_storage(Reader(j, file, file == plan_.file ? v->path() : ""));
    if (option.storage.name.empty() && v->json().is_string()) option.storage.name = v->text();
  }
  if (auto v = both.find("checkpoint")) option.checkpoint = read_checkpoint(*v);
  if (auto v = both.find("prices")) {
    const Json j = site(SiteKind::prices, *v, option, file);
    option.prices = read_prices(Reader(j, file, file == plan_.file ? v->path() : ""), exchange_);
  }
  static const Json kUsualEnergy = "by-load";
  const Reader energy = both.find("energy").value_or(Reader(kUsualEnergy, plan_.file, "energy"));
  const Json j = site(SiteKind::energy, energy, option, file);
  option.energy = read_energy(Reader(j, file, file == plan_.file ? energy.path() : ""));
}

Loaded PlanReader::data_table(const std::string& name) {
  const std::optional<ConfigText> found = context_.site(SiteKind::data, name);
  if (!found)
    throw InputError(plan_.file, "data", "no configs/data/" + name + ".json", "that file");
  return {parse_json(found->text, found->file), found->file};
}

void PlanReader::read_data(Both& both, OptionPlan& option) {
  const Loaded samples = data_table("samples");
  option.data.samples = read_samples(Reader(samples.json, samples.file));
  const Loaded corpora = data_table("corpora");
  option.data.corpora = read_corpora(Reader(corpora.json, corpora.file));
  auto data = both.find("data");
  if (!data) return;
  std::vector<std::string> names;
  for (const Corpus& c : option.data.corpora) names.push_back(c.name);
  if (auto v = data->find("corpus")) {
    const std::vector<std::string_view> choices(names.begin(), names.end());
    option.data.corpus = v->choice(choices);
  }
  if (auto v = data->find("bytes_per_token")) {
    option.data.corpora.push_back({"given", v->number(0.1, 1e6)});
    option.data.corpus = option.data.corpora.size() - 1;
  }
  if (auto v = data->find("tokens_per_core_s")) option.data.tokens_per_core = v->number(1, 1e12);
  data->reject_unknown();
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
