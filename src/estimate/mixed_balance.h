// SPDX-License-Identifier: Apache-2.0
//
// Layers, micro batches and shards over unlike kinds, balanced exactly.
//
//   layers: the contiguous split that makes Σᵢ tᵢ + (m − 1)·maxᵢ tᵢ least, of those whose stages
//   fit their devices; tᵢ is forward and backward of stage i on the slowest of its kinds
//
//   micro batches: whole numbers bᵣ of the replicas r, Σ bᵣ = B, with the least maxᵣ Tᵣ(bᵣ); Tᵣ is
//   the sweep of the schedule
//
//   batches in step (ZeRO 2 and 3): whole sequences of each kind in a micro batch, with the least
//   time of the slowest
//
//   shards by memory: the shares of sharded states that leave every kind the same part of its
//   memory free
//
// A chunk counts as a stage where stages hold several. Leaves out: sends and the end of the step
// when layers are spread. Errors: none; nothing where no split fits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "estimate/mixed_estimate.h"

namespace orrery {

// Layers of each part of the model.
std::optional<std::vector<std::int16_t>> balanced_layers(const MixedRun& run, MixedWorkspace& w);

void set_layers(const std::vector<std::int16_t>& layers, MixedRun& run);

// Micro batches of a replica of each class. The workspace is filled.
std::vector<std::int64_t> balanced_micro_batches(const MixedRun& run, MixedWorkspace& w);

void set_micro_batches(const std::vector<std::int64_t>& of_class, MixedRun& run);

// Sequences of a micro batch by kind, `all` of all replicas together; nothing where there are fewer
// sequences than replicas.
std::optional<std::vector<std::int64_t>> balanced_sequences(const MixedRun& run, std::int64_t all,
                                                            MixedWorkspace& w);

// Shards by kind over an equal shard; empty where there is one kind.
std::vector<double> shares_by_memory(const MixedRun& run, MixedWorkspace& w);

}  // namespace orrery
