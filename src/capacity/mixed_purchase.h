// SPDX-License-Identifier: Apache-2.0
//
// GPUs of one more kind beside those that are there: the days and the rent of a training for each
// number of them, and what one node more of each kind is worth.
//
// Every number is the fastest placement on the groups with so many GPUs (explore/mixed_search.h),
// which may leave a slow group or a part of one out; a placement on fewer GPUs of each stands in
// for one that is slower. GPUs are rented for the whole training, those left out too. Time is steps
// times the step. Rents are those of the price book; a kind without one has no sum. Leaves out
// interruptions, checkpoints, power, storage and networks, hardware that is bought. Units: SI.
// Errors: InputError of the run, and of a group without a name there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "capacity/prices_json.h"
#include "capacity/ranged.h"
#include "capacity/training_time.h"
#include "core/money.h"
#include "explore/mixed_search.h"

namespace orrery {

struct MixedPurchaseQuestion {
  KeptJson run;
  std::string file;
  ConfigLookup lookup;
  std::string group;                // that grows; "": the last
  std::vector<std::int64_t> sizes;  // GPUs of it; empty: none, its own and twice as many
  Goal goal;                        // none: the run's training.tokens
  std::optional<PriceBook> prices;
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

// A training on groups of these sizes.
struct MixedTraining {
  std::optional<MixedFound> best;
  Ranged<Seconds> time;
  std::optional<Money> rent;        // of all GPUs
  std::optional<Money> grown_rent;  // of those of the group that grows
};

struct PurchaseRow {
  std::int64_t gpus = 0;  // of the group that grows
  std::int64_t all = 0;
  MixedTraining training;
};

// One node more of a group, beside the run's own numbers.
struct NodeMore {
  std::string group;
  std::int64_t gpus = 0;  // of the node
  MixedTraining training;
};

struct MixedPurchase {
  std::string group;
  double tokens = 0;
  std::vector<PurchaseRow> rows;
  MixedTraining own;  // with the run's own numbers
  std::vector<NodeMore> more;
  std::vector<std::string> without_rent;  // devices; empty without prices
};

MixedPurchase mixed_purchase(const MixedPurchaseQuestion& question);

}  // namespace orrery
