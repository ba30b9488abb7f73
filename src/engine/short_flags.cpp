// SPDX-License-Identifier: Apache-2.0
#include "engine/short_flags.h"

#include <array>

#include "core/error.h"
#include "core/json.h"
#include "estimate/training_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kAdapterRank = key_path<&AdapterRequest::rank>;
constexpr const char* kAdapterKind = key_path<&AdapterRequest::kind>;

template <AdapterKind Kind>
void give_adapter(Request& request, const std::string& key, std::vector<Override>& overrides) {
  auto rank = given_override(request, key, kAdapterRank);
  if (!rank) return;
  for (const Override& other : overrides) {
    if (other.path != kAdapterRank) continue;
    throw UsageError(request.named(key) + ": found it beside " + other.flag +
                     "; allowed: one of them");
  }
  overrides.push_back({rank->flag, kAdapterKind, std::string(name_of(Kind))});
  overrides.push_back(*std::move(rank));
}

void give_checkpointing(Request& request, const std::string& key,
                        std::vector<Override>& overrides) {
  if (!request.flag(key)) return;
  overrides.push_back({request.named(key), key_path<&StrategyRequest::recompute>,
                       std::string(name_of(Recompute::full))});
}

// GivenRun::nodes holds it.
void give_nodes(Request& /*request*/, const std::string& /*key*/,
                std::vector<Override>& /*overrides*/) {}

constexpr std::array kShortFlags = {
    ShortFlag{kNodesFlag, OptionKind::whole, "N", "nodes, in place of --gpus or beside it",
              give_nodes},
    ShortFlag{"--lora", OptionKind::text, "RANK", "train LoRA adapters of this rank",
              give_adapter<AdapterKind::lora>},
    ShortFlag{"--qlora", OptionKind::text, "RANK",
              "train LoRA adapters of this rank beside weights of 4 bits",
              give_adapter<AdapterKind::qlora>},
    ShortFlag{"--gradient-checkpointing", OptionKind::flag, "", "full recompute: --recompute full",
              give_checkpointing},
};

}  // namespace

std::span<const ShortFlag> short_flags() { return kShortFlags; }

}  // namespace orrery
