// SPDX-License-Identifier: Apache-2.0
//
// What a collective of a group costs, by the fastest algorithm its library has for it.
//
// Models launch, latency by step, and the busiest link on the way (network/clock.h), with the links
// of a unit shared by all groups that use them. Leaves out other traffic, stragglers and protocols
// by size; compression is network/codec.h's. Units: SI. Errors: none; a group has at least one rank
// and fits the cluster. Neither allocates nor throws.
#pragma once

#include <cstdint>
#include <tuple>

#include "core/number.h"
#include "network/algorithms.h"
#include "network/collective.h"
#include "network/fold.h"
#include "network/group.h"
#include "orrery/quantity.h"

namespace orrery {

template <Number R>
struct CollectiveCost {
  SecondsOf<R> time{};
  BytesOf<R> bytes_per_rank{};  // network/volume.h
  Algorithm algorithm = Algorithm::none;
  std::uint8_t tier = 0;  // the outermost in use
  BytesOf<R> message{};   // S, the full buffer
  SecondsOf<R> codec{};   // of `time`, what compresses and decompresses (network/codec.h)
  double ratio = 1;       // bytes before compression over bytes on the wire
};

namespace detail {

struct Choice {
  Seconds time{};
  Algorithm algorithm = Algorithm::none;
};

template <class Row>
void consider(Row /*row*/, Choice& best, const Cluster& c, const Group& g, const Fold& f,
              Collective kind, Bytes full) {
  using A = typename Row::Implementation;
  if (!Row::serves(kind) || !A::applies(c, f)) return;
  const Seconds time = A::time(c, g, f, kind, full);
  if (best.algorithm == Algorithm::none || time < best.time) best = {time, A::id};
}

template <class Row>
void consider_if_had(Row row, Choice& best, const Cluster& c, const Group& g, const Fold& f,
                     Collective kind, Bytes full) {
  if (Row::Implementation::has(c.library)) consider(row, best, c, g, f, kind, full);
}

// Of those the cluster's library has.
inline Choice fastest(const Cluster& c, const Group& g, const Fold& f, Collective kind,
                      Bytes full) {
  Choice best;
  std::apply([&](auto... row) { (consider_if_had(row, best, c, g, f, kind, full), ...); },
             kAlgorithms);
  return best;
}

template <Number R>
SecondsOf<R> time_by(Algorithm a, const Cluster& c, const Group& g, const Fold& f, Collective kind,
                     BytesOf<R> full) {
  SecondsOf<R> time{};
  const auto run = [&](auto row) {
    using Row = decltype(row);
    using A = typename Row::Implementation;
    if (A::id == a && Row::serves(kind)) time = A::time(c, g, f, kind, full);
  };
  std::apply([&](auto... row) { (run(row), ...); }, kAlgorithms);
  return time;
}

}  // namespace detail

// Whether the algorithm serves this collective of this group.
inline bool applies(Algorithm a, const Cluster& c, const Group& g, Collective kind) {
  if (g.ranks <= 1) return false;
  const Fold f = fold(c, g, g.ranks);
  const auto is_it = [&](auto row) {
    using Row = decltype(row);
    return Row::Implementation::id == a && Row::serves(kind) && Row::Implementation::applies(c, f);
  };
  return std::apply([&](auto... row) { return (is_it(row) || ...); }, kAlgorithms);
}

// By a given algorithm, which must apply.
template <Number R>
CollectiveCost<R> collective_cost_by(Algorithm a, const Cluster& c, const Group& g, Collective kind,
                                     BytesOf<R> full_buffer) {
  if (g.ranks <= 1 || !(plain(full_buffer) > Bytes())) return {};
  const Fold f = fold(c, g, g.ranks);
  const auto bytes = named(bytes_on_wire(kind, f.ranks, full_buffer), {"bytes on the wire", ""});
  return {detail::time_by(a, c, g, f, kind, full_buffer), bytes, a,
          static_cast<std::uint8_t>(f.outermost), full_buffer};
}

template <Number R>
CollectiveCost<R> collective_cost(const Cluster& c, const Group& g, Collective kind,
                                  BytesOf<R> full_buffer) {
  if (g.ranks <= 1 || !(plain(full_buffer) > Bytes())) return {};
  const Fold f = fold(c, g, g.ranks);
  const detail::Choice choice = detail::fastest(c, g, f, kind, plain(full_buffer));
  if constexpr (std::same_as<R, double>) {
    return {choice.time, bytes_on_wire(kind, f.ranks, full_buffer), choice.algorithm,
            static_cast<std::uint8_t>(f.outermost), full_buffer};
  } else {
    // Only what was chosen is recorded.
    return collective_cost_by(choice.algorithm, c, g, kind, full_buffer);
  }
}

// One message between two children of tier `tier`, whose links `sharers` such messages share.
template <Number R>
CollectiveCost<R> point_to_point_cost(const Cluster& c, std::size_t tier, std::int64_t sharers,
                                      BytesOf<R> bytes) {
  Group pair;
  pair.ranks = 2;
  for (std::size_t i = tier; i < kMaxTiers; ++i) pair.members[i] = 2;
  pair.sharers.fill(sharers);
  return collective_cost(c, pair, Collective::point_to_point, bytes);
}

}  // namespace orrery
