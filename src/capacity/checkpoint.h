// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint: how many bytes, how long it stops training, when it is safe, how long to read.
//
//   synchronous   training stops until the storage has it
//   two-phase     training stops until host memory has it; from there it is written beside the next
//                 steps (MegaScale, arXiv:2402.15627, section 4.4)
//   asynchronous  nothing stops: the copy to host memory hides under the next steps too
//
// It holds the weights and the optimizer's state of the recipe, not the gradients, once (replicas
// write no copies), split evenly over the nodes of the run. The storage's rate and what one client
// carries bound the write; the copy to the host goes over each GPU's own link. Restoring reads it
// once and spreads it over the network in no time. Leaves out metadata, file opens and stragglers
// of the storage.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "capacity/ranged.h"
#include "estimate/run.h"
#include "orrery/quantity.h"

namespace orrery {

enum class CheckpointMode : std::uint8_t { synchronous, two_phase, asynchronous };
inline constexpr std::array<std::string_view, 3> kCheckpointModeNames = {"synchronous", "two-phase",
                                                                         "asynchronous"};

// Rates of the whole system as the run gets it; 0: not said.
struct Storage {
  std::string name;
  BytesPerSecond write{};   // without it no time follows: a client's rate alone bounds nothing
  BytesPerSecond read{};    // 0: as it writes
  BytesPerSecond client{};  // what one node can carry; 0: client_rate() bounds it
  Bytes capacity{};
};

struct CheckpointPolicy {
  CheckpointMode mode = CheckpointMode::synchronous;
  Seconds interval{};              // of training between two; 0: the optimum
  Seconds overhead{};              // of each: barriers, files; training stands still
  double bytes_per_parameter = 0;  // 0: of the recipe
  std::int64_t keep = 2;           // the newest so many
  std::int64_t archive = 0;        // and so many of the whole run
};

struct CheckpointCost {
  Bytes size{};
  Bytes per_node{};
  Seconds copy{};     // to host memory, over each GPU's own link
  Seconds stall{};    // training stands still
  Seconds durable{};  // from the end of the stall until a restart may rely on it
  Seconds write{};    // the storage is busy with it
  Seconds read{};
  bool storage_known = false;   // else stall and read count as 0
  bool nodes_bound_it = false;  // the write: by what they can carry, not by the storage's rate
};

Bytes checkpoint_bytes(const Run& run, double bytes_per_parameter);

// What one node can carry to the storage: as it is given, else no more than its part of the network
// and its GPUs' links to the host.
BytesPerSecond client_rate(const Storage& storage, const Cluster& cluster);

CheckpointCost checkpoint_cost(Bytes size, const Storage& storage, CheckpointMode mode,
                               const Cluster& cluster);

}  // namespace orrery
