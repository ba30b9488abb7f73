// SPDX-License-Identifier: Apache-2.0
#include "capacity/fleet.h"

#include <algorithm>
#include <set>

#include "capacity/fleet_keys.h"
#include "capacity/option.h"
#include "core/divide.h"
#include "core/error.h"
#include "core/json.h"
#include "core/key_access.h"

namespace orrery {
namespace {

constexpr auto kFleetRows = joined(kFleetFrameRows, kFleetSiteRows);

// A schedule of a larger pool is tried for each addition.
constexpr std::int64_t kNodesOfAddition = 20'000;
constexpr int kHalvings = 4;

struct GivenTraining {
  FleetTrainingKeys own;
  WorkKeys work;
};

class FleetReader {
 public:
  FleetReader(const Json& document, const std::string& file, const PlanContext& context)
      : top_(document, file), context_(context) {}

  FleetAnswer read() {
    top_.must_be_object();
    read_known(kFleetFrameKeys, top_, frame_);
    read_known(kFleetSiteKeys, top_, site_);
    top_.reject_unknown();
    answer_.name = frame_.name.empty() ? "fleet" : frame_.name;
    answer_.currency = frame_.currency;
    answer_.start = frame_.start;
    read_pools();
    read_trainings();
    return std::move(answer_);
  }

 private:
  void read_pools() {
    const std::vector<Reader> items = frame_.pools->items();
    if (items.empty() || items.size() > fleet_forms::kMostPools) {
      frame_.pools->fail("1 to 16 pools");
    }
    for (const Reader& r : items) {
      pools_.push_back(read_keys(kFleetPoolKeys, r));
      const FleetPoolKeys& p = pools_.back();
      answer_.pools.push_back({p.name, p.gpus, p.rent.has_value()});
      if (p.rent) check_rent(r, *p.rent);
    }
  }

  // Reads it as the plan of each training does, but names the pool.
  void check_rent(const Reader& pool, const Reader& rent) const {
    const Json prices = prices_of_rent(rent.json());
    const ExchangeRates exchange = read_exchange(frame_.exchange, frame_.currency);
    static_cast<void>(read_prices(Reader(prices, pool.file(), pool.path()), exchange));
  }

  static Json prices_of_rent(const Json& rent) {
    return {{"rent", rent}, {"pay", "rent"}, {"source", "the fleet"}};
  }

  void read_trainings() {
    const std::vector<Reader> items = frame_.trainings->items();
    if (items.empty() || items.size() > fleet_forms::kMostTrainings) {
      frame_.trainings->fail("1 to 64 trainings");
    }
    for (const Reader& given : items) {
      Reader r = given;
      r.must_be_object();
      GivenTraining t;
      read_known(kFleetOwnKeys, r, t.own);
      read_known(kOwnWorkKeys, r, t.work);
      r.reject_unknown();
      if (!t.work.run) r.fail("no run", "`run`: a name of `orrery list runs`, a path or an object");
      answer_.trainings.push_back(priced(t));
      if (context_.stopped && context_.stopped()) {
        answer_.is_stopped = true;
        return;
      }
    }
  }

  // The sizes of a training on a pool: its own, or parts of the pool.
  std::vector<std::int64_t> sizes_of(const GivenTraining& t, const FleetPoolKeys& pool) const {
    std::vector<std::int64_t> sizes;
    if (t.own.gpus) {
      sizes = read_counts(*t.own.gpus);
    } else {
      for (int i = 0; i < kHalvings; ++i) {
        const std::int64_t part = pool.gpus >> i;
        if (part > 0 && (part << i) == pool.gpus) sizes.push_back(part);
      }
    }
    return sizes;
  }

  Json plan_of(const GivenTraining& t, const FleetPoolKeys& pool) const {
    Json plan = {{"name", pool.name}, {"currency", frame_.currency.text()}};
    const auto put = [&](const char* key, const std::optional<Reader>& r) {
      if (r) plan[key] = r->json();
    };
    put("exchange", frame_.exchange);
    put("failures", site_.failures);
    put("recovery", site_.recovery);
    put("storage", site_.storage);
    put("energy", site_.energy);
    put("checkpoint", site_.checkpoint);
    put("run", t.work.run);
    put("set", t.work.set);
    plan["spares"] = 0;
    // Prices of an owned pool are those of more of it.
    if (pool.rent) {
      plan["prices"] = prices_of_rent(pool.rent->json());
    } else {
      put("prices", site_.prices);
    }
    plan["scenarios"] = Json::array(
        {{{"name", pool.name}, {"cluster", pool.cluster->json()}, {"gpus", sizes_of(t, pool)}}});
    return plan;
  }

  FleetTraining priced(const GivenTraining& given) {
    FleetTraining t;
    t.name = given.own.name;
    t.job.priority = given.own.priority;
    t.job.deadline = given.own.deadline;
    t.job.ready = given.own.ready;
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) add_options(given, pool, t);
    for (std::size_t i = 0; i < t.options.size(); ++i) {
      const OptionAnswer& o = t.options[i].answer;
      if (o.status != OptionStatus::fits) continue;
      const std::size_t pool = t.options[i].pool;
      const std::optional<Money>& rent = o.outcome.bill.parts[CostPart::rent];
      const bool pays = pools_[pool].rent && rent;
      t.fitting.push_back(i);
      t.job.ways.push_back(
          {pool, o.gpus, o.outcome.wall, pays ? *rent : Money(0, frame_.currency)});
    }
    return t;
  }

  void add_options(const GivenTraining& given, std::size_t pool, FleetTraining& t) {
    const std::string file =
        top_.file() + " (training " + t.name + " on " + pools_[pool].name + ")";
    CapacityPlan plan = read_plan(plan_of(given, pools_[pool]), file, context_);
    for (OptionPlan& option : plan.options) {
      for (PhasePlan& phase : option.phases) {
        if (given.work.goal) phase.goal = *given.work.goal;
        if (given.work.batch_ramp) phase.ramp = *given.work.batch_ramp;
      }
    }
    for (const OptionPlan& option : plan.options) {
      for (const std::int64_t gpus : option.sizes) {
        t.options.push_back({pool, try_option(plan, option, gpus, context_)});
        t.options.back().answer.plan = nullptr;
      }
    }
  }

  Reader top_;
  const PlanContext& context_;
  FleetFrame frame_;
  FleetSite site_;
  std::vector<FleetPoolKeys> pools_;
  FleetAnswer answer_;
};

std::vector<std::int64_t> gpus_of(const FleetAnswer& a) {
  std::vector<std::int64_t> gpus;
  for (const FleetPool& p : a.pools) gpus.push_back(p.gpus);
  return gpus;
}

// Sums of sizes that trainings may take on the pool, up to its double.
std::vector<std::int64_t> additions_to(const FleetAnswer& a, std::size_t pool) {
  std::set<std::int64_t> sums = {0};
  for (const FleetTraining& t : a.trainings) {
    std::set<std::int64_t> more = sums;
    for (const FleetWay& w : t.job.ways) {
      if (w.pool != pool) continue;
      for (const std::int64_t s : sums) {
        if (s + w.gpus <= std::max(a.pools[pool].gpus, w.gpus)) more.insert(s + w.gpus);
      }
    }
    sums = std::move(more);
  }
  sums.erase(0);
  return {sums.begin(), sums.end()};
}

// When more than the pool has now is in use for the first time.
Seconds first_needed(const std::vector<FleetJob>& jobs, const FleetSchedule& s, std::size_t pool,
                     std::int64_t gpus) {
  std::optional<Seconds> first;
  for (const FleetPlacement& at : s.jobs) {
    if (busy_at(jobs, s, pool, at.start) > gpus && (!first || at.start < *first)) first = at.start;
  }
  return first.value_or(Seconds());
}

// The inputs of any training that fits on the pool; null without one.
const OutcomeInputs* inputs_on(const FleetAnswer& a, std::size_t pool) {
  for (const FleetTraining& t : a.trainings) {
    for (const std::size_t i : t.fitting) {
      if (t.options[i].pool == pool) return &t.options[i].answer.inputs;
    }
  }
  return nullptr;
}

// Bought by the node where that has a price; rented from the day they are in use.
void add_prices(const FleetAnswer& a, const FleetSchedule& s, FleetAddition& x) {
  const OutcomeInputs* in = inputs_on(a, x.pool);
  if (in == nullptr) return;
  const std::int64_t nodes = divided_up(x.gpus, devices_of_node(in->cluster));
  x.purchase = hardware_price(in->prices, {x.gpus, nodes, {}, {}, {}});
  if (in->prices.rent) {
    Seconds last;
    for (const FleetPlacement& p : s.jobs) last = std::max(last, p.end);
    x.rent = in->prices.rent->value * (last - x.needed_from) * static_cast<double>(x.gpus);
  }
}

FleetAddition addition(const FleetAnswer& a, std::size_t pool) {
  const std::vector<FleetJob> jobs = jobs_of(a);
  const std::vector<std::int64_t> tried = additions_to(a, pool);
  FleetAddition found{pool, 0, tried.empty() ? 0 : tried.back(), {}, {}, {}};
  const auto with = [&](std::int64_t more) {
    std::vector<std::int64_t> gpus = gpus_of(a);
    gpus[pool] += more;
    return schedule(jobs, gpus, kNodesOfAddition);
  };
  // More GPUs are hardly ever later (a schedule that is not exact may be): half of those left can
  // be cut at a time.
  const auto first = std::partition_point(
      tried.begin(), tried.end(), [&](std::int64_t more) { return with(more).score.lateness > 0; });
  if (first == tried.end()) return found;
  found.gpus = *first;
  const FleetSchedule larger = with(*first);
  found.needed_from = first_needed(jobs, larger, pool, a.pools[pool].gpus);
  add_prices(a, larger, found);
  return found;
}

}  // namespace

constinit const KeyTable kFleetDocument = {"", kFleetRows};

std::vector<FleetJob> jobs_of(const FleetAnswer& a) {
  std::vector<FleetJob> jobs;
  for (const FleetTraining& t : a.trainings) jobs.push_back(t.job);
  return jobs;
}

bool is_fleet(const Json& document) {
  return document.is_object() && document.contains("trainings") && document.contains("pools");
}

FleetAnswer answer_fleet(const Json& document, const std::string& file,
                         const PlanContext& context) {
  FleetAnswer a = FleetReader(document, file, context).read();
  if (a.is_stopped) return a;
  a.schedule = schedule(jobs_of(a), gpus_of(a));
  if (a.schedule.score.lateness <= 0) return a;
  for (std::size_t pool = 0; pool < a.pools.size(); ++pool) {
    if (!a.pools[pool].is_rented) a.additions.push_back(addition(a, pool));
  }
  return a;
}

}  // namespace orrery
