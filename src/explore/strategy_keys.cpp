// SPDX-License-Identifier: Apache-2.0
#include "parallel/strategy_keys.h"

#include "core/key_access.h"
#include "estimate/run_keys.h"
#include "explore/outer_axes.h"
#include "explore/space_json.h"

namespace orrery {
namespace {

// Writes a key that the search varied, even if its value is the default.
void list_what_varies(const Space& space, const Strategy& s, StrategyRequest& q) {
  const auto is_given = [&](SearchAxis a) {
    return space.axes[a].open || !space.axes[a].is_free();
  };
  if (space.has_partitions()) {
    q.partition = s.partition;
    q.zero.reset();
  } else {
    q.partition.reset();
    q.zero = s.zero;
    const bool grouped = is_given(SearchAxis::zero_shard_group) && s.zero > 0;
    if (grouped) q.zero_shard_group = s.partition.optimizer;
  }
  if (!is_given(SearchAxis::recompute_modules)) q.recompute_modules.reset();
  if (space.offloads.size() > 1) q.offload = s.offload;
}

}  // namespace

Json strategy_keys(const Space& space, const Strategy& s) {
  StrategyRequest q = request_of(s);
  // No axis covers these keys: they stay as the run file has them.
  q.cp_type.reset();
  q.layer_split.reset();
  q.zeropp = {};
  q.post_validation.reset();
  q.order.reset();
  list_what_varies(space, s, q);
  Json keys = Json::object();
  write_keys(kStrategyKeys, q, at_key<&RunRequest::parallel>(keys));
  at_key<&TrainingRequest::micro_batch>(at_key<&RunRequest::training>(keys)) = s.micro_batch;
  return keys;
}

Json with_strategy(Json run, const Space& space, std::size_t base, const Strategy& s) {
  run = with_choice(std::move(run), space.outer, space.bases[base].choice);
  // With another kind of recompute they would be a contradiction.
  if (run.contains(kStrategyKeys.path)) {
    Json& p = at_key<&RunRequest::parallel>(run);
    erase_key<&Strategy::recompute_layers>(p);
    erase_key<&Strategy::recompute_method>(p);
    if (!may_recompute(s, Recompute::selective)) erase_key<&Strategy::recompute_modules>(p);
    if (s.zero == 0) erase_key<&StrategyRequest::zero_shard_group>(p);
    if (!schedule_of(s.schedule).zero_bubble) erase_key<&Strategy::post_validation>(p);
    if (s.schedule_runs == 1) erase_key<&Strategy::schedule_runs>(p);
  }
  merge_over(run, strategy_keys(space, s));
  return run;
}

}  // namespace orrery
