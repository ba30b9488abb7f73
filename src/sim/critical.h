// SPDX-License-Identifier: Apache-2.0
//
// The critical path: the chain of passes, messages and collectives that ends with the step, and the
// gain from shortening each kind of work.
//
// The chain is walked back from the end: a pass follows the message it waited for, or the pass
// before it on its stage. A gain is not read off the chain: the step is computed again with the
// work shorter, so the next critical work counts. Gains leave out contention and slow parts. Units:
// seconds. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "core/enum_names.h"
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
  wait,   // the stage waits for its own send
  save,   // a checkpoint: training stands still, or the update waits for the copy
  begin,  // without a common end of step: the chain begins this much later than its last stage
};

constexpr EnumNames<LinkOfChain> names_of(LinkOfChain) {
  return {"gather weights",       "forward",         "backward",
          "send forward",         "send backward",   "reduce gradients",
          "sum shared gradients", "update",          "gather weights",
          "fixed costs",          "wait for a send", "checkpoint",
          "begin of the stage"};
}

struct ChainItem {
  LinkOfChain kind = LinkOfChain::forward;
  std::int64_t stage = -1;  // for a send its sender; −1: all stages
  std::int64_t count = 0;
  Seconds time{};
};

// In the order of first appearance on the chain.
std::vector<ChainItem> critical_chain(const StepPlan& plan, const PassGraph& graph,
                                      const StepClock& times);

enum class Shortened : std::uint8_t {
  compute,
  recompute,
  tp,
  cp,
  ep,
  sharding,  // gathers and reductions of sharded states in every micro batch
  offload,
  sends,
  reduction,
  gather,
  update,
  shared_gradients,
  overhead,
  checkpoint,
};
constexpr EnumNames<Shortened> names_of(Shortened) {
  return {"compute",          "recompute",        "tensor parallel",
          "context parallel", "expert parallel",  "sharded states",
          "offload",          "pipeline sends",   "gradient reduction",
          "weight gather",    "optimizer update", "shared gradients",
          "fixed costs",      "checkpoint"};
}

struct Gain {
  Shortened what = Shortened::compute;
  Seconds tenth{};  // gain of the step if `what` takes 10 % less time
  Seconds all{};    // gain if it takes no time
};

// Positive gains only, the largest first.
std::vector<Gain> gains(const StepPlan& plan, const PassGraph& graph, const Effects& effects);

}  // namespace orrery
