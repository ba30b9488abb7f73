// SPDX-License-Identifier: Apache-2.0
//
// How layers are spread over the chunks of a pipeline where no list says how many each holds. L
// layers in p parts; part j holds consecutive ones.
//
// even             L/p each; the L mod p extra ones go to parts 1, 2, …, since part 0 has the
//                  embedding (and to part 0 last of all)
// ends_as_layers   the embedding and the head count as a layer each, L + 2 in all, the extra ones
//                  on the first parts: torchtitan (distributed/pipeline.py,
//                  generate_llm_fqn_per_model_part with weights of 1) and Megatron-LM with
//                  --account-for-embedding-in-pipeline-split and
//                  --account-for-loss-in-pipeline-split
// by_cost          a part is closed by the layer that takes the sum of costs past (j + 1)/p of all;
//                  a layer costs its products, the head V·h: nanotron (models/base.py, build_model;
//                  models/llama.py, get_block_compute_costs) [from memory]
//
// Leaves out that by_cost may put the head before the last part: here it is always on the last.
// Errors: none.
#pragma once

#include <cstdint>

#include "model/architecture.h"

namespace orrery {

LayerRange even_layers(std::int64_t layers, std::int64_t parts, std::int64_t part);

LayerRange layers_beside_ends(std::int64_t layers, std::int64_t parts, std::int64_t part);

// Elements of the matrices that a token is multiplied by in a layer, as nanotron counts them:
// 4·a·d·h for attention, whatever shares keys, and 2 or 3 times h times the width of the MLP.
double layer_cost(const Architecture& a);

LayerRange layers_by_cost(const Architecture& a, std::int64_t parts, std::int64_t part);

}  // namespace orrery
