// SPDX-License-Identifier: Apache-2.0
//
// What every stream of a stage does in one step: busy, exposed, and what the stage waits.
//
// Busy is the time of the kernels or collectives themselves; exposed is the part of it during which
// the stage does nothing else. Of sends the exposed part is measured: the time a stage stood still
// while what it waited for was on its way. What it waits beyond that is the bubble. Units: seconds
// of one rank of the stage.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/step_clock.h"

namespace orrery {

enum class Stream : std::uint8_t { compute, tp, cp, ep, pp, dp, copy };
inline constexpr std::size_t kStreams = 7;
inline constexpr std::array<std::string_view, kStreams> kStreamNames = {
    "compute", "tp", "cp", "ep", "pp", "dp", "copy"};

struct StreamUse {
  Seconds busy{};
  Seconds exposed{};
};

// Of a stream, what runs beside compute.
inline Seconds hidden(const StreamUse& u) { return std::max(Seconds(), u.busy - u.exposed); }

using StreamUses = std::array<StreamUse, kStreams>;

// Of one micro batch through one cell.
struct PassUse {
  StreamUses forward{};
  StreamUses backward{};
};

// Exchanges of one kind over one group in a pass, all together.
struct PassExchange {
  ExchangeGroup group = ExchangeGroup::tp;
  Collective collective = Collective::all_reduce;
  std::int64_t ranks = 1;
  Bytes bytes{};  // put on the wire by one rank
  Seconds time{};
  Seconds exposed{};
};

// Gathers of sharded weights and reductions of gradients in a pass; which of it is exposed the pass
// says as a whole.
using ShardMoves = std::vector<CommLine<double>>;

struct PassExchanges {
  std::vector<PassExchange> forward;
  std::vector<PassExchange> backward;
  ShardMoves forward_shards;
  ShardMoves backward_shards;
};

// Those of these blocks in one micro batch; nothing else is filled in.
PassExchanges shard_moves(const Run& run, const Workspace& w, const BlockCounts& blocks);

// By cell.
std::vector<PassExchanges> pass_exchanges(const Run& run, const Workspace& w, const StepPlan& plan);

struct StageUse {
  StreamUses streams{};
  Seconds first_pass{};  // when it begins
  Seconds finished{};    // its last pass
  Seconds reduced{};
  Seconds end{};
  Seconds bubble{};  // it waits for other stages, sends not counted
};

inline StreamUse& at(StageUse& s, Stream i) { return s.streams[static_cast<std::size_t>(i)]; }
inline const StreamUse& at(const StageUse& s, Stream i) {
  return s.streams[static_cast<std::size_t>(i)];
}

// By cell. Busy time of `dp` is not here: it is known by stage.
std::vector<PassUse> pass_uses(const Run& run, const Workspace& w, const StepPlan& plan);

// One entry a stage. `times` holds the passes of one replica at least; the first is looked at.
std::vector<StageUse> stage_uses(const Run& run, const Workspace& w, const StepPlan& plan,
                                 const std::vector<PassUse>& passes, const PassGraph& graph,
                                 const StepClock& times);

}  // namespace orrery
