// SPDX-License-Identifier: Apache-2.0
//
// How the loss is computed; model/layers/ends.cpp says what each way keeps and moves.
#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

// unfused: Megatron-LM's vocab_parallel_cross_entropy, cast to fp32
// first. fused: in one pass, keeping the fp32 softmax. recomputed: only a sum for each token is
// kept, and the softmax is computed again from the logits in backward (flash-attention's
// CrossEntropyLoss). loss-parallel: PyTorch's over a split vocabulary, operator by operator
// (torch.distributed.tensor.parallel). in-place: the gradient takes the place of the fp32 logits
// (Unsloth, fms-acceleration). chunked: the head's product and the loss in chunks of tokens, each
// of whose fp32 softmax PyTorch keeps for backward (torchtune's LinearCrossEntropyLoss).
// linear-fused: the same with the gradient of a chunk in its place, so that there are never all
// logits (Liger's fused_linear_cross_entropy, cut_cross_entropy).
enum class CrossEntropy : std::uint8_t {
  unfused,
  fused,
  recomputed,
  loss_parallel,
  in_place,
  chunked,
  linear_fused,
};
constexpr EnumNames<CrossEntropy> names_of(CrossEntropy) {
  return {"unfused", "fused", "recomputed", "loss-parallel", "in-place", "chunked", "linear-fused"};
}

}  // namespace orrery
