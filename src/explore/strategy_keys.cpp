// SPDX-License-Identifier: Apache-2.0
#include "explore/outer_axes.h"
#include "explore/space_json.h"

namespace orrery {
namespace {

Json modules_json(ModuleMask mask) {
  Json names = Json::array();
  for (std::size_t m = 0; m < kModules; ++m) {
    if ((mask & mask_of(static_cast<Module>(m))) != 0)
      names.push_back(std::string(kNamesOf<Module>[m]));
  }
  return names;
}

Json offload_json(const Offload& o) {
  const auto name = [](OffloadTarget t) { return std::string(name_of(t)); };
  return {{"optimizer", name(o.optimizer)},
          {"parameters", name(o.parameters)},
          {"activations", name(o.activations)},
          {"optimizer_fraction", o.optimizer_fraction}};
}

void add_sharding(const Space& space, const Strategy& s, Json& p) {
  if (space.has_partitions()) {
    p["partition"] = {{"weights", s.partition.weights},
                      {"gradients", s.partition.gradients},
                      {"optimizer", s.partition.optimizer}};
    return;
  }
  p["zero"] = s.zero;
  const AxisValues& groups = space.axes[SearchAxis::zero_shard_group];
  const bool said = groups.open || !groups.is_free();
  if (said && s.zero > 0) p["zero_shard_group"] = s.partition.optimizer;
}

void add_uneven_stages(const Strategy& s, Json& p) {
  if (s.even_stages) return;
  p["stage_layers"] = Json::array();
  for (std::int64_t i = 0; i < s.pp * s.vpp; ++i) {
    p["stage_layers"].push_back(s.stage_layers[static_cast<std::size_t>(i)]);
  }
}

}  // namespace

Json strategy_keys(const Space& space, const Strategy& s) {
  Json p = {{"tp", s.tp}, {"pp", s.pp},   {"vpp", s.vpp}, {"cp", s.cp},
            {"ep", s.ep}, {"etp", s.etp}, {"dp", s.dp}};
  p["sequence_parallel"] = s.sequence_parallel;
  add_sharding(space, s, p);
  p["schedule"] = text_of(SearchAxis::schedule, static_cast<std::int64_t>(s.schedule));
  p["recompute"] = std::string(name_of(s.recompute));
  if (s.recompute == Recompute::full && s.recompute_layers > 0) {
    p["recompute_method"] = std::string(name_of(s.recompute_method));
    p["recompute_layers"] = s.recompute_layers;
  }
  const AxisValues& modules = space.axes[SearchAxis::recompute_modules];
  if (s.recompute == Recompute::selective && (modules.open || !modules.is_free())) {
    p["recompute_modules"] = modules_json(s.recompute_modules);
  }
  if (space.offloads.size() > 1 || s.offload != Offload{}) p["offload"] = offload_json(s.offload);
  add_uneven_stages(s, p);
  return {{"parallel", p}, {"training", {{"micro_batch", s.micro_batch}}}};
}

Json with_strategy(Json run, const Space& space, std::size_t base, const Strategy& s) {
  run = with_choice(std::move(run), space.outer, space.bases[base].choice);
  // With another kind of recompute they would be a contradiction.
  if (run.contains("parallel")) {
    Json& p = run["parallel"];
    p.erase("recompute_layers");
    p.erase("recompute_method");
    if (s.recompute != Recompute::selective) p.erase("recompute_modules");
    if (s.zero == 0) p.erase("zero_shard_group");
    if (!schedule_of(s.schedule).zero_bubble) p.erase("optimizer_post_validation");
  }
  merge_over(run, strategy_keys(space, s));
  return run;
}

}  // namespace orrery
