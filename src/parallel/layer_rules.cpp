// SPDX-License-Identifier: Apache-2.0
#include "parallel/layer_rules.h"

namespace orrery {

std::string range_text(const LayerRule& rule) {
  if (rule.of != LayerKindOf::any) return std::string(name_of(rule.of));
  const std::string first = std::to_string(rule.first);
  return rule.end == rule.first + 1 ? first : first + "-" + std::to_string(rule.end - 1);
}

std::string range_words(const LayerRules& rules) {
  std::string text;
  for (std::uint8_t i = 0; i < rules.count; ++i) {
    const LayerRule& r = rules.rules[i];
    text += (i == 0 ? "" : ", ") + range_text(r);
    if (r.recompute) text += " " + std::string(name_of(*r.recompute));
    if (r.zero) text += " ZeRO " + std::to_string(*r.zero);
  }
  return text;
}

}  // namespace orrery
