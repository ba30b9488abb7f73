// SPDX-License-Identifier: Apache-2.0
//
// Code for those of Megatron-LM's arguments that rows of configs/tools/megatron.json cannot
// express: lists of layers, stages of a pipeline, the bytes of an optimizer. Errors: InputError for
// settings whose values are wrong.
#pragma once

#include "exchange/tools/hooks.h"

namespace orrery::megatron {

// Stages: virtual ones, a layout ("Et*3|(tt|)*2mL"), first and last ones of other sizes.
void layout(tools::HookCall& call);

// The layers that have experts: each n-th, or a list ("([0]*3+[1]*58)").
void expert_layers(tools::HookCall& call);

// State-space layers: a pattern of letters, or the shares of attention and MLPs.
void hybrid(tools::HookCall& call);

// The window of attention, and the layers that have none.
void window(tools::HookCall& call);

// The vocabulary: padded, of a tokenizer, or of the model that a tokenizer is named after.
void vocabulary(tools::HookCall& call);

// Adam's states from the types of gradients, moments and master weights. `accumulates`: what bf16
// accumulates in whatever the settings say.
void states(tools::HookCall& call);

// The modules of selective recompute.
void recompute_modules(tools::HookCall& call);

// Layers of a stage, or of a group, that are recomputed.
void recompute_layers(tools::HookCall& call);

}  // namespace orrery::megatron
