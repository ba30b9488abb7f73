// SPDX-License-Identifier: Apache-2.0
//
// The rents of the GPUs of a step of reinforcement learning, from the prices that a plan takes.
// Errors: none; a device without a rent is an answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capacity/prices_json.h"
#include "rl/gpu_rents.h"

namespace orrery {

struct Cluster;

struct PricedGpus {
  GpuRents rents;
  std::vector<Assumption> sources;  // each once
};

struct RentsFound {
  std::optional<PricedGpus> priced;
  std::string missing;  // else: the first device that has no rent
};

RentsFound rents_of(const PriceBook& book, const Cluster& learner, const Cluster& generator);

// The prices that a plan has of a cluster's nodes.
Tariff tariff_of(const PriceBook& book, const Cluster& c, std::vector<Assumption>& sources);

}  // namespace orrery
