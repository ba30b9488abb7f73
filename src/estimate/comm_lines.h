// SPDX-License-Identifier: Apache-2.0
//
// Gathers what a GPU sends in one step into one line a dimension and collective.
#pragma once

#include "estimate/answer.h"
#include "network/collective_cost.h"

namespace orrery {

template <Number R>
struct CommEntry {
  CommDimension dimension = CommDimension::tp;
  Collective collective = Collective::all_reduce;
  Algorithm algorithm = Algorithm::none;
  std::uint8_t tier = 0;
  std::int64_t ranks = 1;
  std::int64_t count = 0;
  BytesOf<R> bytes{};  // of all `count`
  SecondsOf<R> time{};
  SecondsOf<R> exposed{};
};

template <Number R>
void add_line(AnswerOf<R>& answer, const CommEntry<R>& e) {
  if (e.count == 0 || e.ranks <= 1) return;
  std::uint8_t i = 0;
  const auto is_it = [&](const CommLine<R>& l) {
    return l.dimension == e.dimension && l.collective == e.collective && l.ranks == e.ranks &&
           l.tier == e.tier;
  };
  while (i < answer.comm_count && !is_it(answer.comm[i])) ++i;
  if (i == kMaxCommLines) --i;  // cannot happen: fewer combinations exist than lines
  CommLine<R>& line = answer.comm[i];
  if (i == answer.comm_count) {
    ++answer.comm_count;
    line.dimension = e.dimension;
    line.collective = e.collective;
    line.algorithm = e.algorithm;
    line.tier = e.tier;
    line.ranks = e.ranks;
  }
  line.count += e.count;
  line.bytes += e.bytes;
  line.time += e.time;
  line.exposed += e.exposed;
}

// `count` times one collective of which `exposed` in all stays uncovered.
template <Number R>
CommEntry<R> entry_of(CommDimension dimension, Collective collective, const CollectiveCost<R>& cost,
                      std::int64_t ranks, std::int64_t count, SecondsOf<R> exposed) {
  const R n = R(static_cast<double>(count));
  return {dimension, collective, cost.algorithm,          cost.tier,
          ranks,     count,      cost.bytes_per_rank * n, cost.time * n,
          exposed};
}

}  // namespace orrery
