// SPDX-License-Identifier: Apache-2.0
#include "generate/engine_exchange.h"

#include <algorithm>

#include "network/collective_cost.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

Seconds library_time(const Generator& g, const Group& group, Collective kind, Bytes buffer) {
  return collective_cost<double>(g.cluster, group, kind, buffer).time;
}

Seconds own_all_reduce(const Generator& g, const Group& group, Bytes buffer) {
  const Tier& node = g.cluster.tiers[0];
  const auto n = static_cast<double>(group.ranks);
  const Bytes sent = buffer * (2 * (n - 1) / n);
  return g.engine.rates.exchange + sent / (node.bandwidth * node.efficiency);
}

Seconds all_reduce(const Generator& g, const Group& group, Bytes buffer) {
  const Seconds library = library_time(g, group, Collective::all_reduce, buffer);
  const bool within_node = group.members[0] == group.ranks;
  return within_node ? std::min(library, own_all_reduce(g, group, buffer)) : library;
}

// Tokens of a batch times their width, of a boundary that counts every copy on its way to an
// expert.
Bytes without_copies(const Generator& g, Bytes buffer) {
  return buffer / static_cast<double>(std::max<std::int64_t>(1, g.model.moe.top_k));
}

// Where experts stand on the GPUs of one attention replica, tokens do not travel: the sum of what
// the experts made does, once, at the combining boundary.
Seconds of_experts(const Generator& g, const Placement& p, const ShardedOperator& op,
                   const Exchange& e) {
  const auto tp = static_cast<double>(g.layout.tp);
  if (g.layout.dp > 1) return library_time(g, p.ep, e.collective, e.buffer / tp);
  if (op.name != OpName::unpermute || g.layout.tp == 1) return {};
  const double gathered = e.group == ExchangeGroup::etp ? tp : 1;
  return all_reduce(g, p.tp, without_copies(g, e.buffer) / gathered);
}

// Each GPU has the logits of a part of the vocabulary; the sampler needs all.
Seconds of_logits(const Generator& g, const Placement& p, const ShardedOperator& op) {
  constexpr double kLogitBytes = 2;
  const double all = static_cast<double>(op.rows) * static_cast<double>(op.cols);
  const Bytes gathered(all * static_cast<double>(g.layout.tp) * kLogitBytes);
  return library_time(g, p.tp, Collective::all_gather, gathered);
}

}  // namespace

Placement placement_of(const Generator& g) {
  Strategy s;
  s.tp = g.layout.tp;
  s.pp = g.layout.pp;
  s.dp = g.layout.dp;
  s.ep = g.layout.ep;
  s.etp = g.layout.ep > 1 ? 1 : g.layout.tp;
  return place(s, tier_sizes(g.cluster));
}

Seconds exchange_time(const Generator& g, const ShardedOperator& op, const Exchange& e) {
  const Placement p = placement_of(g);
  if (op.name == OpName::loss) return of_logits(g, p, op);
  const bool summed_with_routed = op.name == OpName::shared_down && g.layout.dp == 1;
  if (summed_with_routed) return {};
  switch (e.group) {
    case ExchangeGroup::tp:
      return all_reduce(g, p.tp, e.buffer) * static_cast<double>(e.times);
    case ExchangeGroup::ep:
    case ExchangeGroup::etp:
      return of_experts(g, p, op, e);
    case ExchangeGroup::cp:
    case ExchangeGroup::dp:
      return {};
  }
  return {};
}

}  // namespace orrery
