// SPDX-License-Identifier: Apache-2.0
//
// Up-projection, activation and down-projection: the common part of dense MLPs, routed and shared
// experts. Internal to the model module.
#pragma once

#include "model/layers/build.h"

namespace orrery {

struct MlpPart {
  OpName up = OpName::mlp_up;
  OpName activation = OpName::mlp_activation;
  OpName down = OpName::mlp_down;
  std::int64_t intermediate = 0;
  std::int64_t input = 0;  // width of input and output; 0: hidden
  Extent rows;
  Axis axis = Axis::tensor;  // the axis of the intermediate width
  Extent groups;             // experts; one group otherwise
  bool grouped = false;
  ParameterClass parameter_class = ParameterClass::dense;
  ModuleMask recomputed_by = 0;             // the whole part
  ModuleMask activation_recomputed_by = 0;  // the activation alone, besides
};

// The caller adds the input of the up-projection and the boundaries.
void append_gated_mlp(Block& block, const BuildContext& c, const MlpPart& part);

}  // namespace orrery
