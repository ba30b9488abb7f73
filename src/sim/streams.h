// SPDX-License-Identifier: Apache-2.0
//
// Busy and exposed time of every stream of a stage in one step, and its waiting time.
//
// Busy is the time of the kernels or collectives themselves; exposed is the part of it during which
// the stage does nothing else. The exposed part of sends is measured: the time in which a stage
// stood still while its message was in flight. Other waiting is the bubble. Units: seconds of one
// rank of the stage. Errors: none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/enum_names.h"
#include "parallel/shard.h"
#include "parallel/stages.h"
#include "sim/step_clock.h"

namespace orrery {

enum class Stream : std::uint8_t { compute, tp, cp, ep, pp, dp, copy };
constexpr EnumNames<Stream> names_of(Stream) {
  return {"compute", "tp", "cp", "ep", "pp", "dp", "copy"};
}

struct StreamUse {
  Seconds busy{};
  Seconds exposed{};
};

// The part of a stream that runs beside compute.
inline Seconds hidden(const StreamUse& u) { return std::max(Seconds(), u.busy - u.exposed); }

using StreamUses = EnumArray<Stream, StreamUse>;

// Use of the streams by one micro batch in one cell.
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

// Gathers of sharded weights and reductions of gradients in a pass; the pass has the exposed time
// of all of them together.
using ShardMoves = std::vector<CommLine<double>>;

struct PassExchanges {
  std::vector<PassExchange> forward;
  std::vector<PassExchange> backward;
  ShardMoves forward_shards;
  ShardMoves backward_shards;
};

// The exchanges of these blocks in one micro batch; nothing else is filled in.
// `resharded` of the blocks shard their states otherwise than the run.
PassExchanges shard_moves(const Run& run, const Workspace& w, const BlockCounts& blocks,
                          const BlockCounts& resharded = {});

// By cell.
std::vector<PassExchanges> pass_exchanges(const Run& run, const Workspace& w, const StepPlan& plan);

struct StageUse {
  StreamUses streams{};
  Seconds first_pass{};  // begin of its first pass
  Seconds finished{};    // end of its last pass
  Seconds reduced{};
  Seconds end{};
  Seconds bubble{};  // it waits for other stages, sends not counted
  Seconds mates{};   // inside its passes it waits for a slower GPU that it exchanges data with
};

// By cell, exposed as the passes of `plan` have it; `w` holds the prices of `run`.
std::vector<PassUse> pass_uses(const Run& run, const Workspace& w, const StepPlan& plan);

// One entry a stage. `times` holds the passes of at least one replica; the first one is used.
std::vector<StageUse> stage_uses(const StepPlan& plan, const std::vector<PassUse>& passes,
                                 const PassGraph& graph, const StepClock& times);

}  // namespace orrery
