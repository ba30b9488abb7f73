// SPDX-License-Identifier: Apache-2.0
//
// A fleet's trainings over a time: on which GPUs each runs, from when to when, what waits, and what
// to add so that nothing is late.
//
//   {"name": "2027", "start": "2027-01-04", "failures": "llama-3",
//    "pools": [{"name": "own", "cluster": {"node": "dgx-h100"}, "gpus": 512},
//              {"name": "rented", "cluster": {"node": "hgx-b200"}, "gpus": 1024,
//               "rent": "4.5 USD/h"}],
//    "trainings": [{"name": "8B", "run": "llama-3-8b-8-h100", "goal": {"tokens": 2e12},
//                   "gpus": [64, 128], "deadline": "90 d", "priority": 2}]}
//
// Each training is priced on each pool at each of its sizes as an option of a plan (its strategy
// searched where its run names none), with failures and checkpoints; schedule() of
// capacity/fleet_schedule.h places them by the middle of their time. Then each owned pool alone is
// made larger by the sizes that trainings may take, until nothing is late: the least addition, and
// when it is first in use, and by `prices` what it costs to buy, or to rent from that day until the
// last training ends. A rent counts while a training runs.
//
// Leaves out: network and storage around what is bought, spare nodes, and all that the schedule
// leaves out. Errors: InputError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity/capacity.h"
#include "capacity/fleet_schedule.h"
#include "capacity/plan.h"

namespace orrery {

struct FleetPool {
  std::string name;
  std::int64_t gpus = 0;
  bool is_rented = false;
};

// One size of a training on a pool.
struct FleetOption {
  std::size_t pool = 0;
  OptionAnswer answer;
};

struct FleetTraining {
  std::string name;
  FleetJob job;                      // ways as in `fitting`
  std::vector<FleetOption> options;  // all that were priced
  std::vector<std::size_t> fitting;  // options that fit
};

// The least addition to a pool after which nothing is late.
struct FleetAddition {
  std::size_t pool = 0;
  std::int64_t gpus = 0;  // 0: none of those that were tried is enough
  std::int64_t most_tried = 0;
  Seconds needed_from{};
  std::optional<Money> purchase;  // of all of them; empty without a price
  std::optional<Money> rent;      // from `needed_from` until the last training ends
};

struct FleetAnswer {
  std::string name;
  Currency currency;
  std::optional<Date> start;
  std::vector<FleetPool> pools;
  std::vector<FleetTraining> trainings;
  FleetSchedule schedule;
  std::vector<FleetAddition> additions;  // of owned pools; empty where nothing is late
  bool is_stopped = false;
};

// The trainings as schedule() takes them.
std::vector<FleetJob> jobs_of(const FleetAnswer& a);

// True for a fleet, false for a plan or a run.
bool is_fleet(const Json& document);

FleetAnswer answer_fleet(const Json& document, const std::string& file, const PlanContext& context);

}  // namespace orrery
