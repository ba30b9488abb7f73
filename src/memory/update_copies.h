// SPDX-License-Identifier: Apache-2.0
//
// Copies that the optimizer's step makes beside the states, while no activation is there.
//
// torch.optim.AdamW updates all tensors at once by lists (foreach), and one list of temporaries has
// the size of a moment (torch/optim/adam.py, _multi_tensor_adam); fused kernels make none.
// Optimizers of others loop over tensors (transformers/optimization.py, Adafactor.step;
// KellerJordan/Muon, muon.py): theirs has the size of one. DeepSpeed casts a rank's share of the
// gradients to fp32 before that: ZeRO 1 and 2 flatten the averaged gradients first and free them
// before the update (runtime/zero/stage_1_and_2.py, step), ZeRO 3 casts one sub-group after another
// from a buffer that stays (stage3.py, step). Leaves out groups of parameters with and without
// decay, one after another. Units: bytes of one rank. Errors: none.
#pragma once

#include "core/number.h"

namespace orrery {

struct Framework;
struct StateRecipe;
struct Strategy;
template <Number R>
struct StateBytes;

template <Number R>
BytesOf<R> update_copies(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                         const StateBytes<R>& b);

}  // namespace orrery
