// SPDX-License-Identifier: Apache-2.0
//
// Sizes of single tensors that a run allocates, to say what an allocation that failed was for.
//
// Models: logits, attention scores of kernels that keep them, the hidden state and the MLP's
// columns of one micro batch, a rank's parameters and its shard of them in 2 and 4 bytes, the
// embedding, one layer's weights. Leaves out padding of the vocabulary, experts' tokens (their
// number is chance), adapters. PyTorch's allocator rounds what is 10 MiB or more up to 2 MiB
// (kMinLargeAlloc and kRoundLarge of pytorch/pytorch, CUDACachingAllocator), and so are these.
// Units: bytes of one rank. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

struct Run;

enum class TensorUse : std::uint8_t { loss, attention, activation, update, gathered };

struct KnownTensor {
  const char* what;
  TensorUse use;
  Bytes size{};
};

// The smallest first.
std::vector<KnownTensor> known_tensors(const Run& run);

// The tensors within a hundredth of what was asked for.
std::vector<KnownTensor> tensors_of_size(const Run& run, Bytes asked);

}  // namespace orrery
