// SPDX-License-Identifier: Apache-2.0
//
// How a run is split over GPUs, as a plain fixed-size value: the words of docs/notation.md,
// Megatron-LM's names.
//
// World size = tp·cp·pp·dp. Experts: ep·etp divides tp·cp·dp. Legality is parallel/rules.h, who
// sits where parallel/placement.h, what one rank holds parallel/shard.h. Errors: none.
#pragma once

#include <array>
#include <cstdint>

#include "core/modules.h"
#include "parallel/layer_rules.h"
#include "parallel/strategy_choices.h"

namespace orrery {

struct Strategy {
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t vpp = 1;  // model chunks per stage
  std::int64_t cp = 1;
  std::int64_t ep = 1;
  std::int64_t etp = 1;
  std::int64_t dp = 1;
  std::int64_t sites = 1;        // that the replicas are spread over, evenly (estimate/training.h)
  std::int64_t micro_batch = 1;  // sequences
  std::int64_t micro_batches = 1;  // m, of one replica and step
  std::int64_t schedule_runs = 1;  // of a step, each with m/schedule_runs (schedules/schedule.h)

  std::int64_t zero = 0;  // 0 to 3, kept for the report; `partition` is what counts
  Partition partition;    // of dense parameters
  ZeroPlusPlus zeropp;
  std::int64_t recompute_layers = 0;  // full: of `recompute_method`; 0: every layer, one by one
  RankOrder order = kDefaultOrder;

  ContextType cp_type = ContextType::p2p;
  Recompute recompute = Recompute::none;
  RecomputeMethod recompute_method = RecomputeMethod::uniform;
  ModuleMask recompute_modules = mask_of(Module::core_attn);  // selective only
  LayerRules layers;  // where recompute differs from the above
  ScheduleId schedule = ScheduleId::one_f_one_b;
  bool sequence_parallel = false;
  bool dynamic_cp = false;       // a document is split over as many ranks as its length needs
  bool post_validation = false;  // zero bubble: the optimizer step is validated after the fact
  bool vision_stage = false;     // the encoder of images, and no layers, on the first virtual stage
  LayerSplit layer_split = LayerSplit::even;
  bool listed_stages =
      false;  // `stage_layers` holds the layers of each of the pp·vpp chunks instead
  Offload offload;
  std::array<std::int16_t, kMaxStages> stage_layers{};

  bool operator==(const Strategy&) const = default;
};

constexpr std::int64_t world_size(const Strategy& s) { return s.tp * s.cp * s.pp * s.dp; }

// Replicas of an expert: the ranks that share its gradient (expert data parallel).
constexpr std::int64_t expert_dp(const Strategy& s) { return s.tp * s.cp * s.dp / (s.ep * s.etp); }

// Ranks of one site that hold the same dense parameter.
constexpr std::int64_t dense_replicas(const Strategy& s) { return s.dp * s.cp / s.sites; }

constexpr RecomputeChoice recompute_choice(const Strategy& s) {
  const bool some = s.recompute == Recompute::full && s.recompute_layers > 0;
  return some ? RecomputeChoice::layers : static_cast<RecomputeChoice>(s.recompute);
}

// True where any layer may have this recompute.
constexpr bool may_recompute(const Strategy& s, Recompute recompute) {
  return s.recompute == recompute || has_rule_of(s.layers, recompute);
}

constexpr ModuleMask recomputed_modules(const Strategy& s) {
  return may_recompute(s, Recompute::selective) ? s.recompute_modules : ModuleMask{0};
}

}  // namespace orrery
