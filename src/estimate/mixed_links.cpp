// SPDX-License-Identifier: Apache-2.0
#include "estimate/mixed_links.h"

#include <algorithm>

#include "model/operators.h"
#include "network/coded_cost.h"
#include "parallel/placement.h"

namespace orrery {
namespace {

// Nodes of one child of a tier outside the node.
double nodes_of_child(const Cluster& c, std::size_t tier) {
  const std::int64_t inside = tier == 0 ? 1 : c.tiers[tier - 1].size;
  return static_cast<double>(std::max<std::int64_t>(1, inside / c.devices_per_node));
}

bool is_outside_node(const Cluster& c, std::size_t tier) {
  return tier + 1 == c.tier_count || c.tiers[tier].size > c.devices_per_node;
}

void slow_tier(Tier& t, BytesPerSecond rate, Seconds latency) {
  t.latency = std::max(t.latency, latency);
  t.in_network_reduction = false;
  if (!(rate < t.bandwidth)) return;
  const double part = rate / t.bandwidth;
  t.bandwidth = rate;
  t.rank_share = std::min(1.0, t.rank_share / part);
  t.channel_share = std::min(1.0, t.channel_share / part);
  for (std::size_t i = 0; i < t.group_sizes; ++i) {
    t.group_bandwidth[i].bandwidth = std::min(t.group_bandwidth[i].bandwidth, rate);
  }
}

void slow_links(const GroupLink& link, Cluster& c) {
  for (std::size_t i = 0; i < c.tier_count; ++i) {
    if (!is_outside_node(c, i)) continue;
    slow_tier(c.tiers[i], link.bandwidth * nodes_of_child(c, i), link.latency);
  }
}

// One of both ends.
struct SendEnd {
  const Run& run;
  int part;
  Cluster cluster;
  std::int64_t ranks;
};

SendEnd end_of(const MixedRun& r, StageEnd here, std::size_t other) {
  SendEnd e{r.kinds[here.kind], part_of_link(r, here.kind, other), r.kinds[here.kind].cluster,
            ranks_of_stage(r, here.stage, here.kind)};
  slow_links(link_of(r, here.kind, other), e.cluster);
  return e;
}

bool scatters(const Run& run) {
  const Strategy& s = run.strategy;
  return run.framework.pipeline.scatter_gather && !s.sequence_parallel && s.tp > 1;
}

// Bytes that one rank of this end sends or receives.
Bytes part_of_rank(const Run& run) {
  const double ranks = scatters(run) ? static_cast<double>(run.strategy.tp) : 1;
  return boundary_bytes(run) * (1 / ranks);
}

template <Number R>
CollectiveCost<R> slower(const SendEnd& a, const SendEnd& b, Collective kind, BytesOf<R> bytes,
                         const Codec& codec) {
  const auto at = [&](const SendEnd& e) {
    const RecordedPart part(e.part);
    return coded_cost<R>(e.cluster, pair_between_nodes(e.cluster, e.ranks), kind, bytes, codec);
  };
  const CollectiveCost<R> one = at(a);
  const CollectiveCost<R> other = at(b);
  return plain(other.time) > plain(one.time) ? other : one;
}

}  // namespace

int part_of_kind(std::size_t kind) { return static_cast<int>(kind); }

int part_of_link(const MixedRun& r, std::size_t kind, std::size_t other) {
  const std::size_t n = r.kinds.size();
  return static_cast<int>(n + kind * n + other);
}

RecordedPlace place_of_part(const MixedRun& r, int part) {
  const std::size_t n = r.kinds.size();
  const auto i = static_cast<std::size_t>(part);
  if (i < n) return {i, {}};
  return {(i - n) / n, (i - n) % n};
}

int part_beside(const MixedRun& r, std::size_t kind, std::span<const std::size_t> others) {
  std::optional<std::size_t> slowest;
  for (const std::size_t other : others) {
    if (other == kind) continue;
    const bool slower =
        !slowest || link_of(r, kind, other).bandwidth < link_of(r, kind, *slowest).bandwidth;
    if (slower) slowest = other;
  }
  return slowest ? part_of_link(r, kind, *slowest) : part_of_kind(kind);
}

Run run_beside(const MixedRun& r, std::size_t kind, std::span<const std::size_t> others) {
  Run run = r.kinds[kind];
  for (const std::size_t other : others) {
    if (other != kind) slow_links(link_of(r, kind, other), run.cluster);
  }
  return run;
}

Group pair_between_nodes(const Cluster& c, std::int64_t ranks) {
  const TierSizes tiers = tier_sizes(c);
  const std::size_t outermost = tiers.count - 1;
  Group g;
  g.ranks = 2;
  for (std::size_t i = outermost; i < kMaxTiers; ++i) g.members[i] = 2;
  for (std::size_t i = 1; i <= outermost; ++i) {
    g.sharers[i] = std::min(tiers.devices[i - 1], ranks);
  }
  return g;
}

template <Number R>
SendCost<R> send_between(const MixedRun& r, StageEnd from, StageEnd to) {
  const SendEnd a = end_of(r, from, to.kind);
  const SendEnd b = end_of(r, to, from.kind);
  const Compression& compression = a.run.compression;
  const auto codec = [&compression](Collective kind) {
    return compression.of(CommDimension::pp, kind);
  };
  SendCost<R> c;
  const auto sent = lift<R>(std::max(part_of_rank(a.run), part_of_rank(b.run)),
                            {"activation at a stage boundary"});
  c.send = slower<R>(a, b, Collective::point_to_point, sent, codec(Collective::point_to_point));
  c.time = c.send.time;
  if (!scatters(b.run)) return c;
  c.gather_ranks = b.run.strategy.tp;
  const Placement placement = place(b.run.strategy, tier_sizes(b.run.cluster));
  c.gather = coded_cost<R>(b.run.cluster, placement.tp, Collective::all_gather,
                           lift<R>(boundary_bytes(b.run), {"activation at a stage boundary"}),
                           codec(Collective::all_gather));
  c.time += c.gather.time;
  return c;
}

template <Number R>
CollectiveCost<R> tied_between(const MixedRun& r, std::size_t first, std::size_t last) {
  const Run& run = r.kinds[first];
  if (first == last) return tied_embedding_cost<R>(run);
  if (!shares_embedding(run)) return {};
  const SendEnd a = end_of(r, {first, 0}, last);
  const SendEnd b = end_of(r, {last, stages_of(r) - 1}, first);
  const std::int64_t tp = std::min(a.run.strategy.tp, b.run.strategy.tp);
  const std::int64_t rows = padded_vocabulary(run.model, list_options(run).vocabulary_multiple);
  const BytesOf<R> table(count<R>(rows, {"rows of the embedding"}) *
                         count<R>(run.model.hidden, {"model.hidden_size"}) /
                         count<R>(tp, {"parallel.tp"}) *
                         lift<R>(run.training.recipe.reduced, {"bytes of a gradient"}));
  return slower<R>(a, b, Collective::all_reduce, table,
                   run.compression.of(CommDimension::embedding, Collective::all_reduce));
}

template SendCost<double> send_between(const MixedRun&, StageEnd, StageEnd);
template SendCost<Traced> send_between(const MixedRun&, StageEnd, StageEnd);
template CollectiveCost<double> tied_between(const MixedRun&, std::size_t, std::size_t);
template CollectiveCost<Traced> tied_between(const MixedRun&, std::size_t, std::size_t);

}  // namespace orrery
