// SPDX-License-Identifier: Apache-2.0
//
// What one GPU sends in a step, message size by message size: the classes behind the lines of
// `communication`.
//
// The chain notes here what it adds to an answer's lines, before lines of one dimension and
// collective are summed; nothing is priced a second time. What shows of messages that run under one
// pass is shared out by their times, as the lines do. Sums over the classes of a line are the
// line's but for rounding. Leaves out control traffic (barriers, norms, found-inf flags) and what
// the profile does not send. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/answer.h"

namespace orrery {

struct MessageClass {
  CommLine<double> line;        // of the messages of this class alone
  Bytes message{};              // S of one, the full buffer (network/collective.h)
  std::uint64_t operators = 0;  // that exchange it, bit by OpName; 0: states or stage boundaries
};

using MessageLog = std::vector<MessageClass>;

// Joins the class of equal dimension, collective, ranks, tier, algorithm and size, if there is one.
void note(MessageLog& log, const MessageClass& c);

// An exchange of a block, for one micro batch, as price() met it.
struct PricedExchange {
  std::size_t block = 0;
  std::size_t phase = 0;
  MessageClass each;  // its line is of one block and micro batch
};

struct Run;

// Runs the chain with a log; `answer` is what estimate() gives. Ordered by dimension, collective
// and size, largest first.
MessageLog message_log(const Run& run, Answer& answer);

}  // namespace orrery
