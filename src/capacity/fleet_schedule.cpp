// SPDX-License-Identifier: Apache-2.0
#include "capacity/fleet_schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace orrery {
namespace {

// GPUs of a pool in use between two times.
struct Busy {
  double start = 0;
  double end = 0;
  std::int64_t gpus = 0;
};

class Pool {
 public:
  explicit Pool(std::int64_t gpus) : gpus_(gpus) {}

  void take(const Busy& b) { busy_.push_back(b); }
  void give_back() { busy_.pop_back(); }

  // The earliest start from `ready` on at which `gpus` are free for `time`. It is `ready` or the
  // end of another training.
  double earliest(double ready, std::int64_t gpus, double time) const {
    std::vector<double> starts = {ready};
    for (const Busy& b : busy_) {
      if (b.end > ready) starts.push_back(b.end);
    }
    std::sort(starts.begin(), starts.end());
    for (const double start : starts) {
      if (is_free(start, gpus, time)) return start;
    }
    return std::numeric_limits<double>::infinity();
  }

  std::int64_t gpus() const { return gpus_; }

 private:
  // Use rises at starts only, so that it is enough to look there and at `start`.
  bool is_free(double start, std::int64_t gpus, double time) const {
    if (used_at(start) + gpus > gpus_) return false;
    for (const Busy& b : busy_) {
      if (b.start > start && b.start < start + time && used_at(b.start) + gpus > gpus_)
        return false;
    }
    return true;
  }

  std::int64_t used_at(double t) const {
    std::int64_t used = 0;
    for (const Busy& b : busy_) used += b.start <= t && t < b.end ? b.gpus : 0;
    return used;
  }

  std::int64_t gpus_ = 0;
  std::vector<Busy> busy_;
};

double lateness_of(const FleetJob& j, double end) {
  return j.deadline ? j.priority * std::max(0.0, end - j.deadline->si()) : 0;
}

// Lower bounds of a training, whatever the others do.
struct Least {
  double lateness = 0;
  Money rent;
  double end = 0;  // weighted
};

// Nothing without a way to run it.
std::optional<Least> least_of(const FleetJob& j, const std::vector<std::int64_t>& pools) {
  std::optional<Least> l;
  for (const FleetWay& w : j.ways) {
    if (w.gpus > pools[w.pool]) continue;
    const double end = j.ready.si() + w.time.si();
    const Least way{lateness_of(j, end), w.rent, j.priority * end};
    if (!l) l = way;
    l->lateness = std::min(l->lateness, way.lateness);
    l->rent = std::min(l->rent, way.rent);
    l->end = std::min(l->end, way.end);
  }
  return l;
}

Currency currency_of(const std::vector<FleetJob>& jobs) {
  for (const FleetJob& j : jobs) {
    if (!j.ways.empty()) return j.ways.front().rent.currency();
  }
  return {};
}

class Search {
 public:
  Search(const std::vector<FleetJob>& jobs, const std::vector<std::int64_t>& gpus,
         std::int64_t most_nodes)
      : jobs_(jobs),
        most_nodes_(most_nodes),
        none_{0, Money(0, currency_of(jobs)), 0},
        least_(jobs.size()),
        current_(jobs.size()) {
    for (const std::int64_t n : gpus) pools_.emplace_back(n);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const std::optional<Least> l = least_of(jobs[i], gpus);
      if (!l) continue;
      least_[i] = *l;
      open_.push_back(i);
    }
    best_.score = none_;
    best_.jobs.resize(jobs.size());
    for (const std::size_t i : open_) best_.bound += least_[i].lateness;
  }

  FleetSchedule run() {
    start_greedily();
    std::vector<std::size_t> open = open_;
    // By deadline first: good schedules early end more branches.
    sort_by_deadline(open);
    branch(open, none_);
    best_.nodes = nodes_;
    best_.exact = nodes_ < most_nodes_;
    if (best_.exact) best_.bound = best_.score.lateness;
    return std::move(best_);
  }

 private:
  void sort_by_deadline(std::vector<std::size_t>& order) const {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto end = [&](std::size_t i) {
        return jobs_[i].deadline ? jobs_[i].deadline->si()
                                 : std::numeric_limits<double>::infinity();
      };
      return std::make_tuple(end(a), -jobs_[a].priority) <
             std::make_tuple(end(b), -jobs_[b].priority);
    });
  }

  void start_greedily() {
    std::vector<std::size_t> order = open_;
    sort_by_deadline(order);
    greedy(order);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return jobs_[a].priority > jobs_[b].priority;
    });
    greedy(order);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return least_[a].end > least_[b].end; });
    greedy(order);
  }

  // Each training in the way that costs least by the aims.
  void greedy(const std::vector<std::size_t>& order) {
    FleetScore score = none_;
    for (const std::size_t i : order) {
      std::optional<std::size_t> chosen;
      FleetScore least = none_;
      for (std::size_t w = 0; w < jobs_[i].ways.size(); ++w) {
        const std::optional<FleetScore> s = placed(i, w, score);
        if (!s) continue;
        take_back(i);
        if (!chosen || *s < least) {
          chosen = w;
          least = *s;
        }
      }
      score = *placed(i, *chosen, score);
    }
    keep(score);
    for (auto i = order.rbegin(); i != order.rend(); ++i) take_back(*i);
  }

  // The score with training i placed in way w; nothing where its pool is too small.
  std::optional<FleetScore> placed(std::size_t i, std::size_t w, FleetScore score) {
    const FleetJob& job = jobs_[i];
    const FleetWay& way = job.ways[w];
    Pool& pool = pools_[way.pool];
    if (way.gpus > pool.gpus()) return {};
    const double start = pool.earliest(job.ready.si(), way.gpus, way.time.si());
    const double end = start + way.time.si();
    pool.take({start, end, way.gpus});
    current_[i] = {true, w, Seconds(start), Seconds(end)};
    score.lateness += lateness_of(job, end);
    score.rent += way.rent;
    score.ends += job.priority * end;
    return score;
  }

  void take_back(std::size_t i) {
    pools_[jobs_[i].ways[current_[i].way].pool].give_back();
    current_[i].placed = false;
  }

  void keep(const FleetScore& score) {
    if (is_found_ && !(score < best_.score)) return;
    is_found_ = true;
    best_.score = score;
    best_.jobs = current_;
  }

  // No schedule that goes on from here is better than this.
  FleetScore at_best(const std::vector<std::size_t>& open, FleetScore score) const {
    for (const std::size_t i : open) {
      score.lateness += least_[i].lateness;
      score.rent += least_[i].rent;
      score.ends += least_[i].end;
    }
    return score;
  }

  void branch(const std::vector<std::size_t>& open, const FleetScore& score) {
    if (open.empty()) return keep(score);
    if (is_found_ && !(at_best(open, score) < best_.score)) return;
    for (std::size_t n = 0; n < open.size(); ++n) {
      std::vector<std::size_t> rest = open;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(n));
      for (std::size_t w = 0; w < jobs_[open[n]].ways.size(); ++w) {
        if (++nodes_ >= most_nodes_) return;
        const std::optional<FleetScore> s = placed(open[n], w, score);
        if (!s) continue;
        branch(rest, *s);
        take_back(open[n]);
      }
    }
  }

  const std::vector<FleetJob>& jobs_;
  std::int64_t most_nodes_ = 0;
  FleetScore none_;
  std::vector<Pool> pools_;
  std::vector<std::size_t> open_;
  std::vector<Least> least_;
  std::vector<FleetPlacement> current_;
  FleetSchedule best_;
  bool is_found_ = false;
  std::int64_t nodes_ = 0;
};

}  // namespace

bool operator<(const FleetScore& a, const FleetScore& b) {
  // A second in a year, or a cent of a million, is no difference.
  constexpr double kSame = 1e-9;
  const auto differ = [](double x, double y) {
    return std::abs(x - y) > kSame * std::max(std::abs(x), std::abs(y));
  };
  if (differ(a.lateness, b.lateness)) return a.lateness < b.lateness;
  if (differ(a.rent.amount(), b.rent.amount())) return a.rent < b.rent;
  return differ(a.ends, b.ends) && a.ends < b.ends;
}

FleetSchedule schedule(const std::vector<FleetJob>& jobs, const std::vector<std::int64_t>& pools,
                       std::int64_t most_nodes) {
  return Search(jobs, pools, most_nodes).run();
}

std::int64_t busy_at(const std::vector<FleetJob>& jobs, const FleetSchedule& s, std::size_t pool,
                     Seconds time) {
  std::int64_t used = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const FleetPlacement& p = s.jobs[i];
    if (!p.placed || jobs[i].ways[p.way].pool != pool) continue;
    if (p.start <= time && time < p.end) used += jobs[i].ways[p.way].gpus;
  }
  return used;
}

std::int64_t most_busy(const std::vector<FleetJob>& jobs, const FleetSchedule& s,
                       std::size_t pool) {
  std::int64_t most = 0;
  for (const FleetPlacement& at : s.jobs) most = std::max(most, busy_at(jobs, s, pool, at.start));
  return most;
}

double used_share(const std::vector<FleetJob>& jobs, const FleetSchedule& s, std::size_t pool,
                  std::int64_t gpus) {
  double used = 0;
  double last = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const FleetPlacement& p = s.jobs[i];
    if (!p.placed) continue;
    last = std::max(last, p.end.si());
    const FleetWay& w = jobs[i].ways[p.way];
    if (w.pool == pool) used += static_cast<double>(w.gpus) * w.time.si();
  }
  return last > 0 ? used / last / static_cast<double>(gpus) : 0;
}

}  // namespace orrery
