// SPDX-License-Identifier: Apache-2.0
#include "calibrate/predict.h"

#include <algorithm>

#include "cost/attention.h"
#include "cost/memory_time.h"
#include "cost/product.h"
#include "network/collective_cost.h"
#include "network/group_across.h"

namespace orrery {
namespace {

Cluster cluster_of(const Cluster& c, std::int64_t ranks) {
  Cluster of_ranks = c;
  of_ranks.gpus = ranks;
  return of_ranks;
}

Group pair_of_ranks(const Cluster& c, std::int64_t ranks) {
  const Cluster of_ranks = cluster_of(c, ranks);
  const std::int64_t per_node = most_ranks_per_node(of_ranks);
  const Group whole = group_across(of_ranks, per_node, 1);
  return pair_across(of_ranks, per_node, 1, tiers_across(of_ranks, whole).back());
}

// A row of queries costs the keys it sees and h more; a masked row also wastes half a tile of the
// diagonal. A causal row sees s/2 keys, so its s½ is 2h + the tile.
Device without_mask(Device d, AttentionKernel kernel) {
  double& half = d.efficiency.attention[kernel].half_length;
  half = std::max(0.0, 0.5 * (half - kAttentionQueryTile));
  return d;
}

struct Predict {
  const Cluster& c;

  Seconds operator()(const MeasuredProduct& p) const {
    return product_time<double>(p.shape, c.device, p.precision);
  }

  Seconds operator()(const MeasuredAttention& a) const {
    const Device d = a.shape.pairs < 1 ? c.device : without_mask(c.device, a.kernel);
    const auto pass = [&](bool backward) {
      return fused_attention_time<double>(a.shape, d, a.kernel, a.precision, backward);
    };
    if (a.pass == AttentionPass::both) return pass(false) + pass(true);
    return pass(a.pass == AttentionPass::backward);
  }

  Seconds operator()(const MeasuredMemory& b) const {
    return memory_time<double>(b.bytes, c.device) + c.device.efficiency.launch;
  }

  Seconds operator()(const MeasuredLaunch&) const { return c.device.efficiency.launch; }

  Seconds operator()(const MeasuredHostCopy& b) const {
    return c.device.host_link.latency + b.bytes / c.device.host_link.bandwidth;
  }

  Seconds operator()(const MeasuredCollective& k) const {
    Group g = group_of_ranks(c, k.ranks);
    if (k.kind == Collective::point_to_point) g = pair_of_ranks(c, k.ranks);
    return collective_cost(c, g, k.kind, k.size).time;
  }
};

}  // namespace

Group group_of_ranks(const Cluster& c, std::int64_t ranks) {
  const Cluster of_ranks = cluster_of(c, ranks);
  return group_across(of_ranks, most_ranks_per_node(of_ranks), 1);
}

Seconds predicted_time(const Measurement& m, const Cluster& c) {
  return std::visit(Predict{c}, m.work);
}

}  // namespace orrery
