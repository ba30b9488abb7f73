// SPDX-License-Identifier: Apache-2.0
//
// The work of one stage over time, stream by stream, as spans to draw.
//
// Collectives inside a pass have no order: those of a stream are one span from the beginning of the
// pass, as long as the stream is busy in it, at most as long as the pass. Weights gathered and
// gradients reduced in every micro batch are such a span of `dp`; with --prefetch each is one of
// its own. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "core/enum_names.h"
#include "orrery/quantity.h"
#include "sim/streams.h"

namespace orrery {

struct Simulation;

enum class SpanKind : std::uint8_t {
  forward,
  backward,
  input_gradient,
  weight_gradient,
  pair,
  collectives,  // of a pass, on tp, cp, ep, dp or copy
  send,
  gather,
  reduce,
  shared_gradients,
  update,
  save,  // states copied to the host for a checkpoint
};
constexpr EnumNames<SpanKind> names_of(SpanKind) {
  return {"forward",     "backward",  "input gradient", "weight gradient",  "forward + backward",
          "collectives", "send",      "gather weights", "reduce gradients", "sum shared gradients",
          "update",      "checkpoint"};
}

struct Span {
  Seconds begin{};
  Seconds end{};
  SpanKind kind = SpanKind::forward;
  Stream stream = Stream::compute;
  bool forward = true;          // a send: of a forward result
  bool beside = false;          // a gather or reduction: hidden under a pass
  std::int32_t node = -1;       // the pass, or the pass it belongs to
  std::int32_t needed_by = -1;  // a send: the node that waits for it
  double share = 0;             // of the link out of the stage's unit, on average
  std::int32_t layer = -1;      // a gather or reduction of one layer in a pass
};

// In the order of the stage's passes.
std::vector<Span> spans_of_stage(const Simulation& s, std::size_t stage);

}  // namespace orrery
