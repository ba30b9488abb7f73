// SPDX-License-Identifier: Apache-2.0
//
// The training of a resolved run: sequences, precision, states, optimizer, lengths of documents,
// how rarely several sites agree.
//
// Each site trains with its own share of the replicas; every H steps the sites sum what changed
// since the last time, over the links between them (local SGD, DiLoCo, arXiv:2311.08105; H = 1 is
// plain data parallelism across sites). Streaming sends the parameters in P fragments, each beside
// τ steps of training (arXiv:2501.18512). Leaves out: convergence, sites of different speed or
// rate, pipelines across sites. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <optional>

#include "core/enum_names.h"
#include "core/precision.h"
#include "hardware/device.h"
#include "memory/optimizer.h"
#include "memory/recipe.h"
#include "model/adapter.h"
#include "model/documents.h"
#include "model/flops.h"

namespace orrery {

// Where the outer copy and its momentum are: on the device they are sharded as the optimizer's
// states, on the host they are not counted.
enum class OuterPlace : std::uint8_t { host, device };
constexpr EnumNames<OuterPlace> names_of(OuterPlace) { return {"host", "device"}; }

// Where a moving average of the weights is (EMA); on the host it is not counted. It is a copy of
// the model in fp32 (facebookresearch/DiT, train.py@ed81ce22): 4 bytes a parameter.
enum class EmaPlace : std::uint8_t { none, device, host };
constexpr EnumNames<EmaPlace> names_of(EmaPlace) { return {"none", "device", "host"}; }
inline constexpr double kEmaBytes = 4;

// The logits of CLIP's loss that a rank computes: of its own samples against all, or of all against
// all, as every other rank does (mlfoundations/open_clip@00aa464c, loss.py: local_loss, or not).
enum class PairLogits : std::uint8_t { local, global };
constexpr EnumNames<PairLogits> names_of(PairLogits) { return {"local", "global"}; }

struct OuterSteps {
  std::int64_t every = 1;      // H, inner steps
  std::int64_t bits = 32;      // of a parameter's outer gradient on the wire
  std::int64_t fragments = 1;  // P
  double overlap = 0;          // τ, inner steps that hide a fragment's exchange
  OuterPlace states = OuterPlace::host;

  bool operator==(const OuterSteps&) const = default;
};

// Outer copy and Nesterov momentum in fp32 (arXiv:2311.08105, algorithm 1).
inline constexpr double kOuterStateBytes = 8;

struct Training {
  std::int64_t sequence = 0;
  std::int64_t global_batch = 0;  // sequences
  std::int64_t tokens = 0;        // of the whole training; 0: not given
  Precision precision = Precision::bf16;
  StateRecipe recipe;
  Optimizer optimizer = Optimizer::adam;
  std::int64_t optimizer_rank = 128;  // GaLore's
  bool fused_attention = true;
  // Nothing: the first of the framework's that is made for the device, else that it has.
  std::optional<AttentionKernel> attention_kernel;
  std::optional<Adapter> adapter;  // nothing: all weights train
  double expert_load = 1;          // of the fullest rank, over the mean
  SequenceLengths lengths;         // of packed documents; none: sequences are whole
  Buckets buckets;                 // of samples; `sequence` is then the mean
  std::int64_t images = 0;         // of a sequence
  std::int64_t image_tokens = 0;   // of an image in the sequence
  EmaPlace ema = EmaPlace::none;
  OuterSteps outer;  // between sites
};

// The part of a step that model_flops() counts, of so many sequences. The adapter stays the
// training's own.
inline CountedStep counted(const Training& t, std::int64_t sequences) {
  return {t.sequence, sequences, t.adapter ? &*t.adapter : nullptr, t.lengths, &t.buckets};
}

// Samples of a step: fewer or more than global_batch where buckets have micro batches of their own.
inline double samples_of_step(const Training& t) {
  return static_cast<double>(t.global_batch) * samples_factor(t.buckets);
}

}  // namespace orrery
