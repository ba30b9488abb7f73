// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint: its bytes, how long it stops training, when it is safe, how long a read takes.
//
//   synchronous   training stops until the storage has the data
//   two-phase     training stops until host memory has it; the write runs beside the next
//                 steps (MegaScale, arXiv:2402.15627, section 4.4)
//   asynchronous  nothing stops: the copy to host memory runs beside the next steps, too
//
// Holds the weights and the optimizer's states, not the gradients, once (replicas write no
// copies), split evenly over the nodes of the run. The storage's rate and the rate of one
// client bound the write; the copy to the host uses each GPU's own link. A restart reads it once;
// spreading it over the network takes no time. Leaves out metadata, file opens and stragglers of
// the storage.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "capacity/ranged.h"
#include "core/enum_names.h"
#include "orrery/quantity.h"

namespace orrery {

struct Cluster;

struct Run;

enum class CheckpointMode : std::uint8_t { synchronous, two_phase, asynchronous };
constexpr EnumNames<CheckpointMode> names_of(CheckpointMode) {
  return {"synchronous", "two-phase", "asynchronous"};
}

// Rates of the whole system that the run gets; 0: not given.
struct Storage {
  std::string name;
  BytesPerSecond write{};   // required for times: a client's rate alone is no bound
  BytesPerSecond read{};    // 0: the same as `write`
  BytesPerSecond client{};  // rate of one node; 0: see client_rate()
  Bytes capacity{};
};

struct CheckpointPolicy {
  CheckpointMode mode = CheckpointMode::synchronous;
  Seconds interval{};              // of training between two checkpoints; 0: the optimum
  Seconds overhead{};              // of each: barriers, files; training stands still
  double bytes_per_parameter = 0;  // 0: of the recipe
  std::int64_t keep = 2;           // newest checkpoints kept
  std::int64_t archive = 0;        // checkpoints of the whole run kept besides
};

struct CheckpointCost {
  Bytes size{};
  Bytes per_node{};
  Seconds copy{};     // to host memory, over each GPU's own link
  Seconds stall{};    // training stands still
  Seconds durable{};  // from the end of the stall until a restart may rely on it
  Seconds write{};    // the storage writes it
  Seconds read{};
  bool storage_known = false;   // if false, stall and read count as 0
  bool nodes_bound_it = false;  // the write is bound by the nodes' rate, not by the storage
};

Bytes checkpoint_bytes(const Run& run, double bytes_per_parameter);

// Rate of one node to the storage: as given, else at most its part of the network and the host
// links of its GPUs.
BytesPerSecond client_rate(const Storage& storage, const Cluster& cluster);

CheckpointCost checkpoint_cost(Bytes size, const Storage& storage, CheckpointMode mode,
                               const Cluster& cluster);

}  // namespace orrery
