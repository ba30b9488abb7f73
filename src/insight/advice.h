// SPDX-License-Identifier: Apache-2.0
//
// Single changes of a run that would help: changes that fit if the run does not, faster ones if it
// does.
//
// Tries a fixed list of neighbours (recompute, micro batch, tp, pp, vpp, cp, ZeRO, sharding within
// a node, sequence parallelism, FlashAttention, offload of optimizer, parameters, activations),
// keeps the GPUs and the global batch, lets dp take what is left, settles recompute anew where the
// run file leaves it open (and holds full recompute where what is settled does not fit), and
// estimates each legal one that the framework can run (`runs` of its profile); where no single
// change fits, pairs. Two ways to one run are named once. A change that is faster by less than what
// a prediction tells apart (the band of explore/recommend.h) is not named. It is no search: what is
// two changes away and merely faster is not seen. Keys of the run file that cannot stand beside a
// change are named with it: who follows an advice gets the promised numbers to the digit. Errors:
// none.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "estimate/estimate.h"
#include "insight/settings.h"

namespace orrery {

struct Run;

struct ResolvedRun;

struct Advice {
  std::vector<Setting> settings;
  bool fits = false;  // as surely as the run asks (estimate/risk.h)
  Seconds step_time{};
  Bytes peak{};
  Bytes host{};  // a node's memory that it needs
  double fit_probability = 0;
};

inline constexpr std::size_t kMostAdvice = 3;

// Best first. If a run does not fit and no listed change makes it fit as surely as the run asks:
// those that need the least of the memory that is short, the device's or the host's.
std::vector<Advice> advise(const ResolvedRun& run, const Answer& answer);

// The first that fits as surely as the run asks; nullptr where none does.
const Advice* first_that_fits(const std::vector<Advice>& advice);

// Turns one knob; false where it is at its end.
using Move = bool (*)(Run&);

namespace moves {
bool less_recompute(Run& r);
bool more_recompute(Run& r);
bool least_recompute(Run& r);
bool most_recompute(Run& r);
bool double_micro_batch(Run& r);
bool halve_micro_batch(Run& r);
bool double_tp(Run& r);
bool halve_tp(Run& r);
bool double_pp(Run& r);
bool halve_pp(Run& r);
bool double_cp(Run& r);
bool halve_cp(Run& r);
bool spread_sequence(Run& r);
bool interleave(Run& r);
bool do_not_interleave(Run& r);
bool shard_more(Run& r);
bool shard_less(Run& r);
bool shard_weights(Run& r);
bool replicate_weights(Run& r);
bool replicate_states(Run& r);
bool shard_in_node(Run& r);
bool sequence_parallel(Run& r);
bool flash_attention(Run& r);
bool offload_optimizer(Run& r);
bool offload_parameters(Run& r);
bool offload_activations(Run& r);
}  // namespace moves

inline constexpr std::array<Move, 26> kMoves = {
    moves::less_recompute,     moves::more_recompute,     moves::least_recompute,
    moves::most_recompute,     moves::double_micro_batch, moves::halve_micro_batch,
    moves::double_tp,          moves::halve_tp,           moves::double_pp,
    moves::halve_pp,           moves::double_cp,          moves::halve_cp,
    moves::spread_sequence,    moves::shard_in_node,      moves::interleave,
    moves::do_not_interleave,  moves::shard_more,         moves::shard_less,
    moves::shard_weights,      moves::replicate_weights,  moves::replicate_states,
    moves::sequence_parallel,  moves::flash_attention,    moves::offload_optimizer,
    moves::offload_parameters, moves::offload_activations};

// Applies the moves; false where one is at its end or the result is illegal.
bool make_neighbour(std::span<const Move> moves, Run& run);

}  // namespace orrery
