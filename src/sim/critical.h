// SPDX-License-Identifier: Apache-2.0
//
// The chain of passes, messages and collectives that sets the step, and what shortening each kind
// of thing would give.
//
// The chain is walked back from the end: a pass follows the message it waited for, or the pass
// before it on its stage. A gain is no guess from the chain: the step is swept again with the thing
// shorter, so it counts what becomes critical instead. Leaves contention out of the gains. Units:
// seconds.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/sweep_step.h"

namespace orrery {

enum class LinkOfChain : std::uint8_t {
  gather,  // weights, before the first pass
  forward,
  backward,
  send_forward,
  send_backward,
  reduction,
  shared_gradients,  // with the stage that holds the same parameters
  update,
  gather_after,
  overhead,
  wait,   // for a send of its own that holds the stage up
  save,   // a checkpoint: training stands still, or the update waits for the copy
  begin,  // where stages go on by themselves: how much later the chain begins than its end's stage
};

inline constexpr std::array<std::string_view, 13> kLinkOfChainNames = {
    "gather weights",       "forward",         "backward",
    "send forward",         "send backward",   "reduce gradients",
    "sum shared gradients", "update",          "gather weights",
    "fixed costs",          "wait for a send", "checkpoint",
    "begin of the stage"};

struct ChainItem {
  LinkOfChain kind = LinkOfChain::forward;
  std::int64_t stage = -1;  // of a send: the sender; −1: of all
  std::int64_t count = 0;
  Seconds time{};
};

// In the order in which each kind first stands on the chain.
std::vector<ChainItem> critical_chain(const StepPlan& plan, const PassGraph& graph,
                                      const StepClock& times);

enum class Shortened : std::uint8_t {
  compute,
  recompute,
  tp,
  cp,
  ep,
  sharding,  // what sharded weights and gradients move in every micro batch
  offload,
  sends,
  reduction,
  gather,
  update,
  shared_gradients,
  overhead,
  checkpoint,
};
inline constexpr std::array<std::string_view, 14> kShortenedNames = {
    "compute",          "recompute",        "tensor parallel",
    "context parallel", "expert parallel",  "sharded states",
    "offload",          "pipeline sends",   "gradient reduction",
    "weight gather",    "optimizer update", "shared gradients",
    "fixed costs",      "checkpoint"};

struct Gain {
  Shortened what = Shortened::compute;
  Seconds tenth{};  // the step is shorter by this where `what` takes 10 % less
  Seconds all{};    // and where it takes no time
};

// Those that give something, the largest first.
std::vector<Gain> gains(const StepPlan& plan, const PassGraph& graph, const Effects& effects);

}  // namespace orrery
