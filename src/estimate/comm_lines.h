// SPDX-License-Identifier: Apache-2.0
//
// Gathers what a GPU sends in one step into one line a dimension and collective, and, where someone
// asks, into a log of message sizes. Errors: none.
#pragma once

#include "core/traced.h"
#include "estimate/messages.h"
#include "network/collective_cost.h"

namespace orrery {

template <Number R>
bool is_same_line(const CommLine<R>& a, const CommLine<R>& b) {
  return a.dimension == b.dimension && a.collective == b.collective && a.ranks == b.ranks &&
         a.tier == b.tier;
}

template <Number R>
void add_up(CommLine<R>& line, const CommLine<R>& e) {
  line.count += e.count;
  line.bytes += e.bytes;
  line.uncompressed += e.uncompressed;
  line.time += e.time;
  line.codec += e.codec;
  line.sent += e.sent;
  line.exposed += e.exposed;
}

template <Number R>
void add_line(AnswerOf<R>& answer, const CommLine<R>& e) {
  if (e.count == 0 || e.ranks <= 1) return;
  std::uint8_t i = 0;
  while (i < answer.comm_count && !is_same_line(answer.comm[i], e)) ++i;
  if (i == kMaxCommLines) --i;  // cannot happen: fewer combinations exist than lines
  CommLine<R>& line = answer.comm[i];
  if (i == answer.comm_count) {
    ++answer.comm_count;
    line = e;
    return;
  }
  add_up(line, e);
}

// The lines of an answer; `log` is there only where message sizes are asked for.
template <Number R>
struct CommSink {
  AnswerOf<R>& answer;
  MessageLog* log = nullptr;
};

inline void note_line(MessageLog* log, const CommLine<double>& e, Bytes message) {
  if (log != nullptr) note(*log, {e, message, 0});
}
inline void note_line(MessageLog* /*log*/, const CommLine<Traced>& /*e*/,
                      BytesOf<Traced> /*message*/) {}

// `message`: S of each of the messages of the line.
template <Number R>
void add_line(const CommSink<R>& sink, const CommLine<R>& e, BytesOf<R> message) {
  add_line(sink.answer, e);
  note_line(sink.log, e, message);
}

// `count` times one collective of which `exposed` in all stays uncovered.
template <Number R>
CommLine<R> entry_of(CommDimension dimension, Collective collective, const CollectiveCost<R>& cost,
                     std::int64_t ranks, std::int64_t count, SecondsOf<R> exposed) {
  const R n = R(static_cast<double>(count));
  const BytesOf<R> bytes = cost.bytes_per_rank * n;
  return {dimension,      collective,   cost.algorithm, cost.tier, ranks,
          count,          bytes,        cost.time * n,  exposed,   bytes * R(cost.ratio),
          cost.codec * n, cost.sent * n};
}

}  // namespace orrery
