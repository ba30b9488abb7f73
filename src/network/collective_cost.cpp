// SPDX-License-Identifier: Apache-2.0
#include "network/collective_cost.h"

#include <tuple>

#include "network/algorithms.h"
#include "network/fold.h"
#include "network/volume.h"

namespace orrery {
namespace {

struct Choice {
  Seconds time{};
  Algorithm algorithm = Algorithm::none;
};

// Calls visit(row) for every row of the table.
template <class Visit>
void for_each_algorithm(Visit&& visit) {
  std::apply([&](auto... row) { (visit(row), ...); }, kAlgorithms);
}

// The fastest of those the cluster's library has; of equally fast ones the first.
Choice fastest(const Cluster& c, const Group& g, const Fold& f, Collective kind, Bytes full) {
  Choice best;
  for_each_algorithm([&](auto row) {
    using A = typename decltype(row)::Implementation;
    if (!A::has(c.library) || !row.serves(kind) || !A::applies(c, f)) return;
    const Seconds time = A::time(c, g, f, kind, full);
    if (best.algorithm == Algorithm::none || time < best.time) best = {time, A::id};
  });
  return best;
}

template <Number R>
SecondsOf<R> time_by(Algorithm a, const Cluster& c, const Group& g, const Fold& f, Collective kind,
                     BytesOf<R> full) {
  SecondsOf<R> time{};
  for_each_algorithm([&](auto row) {
    using A = typename decltype(row)::Implementation;
    if (A::id == a && row.serves(kind)) time = A::time(c, g, f, kind, full);
  });
  return time;
}

}  // namespace

bool applies(Algorithm a, const Cluster& c, const Group& g, Collective kind) {
  if (g.ranks <= 1) return false;
  const Fold f = fold(c, g, g.ranks);
  bool found = false;
  for_each_algorithm([&](auto row) {
    using A = typename decltype(row)::Implementation;
    found = found || (A::id == a && row.serves(kind) && A::applies(c, f));
  });
  return found;
}

std::vector<Algorithm> algorithms_of(Collective kind) {
  std::vector<Algorithm> all;
  for_each_algorithm([&](auto row) {
    if (row.serves(kind)) all.push_back(decltype(row)::Implementation::id);
  });
  return all;
}

template <Number R>
CollectiveCost<R> collective_cost_by(Algorithm a, const Cluster& c, const Group& g, Collective kind,
                                     BytesOf<R> full_buffer) {
  if (g.ranks <= 1 || !(plain(full_buffer) > Bytes())) return {};
  const Fold f = fold(c, g, g.ranks);
  const auto bytes = named(bytes_on_wire(kind, f.ranks, full_buffer), {"bytes on the wire", ""});
  CollectiveCost<R> cost = {time_by(a, c, g, f, kind, full_buffer), bytes, a,
                            static_cast<std::uint8_t>(f.outermost), full_buffer};
  cost.sent = bytes_sent(a, kind, f.ranks, full_buffer);
  return cost;
}

template <Number R>
CollectiveCost<R> collective_cost(const Cluster& c, const Group& g, Collective kind,
                                  BytesOf<R> full_buffer) {
  if (g.ranks <= 1 || !(plain(full_buffer) > Bytes())) return {};
  const Fold f = fold(c, g, g.ranks);
  const Choice choice = fastest(c, g, f, kind, plain(full_buffer));
  if constexpr (std::same_as<R, double>) {
    CollectiveCost<R> cost = {choice.time, bytes_on_wire(kind, f.ranks, full_buffer),
                              choice.algorithm, static_cast<std::uint8_t>(f.outermost),
                              full_buffer};
    cost.sent = bytes_sent(choice.algorithm, kind, f.ranks, full_buffer);
    return cost;
  } else {
    // Only what was chosen is recorded.
    return collective_cost_by(choice.algorithm, c, g, kind, full_buffer);
  }
}

template CollectiveCost<double> collective_cost(const Cluster&, const Group&, Collective,
                                                BytesOf<double>);
template CollectiveCost<Traced> collective_cost(const Cluster&, const Group&, Collective,
                                                BytesOf<Traced>);
template CollectiveCost<double> collective_cost_by(Algorithm, const Cluster&, const Group&,
                                                   Collective, BytesOf<double>);
template CollectiveCost<Traced> collective_cost_by(Algorithm, const Cluster&, const Group&,
                                                   Collective, BytesOf<Traced>);

}  // namespace orrery
