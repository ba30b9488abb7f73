// SPDX-License-Identifier: Apache-2.0
#include "sim/fail.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/divide.h"
#include "parallel/rules.h"
#include "sim/slow_links.h"

namespace orrery {
namespace {

using Replicas = std::set<std::int64_t>;

Replicas lost_replicas(const Run& run, const std::vector<Failure>& failures) {
  Replicas lost;
  for (std::int64_t rank = 0; rank < world_size(run.strategy); ++rank) {
    for (const Failure& f : failures) {
      const std::int64_t mine = f.part == SlowPart::gpu ? rank : node_of(run.cluster, rank);
      if (f.part == SlowPart::link || mine != f.which) continue;
      lost.insert(place_of_rank(run.strategy, rank).replica);
    }
  }
  return lost;
}

using Devices = std::shared_ptr<const std::vector<std::int32_t>>;

// The devices of the first `dp` replicas that are not lost. Ranks keep their order, and a list
// their places.
Devices devices_left(const Run& all, const Devices& listed, const Replicas& lost, std::int64_t dp) {
  if (!listed) return {};
  Replicas left;
  for (std::int64_t r = 0; static_cast<std::int64_t>(left.size()) < dp; ++r) {
    if (lost.count(r) == 0) left.insert(r);
  }
  std::vector<std::int32_t> devices;
  for (std::size_t rank = 0; rank < listed->size(); ++rank) {
    const RankPlace at = place_of_rank(all.strategy, static_cast<std::int64_t>(rank));
    if (left.count(at.replica) > 0) devices.push_back((*listed)[rank]);
  }
  return std::make_shared<const std::vector<std::int32_t>>(std::move(devices));
}

// States that were sharded over all replicas are sharded over all survivors.
void share_among(std::int64_t& degree, std::int64_t before, std::int64_t now) {
  if (degree == before) degree = now;
}

// The FLOPs of the step follow its batch.
void set_micro_batches(Run& run, std::int64_t micro_batches) {
  Strategy& s = run.strategy;
  s.micro_batches = micro_batches;
  const std::int64_t batch = micro_batches * s.micro_batch * s.dp;
  run.training.global_batch = batch;
  run.model_flops = model_flops(run.model, run.convention, counted(run.training, batch));
}

Run with_replicas(const Run& all, const Replicas& lost, std::int64_t dp) {
  Run run = all;
  Cluster& c = run.cluster;
  c.listed_devices = devices_left(all, c.listed_devices, lost, dp);
  c.device_of_rank = devices_left(all, c.device_of_rank, lost, dp);
  Strategy& s = run.strategy;
  const std::int64_t before = s.dp * s.cp;
  s.dp = dp;
  for (std::int64_t* degree :
       {&s.partition.weights, &s.partition.gradients, &s.partition.optimizer}) {
    share_among(*degree, before, dp * s.cp);
  }
  c.gpus = world_size(s);
  set_micro_batches(run, divided_up(run.training.global_batch, s.micro_batch * dp));
  return run;
}

// Tries more micro batches, too, because some schedules need multiples.
bool make_legal(Run& run) {
  const std::int64_t fewest = run.strategy.micro_batches;
  for (std::int64_t more = 0; more <= 2 * run.strategy.pp; ++more) {
    set_micro_batches(run, fewest + more);
    if (is_legal(run)) return true;
  }
  return false;
}

std::vector<Slow> links_with_fewer_cards(const Run& run, const std::vector<Failure>& failures,
                                         std::string& why_none) {
  std::map<std::int64_t, std::int64_t> cards_failed;
  for (const Failure& f : failures) {
    if (f.part == SlowPart::link) cards_failed[f.which] += 1;
  }
  const std::size_t above_node = tier_between_nodes(run.cluster);
  std::vector<Slow> slow;
  for (const auto& [node, failed] : cards_failed) {
    const Tier& tier = run.cluster.tiers[std::min(above_node, run.cluster.tier_count - 1UL)];
    if (1 - static_cast<double>(failed) * tier.rank_share < 1e-9) {
      why_none = "node " + std::to_string(node) + " is left without a link; fail the node instead";
      return {};
    }
    slow.push_back({SlowPart::link, node, 1, failed});
  }
  return slow;
}

}  // namespace

Survivors survivors(const Run& run, const std::vector<Failure>& failures) {
  Survivors left;
  left.slow = links_with_fewer_cards(run, failures, left.why_none);
  const Replicas lost = lost_replicas(run, failures);
  left.run = run;
  if (lost.empty()) return left;
  const std::int64_t most = run.strategy.dp - static_cast<std::int64_t>(lost.size());
  for (std::int64_t dp = most; dp > 0; --dp) {
    left.run = with_replicas(run, lost, dp);
    if (make_legal(left.run)) return left;
  }
  left.why_none = "no replica of the model is left";
  return left;
}

}  // namespace orrery
