// SPDX-License-Identifier: Apache-2.0
//
// The messages of one GPU in a step by size: the classes behind the lines of `communication`.
//
// The chain notes here each addition to an answer's lines, before lines of one dimension and
// collective are summed; nothing is priced a second time. The exposed time of messages under one
// pass is divided in proportion to their times, as in the lines. The classes of a line sum to the
// line, up to rounding. Leaves out control traffic (barriers, norms, found-inf flags) and traffic
// that the profile lacks. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "estimate/answer.h"

namespace orrery {

enum class BlockType : std::uint8_t;  // parallel/stages.h
enum class Phase : std::uint8_t;      // estimate/price.h

struct MessageClass {
  CommLine<double> line;        // the messages of this class alone
  Bytes message{};              // S of one, the full buffer (network/collective.h)
  std::uint64_t operators = 0;  // that exchange it, a bit each; 0: states or stage boundaries
};

using MessageLog = std::vector<MessageClass>;

// Joins the class of equal dimension, collective, ranks, tier, algorithm and size, if there is one.
void note(MessageLog& log, const MessageClass& c);

enum class ExchangeGroup : std::uint8_t;  // parallel/shard.h

CommDimension dimension_of(ExchangeGroup g);

// An exchange of a block for one micro batch, noted by price().
struct PricedExchange {
  BlockType block{};
  Phase phase{};
  ExchangeGroup group{};
  MessageClass each;  // its line belongs to one block and micro batch
};

struct Run;

// Runs the chain with a log; `answer` is that of estimate(). Ordered by dimension, collective and
// size, largest first.
MessageLog message_log(const Run& run, Answer& answer);

}  // namespace orrery
