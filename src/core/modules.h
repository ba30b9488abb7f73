// SPDX-License-Identifier: Apache-2.0
//
// The parts of a layer that selective recompute names, as Megatron-Core's `recompute_modules` does.
// A set of them is a ModuleMask. Full recompute is not a mask: it keeps only a layer's input.
// `mlp_act` is the activation of a dense MLP, as moe_act is that of experts: jax.checkpoint's
// policies save products alone (MaxText, remat_policy minimal). `attn_proj` is the product after
// attention with the residual stream that it makes, `qkv_proj` the one before attention with
// queries, keys and values: policies that save one of them by name. `alternate_products` is
// PyTorch's per-operator checkpointing as torchtitan sets it: of the matrix products every second
// result is kept (queries, values, the gate), attention's too, and the rest of the layer runs
// again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

enum class Module : std::uint8_t {
  core_attn,
  layernorm,
  mlp,
  moe_act,
  moe,
  mla_up_proj,
  alternate_products,
  mlp_act,
  attn_proj,
  qkv_proj,
};

constexpr EnumNames<Module> names_of(Module) {
  return {"core_attn",   "layernorm",          "mlp",     "moe_act",   "moe",
          "mla_up_proj", "alternate_products", "mlp_act", "attn_proj", "qkv_proj"};
}

using ModuleMask = std::uint16_t;

constexpr ModuleMask mask_of(Module m) {
  return static_cast<ModuleMask>(1U << static_cast<unsigned>(m));
}

template <class... Modules>
constexpr ModuleMask mask_of(Module first, Modules... rest) {
  return static_cast<ModuleMask>(mask_of(first) | mask_of(rest...));
}

}  // namespace orrery
