// SPDX-License-Identifier: Apache-2.0
//
// Runs one step away from a run: one knob turned, everything that follows from it settled, the
// rules of parallel/rules.h kept.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "estimate/run.h"
#include "insight/advice.h"

namespace orrery {

// Turns one knob; false where it is at its end.
using Move = bool (*)(Run&);

namespace moves {
bool less_recompute(Run& r);
bool more_recompute(Run& r);
bool double_micro_batch(Run& r);
bool halve_micro_batch(Run& r);
bool double_tp(Run& r);
bool halve_tp(Run& r);
bool double_pp(Run& r);
bool halve_pp(Run& r);
bool double_cp(Run& r);
bool halve_cp(Run& r);
bool interleave(Run& r);
bool do_not_interleave(Run& r);
bool shard_more(Run& r);
bool shard_less(Run& r);
bool sequence_parallel(Run& r);
bool flash_attention(Run& r);
bool offload_optimizer(Run& r);
}  // namespace moves

inline constexpr std::array<Move, 17> kMoves = {
    moves::less_recompute,    moves::more_recompute,   moves::double_micro_batch,
    moves::halve_micro_batch, moves::double_tp,        moves::halve_tp,
    moves::double_pp,         moves::halve_pp,         moves::double_cp,
    moves::halve_cp,          moves::interleave,       moves::do_not_interleave,
    moves::shard_more,        moves::shard_less,       moves::sequence_parallel,
    moves::flash_attention,   moves::offload_optimizer};

// Applies the moves; false where one is at its end or the result is illegal.
bool make_neighbour(std::span<const Move> moves, Run& run);

// The keys of the run file in which two runs differ; what follows from others is left out. Of
// `parallel_keys`, those of the file, what would be refused beside the change follows it: modules
// of recompute that is no longer selective, layers of what is no longer full, old shard groups.
std::vector<Setting> differences(const Run& from, const Run& to,
                                 const std::vector<std::string>& parallel_keys);

}  // namespace orrery
