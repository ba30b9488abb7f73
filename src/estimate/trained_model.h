// SPDX-License-Identifier: Apache-2.0
//
// The rules between a model and its training: positions, images and their encoder, adapters.
// Errors: InputError.
#pragma once

namespace orrery {

struct ResolvedRun;

void check_learned_positions(const ResolvedRun& out);

// Without images, or without an encoder of them, the decoder alone is trained.
void take_tower(ResolvedRun& out);

// Something of this model has to train, and a gate is a matrix of gated MLPs alone.
void check_adapter(const ResolvedRun& out);

}  // namespace orrery
