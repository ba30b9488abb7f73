// SPDX-License-Identifier: Apache-2.0
//
// Gathers what a GPU sends in one step into one line a dimension and collective.
#pragma once

#include "estimate/answer.h"
#include "network/collective_cost.h"

namespace orrery {

template <Number R>
void add_line(AnswerOf<R>& answer, const CommLine<R>& e) {
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
    line = e;
    return;
  }
  line.count += e.count;
  line.bytes += e.bytes;
  line.time += e.time;
  line.exposed += e.exposed;
}

// `count` times one collective of which `exposed` in all stays uncovered.
template <Number R>
CommLine<R> entry_of(CommDimension dimension, Collective collective, const CollectiveCost<R>& cost,
                     std::int64_t ranks, std::int64_t count, SecondsOf<R> exposed) {
  const R n = R(static_cast<double>(count));
  return {dimension, collective, cost.algorithm,          cost.tier,
          ranks,     count,      cost.bytes_per_rank * n, cost.time * n,
          exposed};
}

}  // namespace orrery
