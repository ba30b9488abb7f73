// SPDX-License-Identifier: Apache-2.0
//
// Training of a few weights beside a frozen model: which products carry low-rank matrices, what
// else trains, and how the frozen weights are stored.
//
// LoRA (arXiv:2106.09685) adds B·A of rank r to a weight; QLoRA (arXiv:2305.14314) stores that
// weight in 4 bits; DoRA (arXiv:2402.09353) trains its magnitude besides, and for that computes the
// norm of W + BA in every forward pass. Bytes of packed formats: bitsandbytes, functional.py:
// blocks of 64 with an fp32 scale, or with 8-bit scales that share an fp32 one of 256. Before its
// release 0.43.2 a product with a packed weight kept its input, which nothing reads (bitsandbytes
// PR 1270). PEFT's prepare_model_for_kbit_training makes all weights besides packed ones fp32
// (peft/utils/other.py), and so the activations that they make. Experts have
// matrices of their own each. Leaves out: scales of int8 rows; reductions of the gradients of
// matrices that tensor parallelism replicates.
#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

enum class AdapterKind : std::uint8_t { lora, qlora, dora, frozen };
constexpr EnumNames<AdapterKind> names_of(AdapterKind) {
  return {"lora", "qlora", "dora", "frozen"};
}

// Matrices of a layer that adapters stand beside. `qkv` and `gate_up` are one adapter for a fused
// projection, where the others are one each. The last three are those of diffusion transformers
// alone: the product of a sample's vector (adaLN), and of a layer whose attention and MLP run side
// by side the MLP's part of the first product and the product that ends both (FLUX's proj_mlp and
// proj_out).
enum class AdapterTarget : std::uint8_t {
  query,
  key,
  value,
  qkv,
  output,
  gate,
  up,
  gate_up,
  down,
  head,
  modulation,
  parallel_up,
  parallel_down,
};
constexpr EnumNames<AdapterTarget> names_of(AdapterTarget) {
  return {"query",   "key",  "value", "qkv",        "output",      "gate",         "up",
          "gate_up", "down", "head",  "modulation", "parallel_up", "parallel_down"};
}

// Parts of the model that train beside the adapter.
enum class TrainedPart : std::uint8_t { embedding, head, norms };
constexpr EnumNames<TrainedPart> names_of(TrainedPart) { return {"embedding", "head", "norms"}; }

// How the frozen weights of linear layers are stored; all others are kept in 16 bits, in fp32 with
// it, or as the next says.
enum class BaseFormat : std::uint8_t { fp32, half, fp8, int8, nf4 };
constexpr EnumNames<BaseFormat> names_of(BaseFormat) {
  return {"fp32", "16bit", "fp8", "int8", "nf4"};
}

// How adapters are stored, and what their inputs are cast to; how weights besides those of linear
// layers are.
enum class AdapterFormat : std::uint8_t { fp32, half };
constexpr EnumNames<AdapterFormat> names_of(AdapterFormat) { return {"fp32", "16bit"}; }
constexpr double bytes_of(AdapterFormat f) { return f == AdapterFormat::fp32 ? 4 : 2; }

using TargetMask = std::uint16_t;
using PartMask = std::uint8_t;

constexpr TargetMask mask_of(AdapterTarget t) {
  return static_cast<TargetMask>(1U << static_cast<unsigned>(t));
}
template <class... Targets>
constexpr TargetMask mask_of(AdapterTarget first, Targets... rest) {
  return static_cast<TargetMask>(mask_of(first) | mask_of(rest...));
}
constexpr PartMask mask_of(TrainedPart p) {
  return static_cast<PartMask>(1U << static_cast<unsigned>(p));
}

inline constexpr TargetMask kEveryLinear =
    mask_of(AdapterTarget::query, AdapterTarget::key, AdapterTarget::value, AdapterTarget::output,
            AdapterTarget::gate, AdapterTarget::up, AdapterTarget::down);

struct Adapter {
  AdapterKind kind = AdapterKind::lora;
  std::int64_t rank = 16;
  TargetMask targets = kEveryLinear;
  PartMask trained = 0;
  BaseFormat base = BaseFormat::half;
  bool double_quantisation = true;  // of the scales of nf4
  AdapterFormat precision = AdapterFormat::half;
  bool dropout = false;                        // on the input of every adapter
  AdapterFormat others = AdapterFormat::half;  // weights besides packed ones
  bool keeps_inputs = false;                   // of products with packed weights

  bool operator==(const Adapter&) const = default;
};

constexpr bool trains(const Adapter& a, TrainedPart p) { return (a.trained & mask_of(p)) != 0; }
constexpr bool adapts(const Adapter& a, TargetMask targets) {
  return a.kind != AdapterKind::frozen && (a.targets & targets) != 0;
}

// True if a weight is stored in a form that no product reads.
constexpr bool is_packed(BaseFormat f) { return f > BaseFormat::half; }

// Bytes of a frozen weight: of a linear layer, and of any other.
constexpr double linear_bytes(const Adapter& a) {
  constexpr double kBlock = 64;
  constexpr double kScalesOfBlock = 256;
  switch (a.base) {
    case BaseFormat::fp32:
      return 4;
    case BaseFormat::half:
      return 2;
    case BaseFormat::fp8:
    case BaseFormat::int8:
      return 1;
    case BaseFormat::nf4:
      return 0.5 + (a.double_quantisation ? (1 + 4 / kScalesOfBlock) / kBlock : 4 / kBlock);
  }
  return 2;
}
constexpr double other_bytes(const Adapter& a) {
  return a.base == BaseFormat::fp32 ? 4 : bytes_of(a.others);
}

}  // namespace orrery
