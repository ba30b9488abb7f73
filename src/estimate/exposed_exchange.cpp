// SPDX-License-Identifier: Apache-2.0
#include "estimate/exposed_exchange.h"

#include <algorithm>
#include <cstdint>

#include "cost/operator_time.h"
#include "estimate/run.h"
#include "parallel/shard.h"

namespace orrery {
namespace {

// Exchanges of one pass that share a cover: what each can hide under is its part of it.
std::int64_t sharers_of_cover(const ShardedOperator& op, const Exchange& e) {
  std::int64_t n = 0;
  for (std::uint8_t i = 0; i < op.exchange_count; ++i) {
    n += op.exchanges[i].cover == e.cover && op.exchanges[i].pass == e.pass ? 1 : 0;
  }
  return n;
}

// Whether weight gradients come later than the gradient of the input. An order of the user's own
// says so where its first backward step is.
bool splits_backward(const Run& run) {
  if (!run.own_order) return schedule_of(run).entry().zero_bubble;
  const Program& first = run.own_order->programs.front();
  const auto is_backward = [](const Step& s) { return has_input_gradient(s.kind); };
  return std::find_if(first.begin(), first.end(), is_backward)->kind == StepKind::input_gradient;
}

// Whether the framework runs such an exchange beside what could cover it.
bool is_covered(const Exchange& e, const Framework& f, bool backward_is_split) {
  switch (e.cover) {
    case Cover::none:
      return false;
    case Cover::input_gradient:
      return f.overlap.tp_backward;
    case Cover::weight_gradient:  // which comes later where backward is two steps
      return f.overlap.tp_backward && !backward_is_split;
    case Cover::attention:
      return f.overlap.cp;
  }
  return false;
}

template <Number R>
R experts_exposed(const Run& run) {
  const Framework& f = run.framework;
  if (!hides_experts(run)) return lift<R>(f.overlap.ep_exposed, {"framework.overlap.ep_exposed"});
  if (run.strategy.pp > 1) {
    return lift<R>(f.overlap.ep_exposed_interleaved, {"framework.overlap.ep_exposed_interleaved"});
  }
  // m − 1 forward passes of m have a backward pass beside them, and as many the other way round.
  const R m = count<R>(run.strategy.micro_batches, {"micro batches"});
  return (R(1.0) + (m - R(1.0)) * lift<R>(f.overlap.ep_exposed_paired,
                                          {"framework.overlap.ep_exposed_paired"})) /
         m;
}

}  // namespace

// Megatron-Core's --overlap-moe-expert-parallel-comm: with a pipeline it needs chunks, without one
// two micro batches.
bool hides_experts(const Run& run) {
  const Strategy& s = run.strategy;
  if (run.own_order || s.ep == 1 || may_recompute(s, Recompute::full)) return false;
  if (s.pp > 1) return s.schedule == ScheduleId::interleaved;
  return run.framework.overlap.ep_paired && s.micro_batches > 1;
}

template <Number R>
SecondsOf<R> cover_of(const ShardedOperator& op, const Exchange& e, const OperatorTime<R>& t) {
  const R share = R(1.0 / static_cast<double>(sharers_of_cover(op, e)));
  switch (e.cover) {
    case Cover::none:
      return {};
    case Cover::input_gradient:
      return t.backward_input * share;
    case Cover::weight_gradient:
      return t.backward_weight * share;
    case Cover::attention:
      return (e.pass == Pass::forward ? t.forward : t.backward_input) * share;
  }
  return {};
}

template <Number R>
SecondsOf<R> exposed_part(const Exchange& e, SecondsOf<R> time, std::uint8_t tier,
                          SecondsOf<R> cover, const Run& run) {
  const Framework& f = run.framework;
  if (is_covered(e, f, splits_backward(run))) return larger(time - cover, SecondsOf<R>{});
  switch (e.group) {
    case ExchangeGroup::tp:
    case ExchangeGroup::etp:
      if (is_fabric(run.cluster.tiers[tier].kind)) return time;
      return time * lift<R>(f.overlap.tp_exposed, {"framework.overlap.tp_exposed"});
    case ExchangeGroup::ep:
      return time * experts_exposed<R>(run);
    case ExchangeGroup::cp:
    case ExchangeGroup::dp:
      return time;
  }
  return time;
}

template SecondsOf<double> cover_of(const ShardedOperator&, const Exchange&,
                                    const OperatorTime<double>&);
template SecondsOf<double> exposed_part(const Exchange&, SecondsOf<double>, std::uint8_t,
                                        SecondsOf<double>, const Run&);
template SecondsOf<Traced> cover_of(const ShardedOperator&, const Exchange&,
                                    const OperatorTime<Traced>&);
template SecondsOf<Traced> exposed_part(const Exchange&, SecondsOf<Traced>, std::uint8_t,
                                        SecondsOf<Traced>, const Run&);

}  // namespace orrery
