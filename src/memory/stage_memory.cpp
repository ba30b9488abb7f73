// SPDX-License-Identifier: Apache-2.0
#include "memory/stage_memory.h"

#include <algorithm>
#include <array>

#include "core/precision.h"
#include "memory/peak_moment.h"
#include "memory/recipe.h"
#include "memory/states.h"
#include "memory/update_copies.h"
#include "parallel/framework.h"
#include "parallel/partition.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

// So that a device that is filled to the last byte is not over it by a rounding of the sum.
constexpr double kAlmostAll = 1 - 1e-12;

// Offloaded bytes fill the host's memory, or its drives.
template <Number R, class Memory>
void send_away(Memory& m, OffloadTarget target, BytesOf<R> bytes) {
  if (kOffloadPlaces[target].host_memory) m.host += bytes;
  if (kOffloadPlaces[target].drives) m.drives += bytes;
}

// The part of the optimizer's states that is not on the device.
template <Number R>
R share_away(const Offload& o) {
  if (o.optimizer == OffloadTarget::none) return R(0);
  return lift<R>(o.optimizer_fraction, {"parallel.offload.optimizer_fraction"});
}

// A rank's share of the gradients in fp32, and a pinned 16-bit copy of what ZeRO 1 and 2 update
// (DeepSpeed, runtime/zero/stage_1_and_2.py).
template <Number R>
BytesOf<R> host_copies(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                       const StateBytes<R>& b) {
  if (!f.update.fp32_gradients || recipe.weights > 2) return {};
  const double wider = std::max(0.0, element_bytes(Precision::fp32) - recipe.gradients);
  const double pinned = nearest_zero(s.partition) < 3 ? recipe.weights : 0;
  return BytesOf<R>(b.updated *
                    lift<R>(wider + pinned, {"bytes of an fp32 gradient and of a pinned weight"}));
}

// Gradients leave with the optimizer that reads them, into the host's memory, layer by layer as
// they are computed (ZeRO-Offload, arXiv:2101.06840, section 4.1): those of the layer at work stay.
// A rank sends those that it updates; under ZeRO 1 it holds the others until they are reduced, and
// without ZeRO all that have replicas.
template <Number R>
void send_optimizer_away(StageStates<R>& m, const Strategy& s, const Framework& f,
                         const StateRecipe& recipe, std::int64_t largest_layer, StateBytes<R>& b) {
  if (s.offload.optimizer == OffloadTarget::none) return;
  const R share = share_away<R>(s.offload);
  send_away<R>(m, s.offload.optimizer, b.optimizer * share);
  b.optimizer = b.optimizer - b.optimizer * share;
  const BytesOf<R> layer(count<R>(largest_layer, {"parameters of the largest layer"}) *
                         lift<R>(recipe.reduced, {"bytes of a gradient before it is reduced"}));
  m.host += (b.updating + host_copies<R>(s, f, recipe, b)) * share;
  const BytesOf<R> gradients = b.leaving * share;
  b.gradients = b.gradients - gradients + smaller(gradients, layer);
}

// DeepSpeed's bf16 optimizer adds the 16-bit gradients to their fp32 sum when a backward is done.
// DistributedDataParallel's buckets are a second set of gradients (PyTorch,
// gradient_as_bucket_view), the only one in 16 bits beside a wider sum.
StateRecipe held_recipe(const StateRecipe& recipe, const Strategy& s, const Framework& f) {
  StateRecipe held = recipe;
  const bool summed_wider = recipe.gradients > recipe.weights;
  const bool in_buckets =
      f.gradients.copied_to_buckets && nearest_zero(s.partition) == 0 && s.dp > 1;
  if (in_buckets || (f.gradients.kept_in_16_bits && summed_wider)) {
    held.gradients += std::min(recipe.gradients, recipe.weights);
  }
  return held;
}

// Weights of the layers' products in 8 or 4 bits, cast once a step and kept for all its micro
// batches (NVIDIA/TransformerEngine, module/linear.py: is_first_microbatch). Where the weights
// themselves are narrow, those are among them.
template <Number R>
BytesOf<R> narrow_copies(const Strategy& s, const StateRecipe& recipe, const StageHoldings& h) {
  BytesOf<R> sum{};
  if (h.narrow_bytes == 0) return sum;
  const double there = recipe.gathered < 2 ? recipe.weights : 0;
  const double bytes = std::max(0.0, h.narrow_bytes - there);
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    if (partition_of(s, which).weights > 1) continue;
    const std::int64_t n = held(h.parameters, which) - held(h.ends, which);
    sum += BytesOf<R>(count<R>(n, {"parameters of the layers"}) *
                      lift<R>(bytes, {"bytes of a weight's narrow copies"}));
    const std::int64_t still = fixed(h.parameters, which).count - fixed(h.ends, which).count;
    if (!h.narrow_fixed || still <= 0) continue;
    sum += BytesOf<R>(count<R>(still, {"weights of the layers that do not train"}) *
                      lift<R>(h.narrow_bytes, {"bytes of a weight's narrow copies"}));
  }
  return sum;
}

template <Number R>
StateBytes<R> add_states(StageStates<R>& m, const Strategy& s, const Framework& f,
                         const StateRecipe& recipe, const StageHoldings& holdings) {
  const ParametersHeld& parameters = holdings.parameters;
  StateBytes<R> b = state_bytes<R>(recipe, parameters, s);
  const ParametersHeld& layer = holdings.largest_layer;
  send_optimizer_away<R>(m, s, f, recipe, layer.dense + layer.expert, b);
  if (s.offload.parameters != OffloadTarget::none) {
    send_away<R>(m, s.offload.parameters, b.weights + b.fixed);
    b.weights = b.fixed = BytesOf<R>{};
  }
  m.weights = b.weights + b.fixed;
  m.secondary = b.secondary + narrow_copies<R>(s, recipe, holdings);
  m.gradients = b.gradients;
  m.optimizer = b.optimizer;
  const std::int64_t held = parameters.dense + parameters.expert + parameters.fixed_dense.count +
                            parameters.fixed_expert.count;
  const BytesOf<R> states = b.weights + b.fixed + b.gradients + b.optimizer + m.secondary;
  if (held > 0) m.bytes_per_parameter = states.si() / count<R>(held, {"parameters of this rank"});
  return b;
}

// Parameters of a kind, whether they train or not.
std::int64_t all_of(const ParametersHeld& p, ShardedStates which) {
  return held(p, which) + fixed(p, which).count;
}

// Gathered parameters of a kind that live at once: both kinds up to max_live, and the largest
// module, which is fetched whatever lives (DeepSpeed,
// runtime/zero/partitioned_param_coordinator.py).
std::int64_t live_at_once(const StageHoldings& h, ShardedStates which, const FrameworkGathers& g) {
  using enum ShardedStates;
  const std::int64_t before =
      which == dense ? 0 : std::min(g.max_live, all_of(h.parameters, dense));
  const std::int64_t own = all_of(h.largest_module, which);
  const std::int64_t other = all_of(h.largest_module, which == dense ? expert : dense);
  const bool is_largest = own > other || (own == other && which == dense);
  return g.max_live - before + (is_largest ? own : 0);
}

// The larger of a layer and of the ends, whose products are apart in time, and the gradient of one
// module: a partitioned program has a collective beside each product (GSPMD, arXiv:2105.04663).
template <Number R>
BytesOf<R> gathered_by_product(const StageHoldings& h, ShardedStates which, R element, R gradient) {
  const std::int64_t at_once = std::max(held(h.largest_layer, which), held(h.ends, which));
  const R module = count<R>(held(h.largest_module, which), {"parameters of the largest module"});
  return BytesOf<R>(count<R>(at_once, {"parameters gathered at once"}) * element +
                    module * gradient);
}

// Gathered and streamed: the layer at work and the one fetched ahead, the gradient of one before it
// is reduced, and the ends, which are one piece that stays gathered. With flat copies the layer
// fetched ahead lies there twice, and the gradient as it is computed and in the buffers of two
// reductions. Module by module: as many as
// may live beside the largest, which is fetched whatever lives, the gradient of one, and once more
// the group that is put together from its flat buffer (DeepSpeed,
// runtime/zero/partition_parameters.py). Gathered once a step: all of it, and where gradients are
// summed wider than they are computed, those of one layer. Kept from forward to backward: all
// weights.
template <Number R>
BytesOf<R> gathered_of(const StateRecipe& recipe, const StageHoldings& h, ShardedStates which,
                       bool streamed, bool kept, const FrameworkGathers& g) {
  const R element = lift<R>(h.gathered_bytes, {"bytes of a gathered weight"});
  const R gradient = lift<R>(recipe.reduced, {"bytes of a gradient before it is reduced"});
  if (!streamed) {
    const R all = count<R>(held(h.parameters, which), {"parameters of this rank"});
    const double computed = recipe.reduced > recipe.gathered ? recipe.gathered : 0;
    const R layer = count<R>(held(h.largest_layer, which), {"parameters of the largest layer"});
    return BytesOf<R>(all * (element + gradient) +
                      layer * lift<R>(computed, {"bytes of a gradient as it is computed"}));
  }
  if (g.max_live > 0) {
    const std::int64_t all = held(h.parameters, which);
    const R at_once =
        count<R>(std::min(all, live_at_once(h, which, g)), {"parameters gathered at once"});
    const R copied = count<R>(std::min(all, g.prefetch_limit), {"parameters put together"});
    const R module = count<R>(held(h.largest_module, which), {"parameters of the largest module"});
    return BytesOf<R>((at_once + copied) * element + module * gradient);
  }
  const R layer = count<R>(held(h.largest_layer, which), {"parameters of the largest layer"});
  if (g.by_product) return gathered_by_product<R>(h, which, element, gradient);
  const R ends = count<R>(held(h.ends, which), {"parameters of embedding and head"});
  const R reduced = g.flat_copies ? element + R(2.0) * gradient : gradient;
  if (kept) {
    const R all = count<R>(held(h.parameters, which), {"parameters of this rank"});
    return BytesOf<R>(all * element + layer * reduced);
  }
  const R layers(g.flat_copies ? 3.0 : 2.0);
  return BytesOf<R>((layers * layer + ends) * element + layer * reduced);
}

// Weights that do not train: all, as many as may live, or two layers and the ends.
template <Number R>
BytesOf<R> fixed_gathered(const StageHoldings& h, ShardedStates which, bool all,
                          const FrameworkGathers& g) {
  const FixedWeights& every = fixed(h.parameters, which);
  if (every.count == 0) return {};
  Bytes bytes = every.gathered;
  if (!all && g.max_live > 0) {
    const std::int64_t at_once =
        std::min(every.count, live_at_once(h, which, g)) + std::min(every.count, g.prefetch_limit);
    bytes = every.gathered * (static_cast<double>(at_once) / static_cast<double>(every.count));
  } else if (!all) {
    const double layers = g.by_product ? 1 : 2;
    bytes = fixed(h.largest_layer, which).gathered * layers + fixed(h.ends, which).gathered;
  }
  return lift<R>(bytes, {"gathered weights that do not train"});
}

// Offloaded weights come layer by layer where a rank owns a shard of them or all. Under ZeRO 1 and
// 2 those of the forward pass stay: SHARD_GRAD_OP of FSDP frees gathered parameters after the
// backward pass alone (torch/distributed/fsdp/api.py, ShardingStrategy).
bool keeps_offloaded(const Strategy& s) {
  const std::int64_t zero = nearest_zero(s.partition);
  return zero == 1 || zero == 2;
}

template <Number R>
BytesOf<R> gathered(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                    const StageHoldings& h) {
  BytesOf<R> sum{};
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    const bool offloaded = s.offload.parameters != OffloadTarget::none;
    if (partition_of(s, which).weights <= 1 && !offloaded) continue;
    const bool streamed = offloaded || gathers_every_micro_batch(s, f);
    const bool kept = offloaded ? keeps_offloaded(s) : f.gathers.keeps(KeptGathered::layers);
    sum += fixed_gathered<R>(h, which, !streamed || kept, f.gathers);
    if (held(h.parameters, which) == 0) continue;
    sum += gathered_of<R>(recipe, h, which, streamed, kept, f.gathers);
  }
  return sum;
}

// Kept weights are reduced when the last backward pass is done, layer by layer from a flat buffer,
// the next filled while the last is sent. Free blocks of activations are too small for the buffer,
// so the allocator asks the device for more memory.
template <Number R>
BytesOf<R> reduced_at_the_end(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                              const StageHoldings& h) {
  const bool sharded = partition_of(s, ShardedStates::dense).weights > 1;
  if (!f.gradients.reduced_at_end || !sharded || gathers_every_micro_batch(s, f)) return {};
  const R layer = count<R>(h.largest_layer.dense, {"parameters of the largest layer"});
  return BytesOf<R>(R(2.0) * layer *
                    lift<R>(recipe.reduced, {"bytes of a gradient before it is reduced"}));
}

// DeepSpeed's ZeRO 1 and 2 reduce gradients in one flat buffer of B elements, or in two if one is
// filled while the other is reduced (runtime/zero/stage_1_and_2.py, setup_buckets); ZeRO 3 has one,
// made at the start (stage3.py); without ZeRO a buffer is no larger than all gradients
// (runtime/engine.py, allreduce_no_retain).
template <Number R>
BytesOf<R> reduce_buckets(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                          const StageHoldings& h) {
  if (f.buffers.bucket_elements == 0 || replicas(s, ShardedStates::dense) <= 1) return {};
  const std::int64_t zero = nearest_zero(s.partition);
  if (zero < 3 && !f.buffers.flat_gradients) return {};
  const bool two = f.buffers.bucket_pair && (zero == 1 || zero == 2);
  const std::int64_t most = h.parameters.dense + h.parameters.expert;
  const std::int64_t elements =
      zero == 0 ? std::min(most, f.buffers.bucket_elements) : f.buffers.bucket_elements;
  return BytesOf<R>(count<R>(elements, {"framework.buffers.bucket_elements"}) *
                    lift<R>(recipe.weights, {"training.states.weights"}) * R(two ? 2.0 : 1.0));
}

// Gradients that are summed over micro batches before any is reduced (FSDP's no_sync).
template <Number R>
BytesOf<R> whole_gradients(const StateRecipe& recipe, const StageHoldings& h) {
  const R all = count<R>(h.parameters.dense + h.parameters.expert, {"parameters of this rank"});
  return BytesOf<R>(all * lift<R>(recipe.reduced, {"bytes of a gradient before it is reduced"}));
}

template <Number R>
BytesOf<R> sum_of(const StageMemory<R>& m, std::initializer_list<MemoryLine> lines) {
  BytesOf<R> bytes{};
  for (const MemoryLine l : lines) bytes += m[l];
  return bytes;
}

}  // namespace

template <Number R>
BytesOf<R> set_activations(StageMemory<R>& m, const Strategy& s, const StageActivations<R>& a) {
  m[MemoryLine::activations] = kept_on_device(a, s.offload.activations);
  m[MemoryLine::recompute_working] = a.working;
  m[MemoryLine::logits] = a.logits;
  m[MemoryLine::transient] = a.transient;
  m.in_flight = a.in_flight;
  return a.kept - m[MemoryLine::activations];
}

template <Number R>
void choose_moment(StageMemory<R>& m) {
  using enum MemoryLine;
  if (plain(m.freed) == Bytes() && plain(m.update) == Bytes()) return;
  const BytesOf<R> at_work = sum_of(m, {activations, recompute_working, logits, transient});
  const BytesOf<R> at_loss = at_work - m.freed;
  const BytesOf<R> last = plain(m.freed) > Bytes() ? smaller(at_work, m.last_layer) : at_loss;
  const auto leave = [&m](BytesOf<R> kept) {
    for (const MemoryLine l : {activations, recompute_working, logits, transient}) m[l] = {};
    m[activations] = kept;
  };
  const BytesOf<R> in_passes = larger(at_loss, last) + m[gathered_weights] + m.lent;
  if (m.flat_update) m.outsized += smaller(m.update, in_passes);
  if (plain(m.update) > plain(in_passes)) {
    leave({});
    m[gathered_weights] = {};
    m[buckets] = m[buckets] - m.lent;
    m[optimizer_working] = m.update;
  } else if (plain(last) > plain(at_loss)) {
    leave(last);
  } else {
    m[gradients] = m[gradients] - m.freed;
  }
}

// Paged states are on the device as far as they fit beside `others`.
template <Number R>
void page_out(StageMemory<R>& m, BytesOf<R> others, Bytes capacity) {
  if (capacity == Bytes() || plain(others + m[MemoryLine::optimizer]) <= capacity * kAlmostAll) {
    return;
  }
  const BytesOf<R> beside =
      lift<R>(capacity * kAlmostAll, {"cluster.device.memory_capacity"}) - others;
  const BytesOf<R> stay = larger(BytesOf<R>{}, beside);
  m.host += m[MemoryLine::optimizer] - stay;
  m[MemoryLine::optimizer] = stay;
}

template <Number R>
void settle(StageMemory<R>& m, const Framework& f, Bytes capacity) {
  using enum MemoryLine;
  const BytesOf<R> states = sum_of(m, {weights, secondary_weights, gradients, optimizer});
  const BytesOf<R> at_work = sum_of(m, {optimizer_working, activations, recompute_working, logits,
                                        transient, gathered_weights, buckets});
  const BytesOf<R> paged = f.update.paged ? m[optimizer] : BytesOf<R>{};
  m.allocated = named(states + at_work - paged, {"allocated"});
  const BytesOf<R> blocks = at_work * lift<R>(f.allocator.activation_overhead,
                                              {"framework.allocator.activation_overhead"});
  BytesOf<R> rounding =
      states * lift<R>(f.allocator.state_overhead, {"framework.allocator.state_overhead"});
  BytesOf<R> cached = blocks + m.outsized;
  if (f.allocator.fragments_kept > 0) {
    const BytesOf<R> cut =
        blocks * lift<R>(f.allocator.fragments_kept, {"framework.allocator.fragments_kept"});
    rounding += cut;
    cached = cached - cut;
  }
  const BytesOf<R> used = m.allocated + rounding + m[context] + m[communicators];
  m.needed = used;
  m.given_back = Bytes();
  if (capacity > Bytes() && plain(used + cached) > capacity * kAlmostAll) {
    const BytesOf<R> room =
        lift<R>(capacity * kAlmostAll, {"cluster.device.memory_capacity"}) - used;
    const Bytes wanted = plain(cached);
    cached = larger(BytesOf<R>{}, room);
    m.given_back = wanted - plain(cached);
  }
  m[fragmentation] = named(rounding + cached, {"fragmentation"});
  m.reserved = named(m.allocated + m[fragmentation], {"reserved"});
  if (f.update.paged) page_out<R>(m, used + cached, capacity);
  m.peak = BytesOf<R>{};
  for (const BytesOf<R>& line : m.lines) m.peak += line;
  // Without cached blocks both are the same sum, to the last bit.
  if (plain(cached) == Bytes() && !f.update.paged) m.needed = m.peak;
}

namespace {

template <Number R>
StateBytes<R> listed_at_once(StateBytes<R> b, const StageHoldings& h) {
  if (!h.updated_one_by_one) return b;
  const std::int64_t most = std::max(h.largest_module.dense, h.largest_module.expert);
  b.listed = smaller(b.listed, count<R>(most, {"parameters of the largest module"}));
  return b;
}

// The sharding of `s` alone.
template <Number R>
StageStates<R> states_as(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                         const StageHoldings& holdings) {
  StageStates<R> states;
  const StateBytes<R> b = add_states<R>(states, s, f, held_recipe(recipe, s, f), holdings);
  states.gathered = gathered<R>(s, f, recipe, holdings);
  states.outsized = reduced_at_the_end<R>(s, f, recipe, holdings);
  states.buckets = reduce_buckets<R>(s, f, recipe, holdings);
  if (nearest_zero(s.partition) < 3) states.lent = states.buckets;
  if (f.gradients.whole_until_reduced && s.partition.weights > 1) {
    states.whole_gradients = whole_gradients<R>(recipe, holdings);
  }
  if (f.update.moment_lists > 0 || f.update.fp32_gradients) {
    const BytesOf<R> all = update_copies<R>(s, f, recipe, listed_at_once<R>(b, holdings));
    states.update = named(all - all * share_away<R>(s.offload), {"copies that the update makes"});
  }
  return states;
}

template <class R>
constexpr std::array kStateLinesOf = {&StageStates<R>::weights,   &StageStates<R>::secondary,
                                      &StageStates<R>::gradients, &StageStates<R>::optimizer,
                                      &StageStates<R>::gathered,  &StageStates<R>::buckets,
                                      &StageStates<R>::lent,      &StageStates<R>::whole_gradients,
                                      &StageStates<R>::outsized,  &StageStates<R>::update,
                                      &StageStates<R>::host,      &StageStates<R>::drives};
constexpr auto& kStateLines = kStateLinesOf<double>;

double count_of(const ParametersHeld& p) {
  return static_cast<double>(p.dense + p.expert + p.fixed_dense.count + p.fixed_expert.count);
}

// States of both shardings lie beside each other. Gradients that stay whole until they are reduced
// take the place of `gradients`, of which the other sharding has its own.
template <Number R>
StageStates<R> both(StageStates<R> a, StageStates<R> b, double share_of_a) {
  const bool some_whole = plain(a.whole_gradients) > Bytes() || plain(b.whole_gradients) > Bytes();
  for (StageStates<R>* s : {&a, &b}) {
    if (some_whole && plain(s->whole_gradients) == Bytes()) s->whole_gradients = s->gradients;
  }
  for (const auto line : kStateLinesOf<R>) a.*line += b.*line;
  const R share = lift<R>(share_of_a, {"share of the parameters sharded as the run has it"});
  a.bytes_per_parameter = share * a.bytes_per_parameter + (R(1.0) - share) * b.bytes_per_parameter;
  return a;
}

}  // namespace

template <Number R>
StageStates<R> stage_states(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                            const StageHoldings& holdings) {
  if (!holds_any(holdings.resharded.parameters)) return states_as<R>(s, f, recipe, holdings);
  StageHoldings apart = holdings;
  static_cast<ShardedHoldings&>(apart) = holdings.resharded;
  const StageStates<R> other = states_as<R>(resharded(s), f, recipe, apart);
  if (!holds_any(holdings.parameters)) return other;
  const double own = count_of(holdings.parameters);
  return both<R>(states_as<R>(s, f, recipe, holdings), other,
                 own / (own + count_of(holdings.resharded.parameters)));
}

namespace {}  // namespace

StageStates<double> least_of(std::span<const StageStates<double>> states) {
  StageStates<double> least = states.front();
  for (const StageStates<double>& s : states) {
    for (const auto line : kStateLines) least.*line = std::min(least.*line, s.*line);
  }
  return least;
}

StageStates<double> most_of(std::span<const StageStates<double>> states) {
  StageStates<double> most = states.front();
  for (const StageStates<double>& s : states) {
    for (const auto line : kStateLines) most.*line = std::max(most.*line, s.*line);
  }
  return most;
}

namespace {

template <Number R>
void set_states(StageMemory<R>& m, const StageStates<R>& states) {
  m[MemoryLine::weights] = states.weights;
  m[MemoryLine::secondary_weights] = states.secondary;
  m[MemoryLine::gradients] = states.gradients;
  m[MemoryLine::optimizer] = states.optimizer;
  m[MemoryLine::gathered_weights] = states.gathered;
  m[MemoryLine::buckets] = states.buckets;
  m.lent = states.lent;
  m.outsized = states.outsized;
  m.update = states.update;
  m.host = states.host;
  m.drives = states.drives;
  m.bytes_per_parameter = states.bytes_per_parameter;
}

}  // namespace

template <Number R>
StageMemory<R> unsettled_memory(const Strategy& s, const Framework& f, const StageStates<R>& states,
                                const StageHoldings& holdings,
                                const StageActivations<R>& activations) {
  StageMemory<R> m;
  set_states<R>(m, states);
  if (s.micro_batches > 1 && plain(states.whole_gradients) > Bytes()) {
    m[MemoryLine::gradients] = states.whole_gradients;
  }
  send_away<R>(m, s.offload.activations, set_activations<R>(m, s, activations));
  if (replicas(s, ShardedStates::dense) > 1) {
    m[MemoryLine::buckets] += lift<R>(f.buffers.bucket, {"framework.buffers.bucket"});
  }
  if (holdings.receive_buffers > Bytes()) {
    m[MemoryLine::buckets] += lift<R>(holdings.receive_buffers, {"receive buffers of the stage"});
  }
  if (f.gradients.freed_with_step && s.micro_batches == 1 && s.pp == 1) {
    m.freed = m[MemoryLine::gradients];
    m.last_layer = activations.largest + activations.working + activations.transient;
  }
  m.flat_update = f.update.fp32_gradients;
  choose_moment<R>(m);
  m[MemoryLine::context] = lift<R>(f.buffers.context, {"framework.buffers.context"});
  m[MemoryLine::communicators] =
      lift<R>(f.buffers.group, {"framework.buffers.group"}) *
      lift<R>(holdings.groups,
              {"process groups × channels over an A100's, one for 12.5 GB/s of links"});
  for (const MemoryLine line : kAllOf<MemoryLine>) {
    m[line] = named(m[line], {name_of(line).data()});
  }
  return m;
}

template <Number R>
StageMemory<R> stage_memory(const Strategy& s, const Framework& f, const StateRecipe& recipe,
                            const StageHoldings& holdings, const StageActivations<R>& activations) {
  StageMemory<R> m =
      unsettled_memory<R>(s, f, stage_states<R>(s, f, recipe, holdings), holdings, activations);
  settle<R>(m, f, Bytes());
  return m;
}

template BytesOf<double> set_activations(StageMemory<double>&, const Strategy&,
                                         const StageActivations<double>&);
template BytesOf<Traced> set_activations(StageMemory<Traced>&, const Strategy&,
                                         const StageActivations<Traced>&);
template void choose_moment(StageMemory<double>&);
template void choose_moment(StageMemory<Traced>&);
template void settle(StageMemory<double>&, const Framework&, Bytes);
template void settle(StageMemory<Traced>&, const Framework&, Bytes);
template StageStates<double> stage_states(const Strategy&, const Framework&, const StateRecipe&,
                                          const StageHoldings&);
template StageStates<Traced> stage_states(const Strategy&, const Framework&, const StateRecipe&,
                                          const StageHoldings&);
template StageMemory<double> unsettled_memory(const Strategy&, const Framework&,
                                              const StageStates<double>&, const StageHoldings&,
                                              const StageActivations<double>&);
template StageMemory<Traced> unsettled_memory(const Strategy&, const Framework&,
                                              const StageStates<Traced>&, const StageHoldings&,
                                              const StageActivations<Traced>&);
template StageMemory<double> stage_memory(const Strategy&, const Framework&, const StateRecipe&,
                                          const StageHoldings&, const StageActivations<double>&);
template StageMemory<Traced> stage_memory(const Strategy&, const Framework&, const StateRecipe&,
                                          const StageHoldings&, const StageActivations<Traced>&);

}  // namespace orrery
