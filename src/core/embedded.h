// SPDX-License-Identifier: Apache-2.0
//
// A text file that is part of the program (cmake/OrreryEmbed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace orrery {

struct EmbeddedFile {
  std::string_view name;  // its path below the folder that was given
  std::string_view text;
};

}  // namespace orrery
