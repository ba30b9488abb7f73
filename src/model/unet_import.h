// SPDX-License-Identifier: Apache-2.0
//
// The config.json of diffusers' UNet2DConditionModel (Stable Diffusion 1.5, 2, XL) to the document
// of a trunk (model/trunk_keys.h): a kind of layer for the convolutions of each level and one for
// its transformers.
//
// A level has layers_per_block residual blocks on the way down and one more on the way up, of which
// each reads what its counterpart gave; the blocks of the middle stand on the last level. Up to
// four levels. Leaves out: the order of the levels. Errors: InputError for a missing or wrong key,
// and for blocks, embeddings and scales of time that are not modelled.
#pragma once

#include <vector>

#include "core/json_fwd.h"
#include "model/architecture_json.h"

namespace orrery {

class Reader;

inline constexpr const char* kUNetClass = "UNet2DConditionModel";

// `assumed` gets the keys that the file leaves out.
Json unet_trunk(const Reader& file, std::vector<AssumedValue>& assumed);

}  // namespace orrery
