// SPDX-License-Identifier: Apache-2.0
#include "capacity/fleet_schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

namespace orrery {
namespace {

Money usd(double amount) { return {amount, Currency()}; }

FleetJob job(double deadline, std::vector<FleetWay> ways, double priority = 1) {
  return {priority, Seconds(), Seconds(deadline), std::move(ways)};
}

// Two trainings of all GPUs: 3 s by 4 s, and 2 s by 2 s. The second has to go first.
TEST_CASE("what is due first goes first") {
  const std::vector<FleetJob> jobs = {job(5, {{0, 8, Seconds(3), {}}}),
                                      job(2, {{0, 8, Seconds(2), {}}})};
  const FleetSchedule s = schedule(jobs, {8});
  CHECK(s.exact);
  CHECK(s.score.lateness == 0);
  CHECK(s.jobs[1].start == Seconds(0));
  CHECK(s.jobs[0].start == Seconds(2));
  CHECK(s.jobs[0].end == Seconds(5));
}

// Alone either is in time; together 3 + 2 ends a second late. The rent of the other pool is paid
// only where it mends that.
TEST_CASE("a rent is paid where it mends lateness, and not else") {
  const std::vector<FleetWay> own = {{0, 8, Seconds(3), {}}};
  std::vector<FleetJob> jobs = {job(5, {{0, 8, Seconds(3), {}}, {1, 8, Seconds(1), usd(7)}}),
                                job(2, {{0, 8, Seconds(2), {}}, {1, 8, Seconds(1), usd(9)}})};
  CHECK(schedule(jobs, {8, 8}).score.rent == usd(0));
  jobs[0].deadline = Seconds(4);
  const FleetSchedule s = schedule(jobs, {8, 8});
  CHECK(s.score.lateness == 0);
  CHECK(s.score.rent == usd(7));
  CHECK(jobs[0].ways[s.jobs[0].way].pool == 1);
}

TEST_CASE("a priority decides who is late") {
  std::vector<FleetJob> jobs = {job(2, {{0, 8, Seconds(2), {}}}, 1),
                                job(2, {{0, 8, Seconds(2), {}}}, 5)};
  const FleetSchedule s = schedule(jobs, {8});
  CHECK(s.jobs[1].start == Seconds(0));
  CHECK(s.score.lateness == 2);
}

// The short one beside the small one, then the large one: ends at 1, 4 and 5 seconds. The large one
// first would end at 4, 4 and 5.
TEST_CASE("trainings share a pool while its GPUs last") {
  const std::vector<FleetJob> jobs = {job(9, {{0, 6, Seconds(4), {}}}),
                                      job(9, {{0, 2, Seconds(4), {}}}),
                                      job(9, {{0, 4, Seconds(1), {}}})};
  const FleetSchedule s = schedule(jobs, {8});
  CHECK(s.jobs[0].start == Seconds(1));
  CHECK(s.jobs[1].start == Seconds(0));
  CHECK(s.jobs[2].start == Seconds(0));
  CHECK(s.score.ends == doctest::Approx(10));
  CHECK(most_busy(jobs, s, 0) == 8);
  // 6·4 + 2·4 + 4·1 GPU-seconds of 8·5.
  CHECK(used_share(jobs, s, 0, 8) == doctest::Approx(36.0 / 40));
}

TEST_CASE("a training without a pool large enough stays unplaced") {
  const FleetSchedule s = schedule({job(9, {{0, 16, Seconds(1), {}}}), job(9, {})}, {8});
  CHECK_FALSE(s.jobs[0].placed);
  CHECK_FALSE(s.jobs[1].placed);
  CHECK(s.score.lateness == 0);
}

// Every start on a grid of whole seconds, every way: the least lateness, then rent, then ends.
std::tuple<double, double, double> brute_force(const std::vector<FleetJob>& jobs,
                                               const std::vector<std::int64_t>& pools,
                                               std::int64_t horizon) {
  std::vector<std::vector<std::int64_t>> used(
      pools.size(), std::vector<std::int64_t>(static_cast<std::size_t>(horizon), 0));
  std::tuple<double, double, double> best{1e300, 1e300, 1e300};
  const auto place = [&](const auto& self, std::size_t i, double late, double rent,
                         double ends) -> void {
    if (i == jobs.size()) {
      best = std::min(best, std::make_tuple(late, rent, ends));
      return;
    }
    const FleetJob& j = jobs[i];
    for (const FleetWay& w : j.ways) {
      const auto time = static_cast<std::int64_t>(w.time.si());
      for (auto start = static_cast<std::int64_t>(j.ready.si()); start + time <= horizon; ++start) {
        std::vector<std::int64_t>& pool = used[w.pool];
        bool fits = true;
        for (std::int64_t t = start; t < start + time; ++t) {
          fits = fits && pool[static_cast<std::size_t>(t)] + w.gpus <= pools[w.pool];
        }
        if (!fits) continue;
        const auto add = [&](std::int64_t n) {
          for (std::int64_t t = start; t < start + time; ++t)
            pool[static_cast<std::size_t>(t)] += n;
        };
        add(w.gpus);
        const auto end = static_cast<double>(start + time);
        const double over = j.deadline ? std::max(0.0, end - j.deadline->si()) : 0;
        self(self, i + 1, late + j.priority * over, rent + w.rent.amount(),
             ends + j.priority * end);
        add(-w.gpus);
      }
    }
  };
  place(place, 0, 0, 0, 0);
  return best;
}

TEST_CASE("the search agrees with brute force on small fleets") {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    std::vector<FleetJob> jobs(3);
    for (FleetJob& j : jobs) {
      j.priority = draw(1, 3);
      j.ready = Seconds(draw(0, 2));
      if (draw(0, 3) > 0) j.deadline = Seconds(draw(1, 6));
      for (int w = draw(1, 2); w > 0; --w) {
        const auto pool = static_cast<std::size_t>(draw(0, 1));
        j.ways.push_back({pool, draw(1, 4), Seconds(draw(1, 3)), usd(pool == 1 ? draw(1, 9) : 0)});
      }
    }
    const std::vector<std::int64_t> pools = {4, 4};
    const FleetSchedule s = schedule(jobs, pools);
    const auto [late, rent, ends] = brute_force(jobs, pools, 12);
    CHECK(s.exact);
    CHECK(s.score.lateness == doctest::Approx(late));
    CHECK(s.score.rent.amount() == doctest::Approx(rent));
    CHECK(s.score.ends == doctest::Approx(ends));
  }
}

TEST_CASE("a search that is cut short says so and keeps a lower bound") {
  std::vector<FleetJob> jobs;
  for (int i = 0; i < 12; ++i) {
    jobs.push_back(job(3, {{0, 4, Seconds(1 + i % 3), {}}, {0, 8, Seconds(1), {}}}, 1 + i % 2));
  }
  const FleetSchedule s = schedule(jobs, {8}, 500);
  CHECK_FALSE(s.exact);
  CHECK(s.bound <= s.score.lateness);
  for (const FleetPlacement& p : s.jobs) CHECK(p.placed);
  CHECK(most_busy(jobs, s, 0) <= 8);
}

}  // namespace
}  // namespace orrery
