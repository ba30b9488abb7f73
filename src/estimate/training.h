// SPDX-License-Identifier: Apache-2.0
//
// The training of a resolved run: sequences, precision, states, optimizer, lengths of documents.
// Errors: none.
#pragma once

#include <cstdint>
#include <optional>

#include "core/precision.h"
#include "hardware/device.h"
#include "memory/optimizer.h"
#include "memory/recipe.h"
#include "model/adapter.h"
#include "model/documents.h"
#include "model/flops.h"
#include "parallel/outer_steps.h"

namespace orrery {

struct Training {
  std::int64_t sequence = 0;
  std::int64_t global_batch = 0;  // sequences
  std::int64_t tokens = 0;        // of the whole training; 0: not given
  Precision precision = Precision::bf16;
  StateRecipe recipe;
  Optimizer optimizer = Optimizer::adam;
  std::int64_t optimizer_rank = 128;  // GaLore's
  bool fused_attention = true;
  // Nothing: the first of the framework's that the device has.
  std::optional<AttentionKernel> attention_kernel;
  std::optional<Adapter> adapter;  // nothing: all weights train
  double expert_load = 1;          // of the fullest rank, over the mean
  SequenceLengths lengths;         // of packed documents; none: sequences are whole
  std::int64_t images = 0;         // of a sequence
  std::int64_t image_tokens = 0;   // of an image in the sequence
  OuterSteps outer;                // between sites
};

// The part of a step that model_flops() counts, of so many sequences. The adapter stays the
// training's own.
inline CountedStep counted(const Training& t, std::int64_t sequences) {
  return {t.sequence, sequences, t.adapter ? &*t.adapter : nullptr, t.lengths};
}

}  // namespace orrery
