// SPDX-License-Identifier: Apache-2.0
#include "engine/run_flags.h"

#include <string_view>

#include "core/key_words.h"
#include "estimate/run_keys.h"

namespace orrery {

const std::vector<RunFlag>& run_flags() {
  static const std::vector<RunFlag> flags = [] {
    std::vector<RunFlag> list;
    for (const KeyLine& line : key_lines(kRunKeys)) {
      const KeyFlag& flag = line.key->flag;
      if (!std::string_view(flag.name).empty()) list.push_back({flag.name, line.path, flag.help});
    }
    return list;
  }();
  return flags;
}

}  // namespace orrery
