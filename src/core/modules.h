// SPDX-License-Identifier: Apache-2.0
//
// The parts of a layer that selective recompute names, as Megatron-Core's `recompute_modules` does.
// A set of them is a ModuleMask. Full recompute is not a mask: it keeps only a layer's input.
// `mlp_act` is the activation of a dense MLP, as moe_act is that of experts: jax.checkpoint's
// policies save products alone (MaxText, remat_policy minimal). `alternate_products` is PyTorch's
// per-operator checkpointing as torchtitan sets it: of the matrix products every second result is
// kept (queries, values, the gate), attention's too, and the rest of the layer runs again.
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
};

constexpr EnumNames<Module> names_of(Module) {
  return {"core_attn",   "layernorm",          "mlp",    "moe_act", "moe",
          "mla_up_proj", "alternate_products", "mlp_act"};
}

using ModuleMask = std::uint8_t;

constexpr ModuleMask mask_of(Module m) {
  return static_cast<ModuleMask>(1U << static_cast<unsigned>(m));
}

template <class... Modules>
constexpr ModuleMask mask_of(Module first, Modules... rest) {
  return static_cast<ModuleMask>(mask_of(first) | mask_of(rest...));
}

}  // namespace orrery
