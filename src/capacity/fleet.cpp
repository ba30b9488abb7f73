// SPDX-License-Identifier: Apache-2.0
#include "capacity/fleet.h"

#include <algorithm>
#include <memory>
#include <set>

#include "capacity/fleet_keys.h"
#include "capacity/option.h"
#include "core/error.h"
#include "core/json.h"
#include "core/key_access.h"

namespace orrery {
namespace {

constexpr auto kFleetRows = joined(kFleetFrameRows, kFleetSiteRows);

constexpr std::size_t kMostTrainings = 64;
constexpr std::size_t kMostPools = 16;
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
    if (items.empty() || items.size() > kMostPools) frame_.pools->fail("1 to 16 pools");
    for (const Reader& r : items) {
      pools_.push_back(read_keys(kFleetPoolKeys, r));
      const FleetPoolKeys& p = pools_.back();
      answer_.pools.push_back({p.name, p.gpus, p.rent.has_value()});
    }
  }

  void read_trainings() {
    const std::vector<Reader> items = frame_.trainings->items();
    if (items.empty() || items.size() > kMostTrainings) {
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
    if (pool.rent) {
      plan["prices"] = {{"rent", pool.rent->json()}, {"pay", "rent"}, {"source", "the fleet"}};
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
      const std::optional<Money>& rent = o.outcome.bill.parts[CostPart::rent];
      t.fitting.push_back(i);
      t.job.ways.push_back({t.options[i].pool, o.gpus, o.outcome.wall, rent ? rent->amount() : 0});
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
    plans_.push_back(std::make_unique<CapacityPlan>(std::move(plan)));
    const CapacityPlan& kept = *plans_.back();
    for (const OptionPlan& option : kept.options) {
      for (const std::int64_t gpus : option.sizes) {
        t.options.push_back({pool, try_option(kept, option, gpus, context_)});
        t.options.back().answer.plan = nullptr;
      }
    }
  }

  Reader top_;
  const PlanContext& context_;
  FleetFrame frame_;
  FleetSite site_;
  std::vector<FleetPoolKeys> pools_;
  std::vector<std::unique_ptr<CapacityPlan>> plans_;
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
    std::int64_t used = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const FleetPlacement& p = s.jobs[i];
      if (!p.placed || jobs[i].ways[p.way].pool != pool) continue;
      if (p.start <= at.start && at.start < p.end) used += jobs[i].ways[p.way].gpus;
    }
    if (used > gpus && (!first || at.start < *first)) first = at.start;
  }
  return first.value_or(Seconds());
}

FleetAddition addition(const FleetAnswer& a, std::size_t pool) {
  const std::vector<FleetJob> jobs = jobs_of(a);
  const std::vector<std::int64_t> tried = additions_to(a, pool);
  FleetAddition found{pool, 0, tried.empty() ? 0 : tried.back(), {}};
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
  found.needed_from = first_needed(jobs, with(*first), pool, a.pools[pool].gpus);
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
