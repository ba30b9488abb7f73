// SPDX-License-Identifier: Apache-2.0
//
// The links of each actor in SharedLinks: one out and one in for every tier, created at first use.
// Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "hardware/tier.h"
#include "sim/links.h"

namespace orrery {

struct LinkUse {
  std::uint16_t stage = 0;
  std::uint8_t tier = 0;
  bool out = true;
  Seconds busy{};  // at full rate, of all replicas together
};

class StageLinks {
 public:
  StageLinks(SharedLinks& links, std::size_t stages, std::size_t actors)
      : links_(links), stages_(stages), ids_(actors * kMaxTiers * 2, 0) {}

  std::uint32_t of(std::uint32_t actor, std::uint8_t tier, bool out) {
    std::uint32_t& id = ids_[(actor * kMaxTiers + tier) * 2 + (out ? 1 : 0)];
    if (id == 0) {
      id = links_.add_link() + 1;
      places_.push_back({static_cast<std::uint16_t>(actor % stages_), tier, out, Seconds()});
    }
    return id - 1;
  }

  std::vector<LinkUse> uses() const {
    std::vector<LinkUse> all = places_;
    for (std::size_t l = 0; l < all.size(); ++l) {
      all[l].busy = links_.busy(static_cast<std::uint32_t>(l));
    }
    return all;
  }

 private:
  SharedLinks& links_;
  std::size_t stages_;
  std::vector<std::uint32_t> ids_;  // + 1; 0: none yet
  std::vector<LinkUse> places_;
};

}  // namespace orrery
