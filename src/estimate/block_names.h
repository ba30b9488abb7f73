// SPDX-License-Identifier: Apache-2.0
//
// Names of what a recording says of a type of block: its passes, how many a chunk has, and the
// parameters of one. Errors: none.
#pragma once

#include "parallel/stages.h"

namespace orrery {

struct Architecture;

struct BlockNames {
  const char* forward = "";
  const char* backward = "";
  const char* count = "";
  const char* parameters = "";
};

// In a stack of a pattern, the kinds of layer in their order.
const BlockNames& names_of_block(const Architecture& a, BlockType type);

}  // namespace orrery
