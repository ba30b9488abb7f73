// SPDX-License-Identifier: Apache-2.0
//
// The choices that a strategy is made of: names and small values, apart from the strategy that
// holds them (parallel/strategy.h), so that a new field of a run leaves alone who knows names only.
// Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"
#include "core/modules.h"

namespace orrery {

enum class ContextType : std::uint8_t { p2p, all_gather, a2a };
constexpr EnumNames<ContextType> names_of(ContextType) { return {"p2p", "all_gather", "a2a"}; }

// How layers are spread over the pipeline's chunks where none says how many
// (parallel/layer_split.h).
enum class LayerSplit : std::uint8_t { even, ends_as_layers, by_cost };
constexpr EnumNames<LayerSplit> names_of(LayerSplit) {
  return {"even", "ends_as_layers", "by_cost"};
}

enum class Recompute : std::uint8_t { none, selective, full };
constexpr EnumNames<Recompute> names_of(Recompute) { return {"none", "selective", "full"}; }

// Full recompute, Megatron's words: `uniform` keeps the input of every group of n layers, `block`
// recomputes the first n layers of a stage and keeps the rest whole.
enum class RecomputeMethod : std::uint8_t { uniform, block };
constexpr EnumNames<RecomputeMethod> names_of(RecomputeMethod) { return {"uniform", "block"}; }

// The choices that a framework may have: the kinds, and full recompute of some layers.
enum class RecomputeChoice : std::uint8_t { none, selective, full, layers };
constexpr EnumNames<RecomputeChoice> names_of(RecomputeChoice) {
  return {"none", "selective", "full", "layers"};
}
using RecomputeMask = std::uint8_t;
constexpr RecomputeMask mask_of(RecomputeChoice c) {
  return static_cast<RecomputeMask>(1U << static_cast<unsigned>(c));
}
inline constexpr RecomputeMask kAnyRecompute = (1U << kCountOf<RecomputeChoice>)-1;

enum class ScheduleId : std::uint8_t {
  gpipe,
  one_f_one_b,
  interleaved,
  deepspeed,
  zb_h1,
  zb_h2,
  zb_v,
  v_half,
  v_min,
  dualpipe,
  dualpipev,
  breadth_first,
  own,  // of a file: the run has the order (estimate/run.h)
};
constexpr EnumNames<ScheduleId> names_of(ScheduleId) {
  return {"gpipe",  "1f1b",  "interleaved", "deepspeed", "zb-h1",         "zb-h2", "zb-v",
          "v-half", "v-min", "dualpipe",    "dualpipev", "breadth-first", "a file"};
}
inline constexpr auto kNamedSchedules = static_cast<std::size_t>(ScheduleId::own);

enum class OffloadTarget : std::uint8_t { none, host, nvme };
constexpr EnumNames<OffloadTarget> names_of(OffloadTarget) { return {"none", "host", "nvme"}; }

// The place that holds the bytes of a target, and lies on their way behind the device's host link.
struct OffloadPlace {
  bool host_memory = false;
  bool drives = false;
};
inline constexpr EnumArray<OffloadTarget, OffloadPlace> kOffloadPlaces = {
    OffloadPlace{}, OffloadPlace{.host_memory = true}, OffloadPlace{.drives = true}};

// Saved tensors of a layer by the part that reads them, as Megatron-Core's offload_modules names
// them; mlp_act is that of a dense MLP. In MaxText's words: decoder_layer_input, (the input of Q,
// K, V), Q with K and V, the context, out_proj, mlpwi, (tokens at their experts), moe_mlpwi.
enum class OffloadTensor : std::uint8_t {
  attn_norm,
  qkv_linear,
  core_attn,
  attn_proj,
  mlp_norm,
  mlp_act,
  expert_fc1,
  moe_act,
};
constexpr EnumNames<OffloadTensor> names_of(OffloadTensor) {
  return {"attn_norm", "qkv_linear", "core_attn",  "attn_proj",
          "mlp_norm",  "mlp_act",    "expert_fc1", "moe_act"};
}
using TensorMask = std::uint8_t;
constexpr TensorMask mask_of(OffloadTensor t) {
  return static_cast<TensorMask>(1U << static_cast<unsigned>(t));
}

// The place of a kind of tensor while it is not needed, and the share that is there.
struct Offload {
  OffloadTarget optimizer = OffloadTarget::none;
  OffloadTarget parameters = OffloadTarget::none;
  OffloadTarget activations = OffloadTarget::none;
  double optimizer_fraction = 1.0;    // of the optimizer states, 0 to 1
  double activations_fraction = 1.0;  // of the layers whose activations move
  TensorMask tensors = 0;             // of activations; 0: all

  bool operator==(const Offload&) const = default;
};

constexpr bool offloads_to(const Offload& o, bool OffloadPlace::*place) {
  return kOffloadPlaces[o.optimizer].*place || kOffloadPlaces[o.parameters].*place ||
         kOffloadPlaces[o.activations].*place;
}

// The order in which ranks are numbered, fastest first.
enum class Dim : std::uint8_t { tp, cp, ep, dp, pp };
constexpr EnumNames<Dim> names_of(Dim) { return {"tp", "cp", "ep", "dp", "pp"}; }
using RankOrder = std::array<Dim, 5>;
inline constexpr RankOrder kDefaultOrder = {Dim::tp, Dim::cp, Dim::ep, Dim::dp, Dim::pp};

inline constexpr std::int64_t kMaxStages = 1024;

// Ranks over which weights, gradients and optimizer states are each sharded, a divisor of dp·cp:
// ZeRO 0 (1,1,1), 1 (1,1,n), 2 (1,n,n), 3 (n,n,n); HSDP and MiCS n < dp·cp; any other triple too.
struct Partition {
  std::int64_t weights = 1;
  std::int64_t gradients = 1;
  std::int64_t optimizer = 1;

  bool operator==(const Partition&) const = default;
};

// The stage of ZeRO nearest to a partition.
constexpr std::int64_t nearest_zero(const Partition& p) {
  return p.weights > 1 ? 3 : p.gradients > 1 ? 2 : p.optimizer > 1 ? 1 : 0;
}

// ZeRO++ (arXiv:2306.10209), three switches: qwZ sends gathered weights in few bits, hpZ keeps a
// second copy of them sharded over few ranks for the gather of backward, qgZ reduces gradients by
// all-to-alls in few bits, first inside nodes, then between them. 0: off.
struct ZeroPlusPlus {
  std::int64_t qwz = 0;  // bits of an element
  std::int64_t hpz = 0;  // ranks of a copy
  std::int64_t qgz = 0;  // bits of an element

  bool operator==(const ZeroPlusPlus&) const = default;
};

}  // namespace orrery
