// SPDX-License-Identifier: Apache-2.0
//
// Words that say on how many GPUs the parts of a training run and how each is split, as AReaL has
// them (inclusionAI/AReaL areal/api/alloc_mode.py): "sglang:d4t2+fsdp:d2c2", one part by itself,
// experts apart ("megatron:(attn:d1p2t4|ffn:d1p2t1e4)"), parts on the same GPUs
// ("vllm[r]:d4|fsdp[a]:d4"), and the older "sglang.d4p1t1+d4p1t1". Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/tools/hooks.h"

namespace orrery::tools {

struct PartLayout {
  std::string backend = {};  // "" where the word leaves it to the tool
  std::string name = {};
  std::int64_t dp = 1, pp = 1, tp = 1, cp = 1, ep = 1, etp = 1;
  bool shares = false;  // the GPUs of the part before it

  std::int64_t gpus() const { return dp * pp * tp * cp; }
};

// The parts that a text names; nothing where it is no such text, or one of more than 2^20 GPUs.
std::optional<std::vector<PartLayout>> layouts_in(std::string_view text);

// Settings "layout.PART.tp" and so on, of `parts` (part → setting of a part alone) and of `whole`,
// a setting that has all of them: there the part that generates is the one with one of `engines`,
// and the one that learns is of its name, or the only other one. "layout.more" is there where both
// have more GPUs than the product of the settings in `cluster`. A text that is not read leaves
// `open` open, with its `why`.
void layout_words(HookCall& call);

}  // namespace orrery::tools
