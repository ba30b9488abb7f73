// SPDX-License-Identifier: Apache-2.0
//
// Messages between pipeline stages: the boundary activation bsh forward and its gradient back.
//
// Messages are split over cp, and over tp under sequence parallelism. With scatter-gather
// (arXiv:2104.04473, section 4.1) every tensor-parallel rank sends 1/tp of it, and they gather it
// on arrival. Errors: none.
#pragma once

#include "network/collective_cost.h"

namespace orrery {

struct ParametersHeld;
struct Placement;
struct Run;

template <Number R>
struct SendCost {
  CollectiveCost<R> send;
  CollectiveCost<R> gather;  // on arrival; zero without scatter-gather
  std::int64_t gather_ranks = 1;
  SecondsOf<R> time{};
};

// The part of the boundary activation that one rank holds.
Bytes boundary_bytes(const Run& run);

// From stage `from` to its successor (after the last stage the first).
template <Number R>
SendCost<R> send_cost(const Run& run, const Placement& placement, std::int64_t from);

// Whether the first and the last stage both hold the word embedding.
bool shares_embedding(const Run& run);

// All-reduce of a word embedding's gradient between the first stage and the last, once a step, if
// both hold it; else zero.
template <Number R>
CollectiveCost<R> tied_embedding_cost(const Run& run);

// All-reduce of the gradients of two copies of the model, once a step, if the schedule has them:
// stage i with stage p − 1 − i, priced between the first and the last, for the shard that remains
// after the replicas have reduced; else zero.
template <Number R>
CollectiveCost<R> copies_cost(const Run& run, const ParametersHeld& parameters);

}  // namespace orrery
