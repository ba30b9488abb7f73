// SPDX-License-Identifier: Apache-2.0
//
// Flags that set several keys of a run at once, by the words that trainers use. Each is one row;
// its values go over the run like those of other flags. Errors: InputError from the values.
#pragma once

#include <span>
#include <vector>

#include "engine/options.h"
#include "engine/overrides.h"

namespace orrery {

struct ShortFlag {
  const char* name;
  OptionKind kind;
  const char* type;  // of its value in help
  const char* help;
  // Adds what it sets; nothing where the request does not have it.
  void (*give)(Request& request, const std::string& key, std::vector<Override>& overrides);
};

std::span<const ShortFlag> short_flags();

// Nodes of the run, which are GPUs once its node is known.
inline constexpr const char* kNodesFlag = "--nodes";

}  // namespace orrery
