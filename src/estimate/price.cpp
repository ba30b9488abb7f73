// SPDX-License-Identifier: Apache-2.0
#include "estimate/price.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>

#include "cost/operator_time.h"
#include "cost/quantise.h"
#include "estimate/block_tensors.h"
#include "estimate/bucket_prices.h"
#include "estimate/counted_parts.h"
#include "estimate/exposed_exchange.h"
#include "estimate/launches.h"
#include "estimate/messages.h"
#include "estimate/run.h"
#include "estimate/updates.h"
#include "network/coded_cost.h"

namespace orrery {

namespace {

const Group& group_of(const Placement& p, ExchangeGroup g) {
  switch (g) {
    case ExchangeGroup::tp:
      return p.tp;
    case ExchangeGroup::cp:
      return p.cp;
    case ExchangeGroup::ep:
      return p.ep;
    case ExchangeGroup::etp:
      return p.etp;
    case ExchangeGroup::dp:
      return p.dp;
  }
  return p.tp;
}

// Mean number of n places that k even draws reach: n(1 − (1 − 1/n)^k).
double reached(double n, double k) { return n * (1 - std::pow(1 - 1 / n, k)); }

// Nodes that hold at least one of the experts of a token, of `nodes` of the group. Groups of
// experts stand on nodes in order, and those that a token chooses by their best experts all get
// some of its tokens (DeepSeek-V3, arXiv:2412.19437, section 2.1.2: at most four nodes).
double nodes_reached(double nodes, const MixtureOfExperts& moe) {
  const auto k = static_cast<double>(moe.top_k);
  const double any = reached(nodes, k);
  if (moe.top_groups == 0 || moe.top_groups >= moe.groups) return any;
  const auto chosen = static_cast<double>(moe.top_groups);
  const double of_a_group = nodes / static_cast<double>(moe.groups);
  return std::min(any, of_a_group < 1 ? reached(nodes, chosen) : chosen * of_a_group);
}

// Ranks of the group that hold at least one of the experts of a token.
double ranks_reached(double ranks, const MixtureOfExperts& moe) {
  const bool any = moe.top_groups == 0 || moe.top_groups >= moe.groups;
  const double chosen =
      any ? ranks : ranks * static_cast<double>(moe.top_groups) / static_cast<double>(moe.groups);
  return reached(std::max(1.0, chosen), static_cast<double>(moe.top_k));
}

// The share of a dispatch, one copy of a token for each of its experts, that travels if only so
// many are sent.
template <Number R>
BytesOf<R> copies_of(BytesOf<R> buffer, double copies, const MixtureOfExperts& moe) {
  const auto k = static_cast<double>(moe.top_k);
  return buffer * lift<R>(std::min(1.0, copies / k), {"copies sent over experts chosen"});
}

// The ranks of the group in one node.
Group part_in_node(Group g, std::size_t node) {
  g.ranks = g.members[node];
  for (std::int64_t& n : g.members) n = std::min(n, g.ranks);
  return g;
}

// A token goes to each rank that holds some of its experts once, and crosses to each node once: the
// rank that gets it there passes it on by the links in the node, which carry every copy (DeepEP
// counts tokens by rank and by node; Megatron-Core's MoE README 0.19: flex). Both ways work at the
// same time, so that the longer one counts. One of the nodes reached is the rank's own as often as
// any other, so that (n − 1)/n of the copies leave it.
template <Number R>
CollectiveCost<R> cost_without_repeats(const Run& run, const Group& group, Collective collective,
                                       BytesOf<R> buffer, const Codec& codec) {
  const MixtureOfExperts& moe = run.model.moe;
  const std::size_t node = tier_of(run.cluster, run.cluster.devices_per_node);
  const auto ranks = static_cast<double>(group.ranks);
  const BytesOf<R> copies = copies_of(buffer, ranks_reached(ranks, moe), moe);
  const auto inside = group.members[node];
  if (inside >= group.ranks) return coded_cost<R>(run.cluster, group, collective, copies, codec);
  const double nodes = ranks / static_cast<double>(inside);
  const BytesOf<R> to_nodes = copies_of(buffer, nodes_reached(nodes, moe), moe);
  CollectiveCost<R> cost = coded_cost<R>(run.cluster, group, collective, to_nodes, codec);
  cost.sent = to_nodes * lift<R>((nodes - 1) / nodes / cost.ratio, {"share that leaves the node"});
  if (inside > 1) {
    cost.time = larger(
        cost.time,
        coded_cost<R>(run.cluster, part_in_node(group, node), collective, copies, codec).time);
  }
  return cost;
}

// Tokens, and in backward their gradients, go to their experts in 8 bits and come back in 16.
template <Number R>
BytesOf<R> as_dispatched(BytesOf<R> buffer, const Run& run, const ShardedOperator& op,
                         const Exchange& e) {
  const Precision precision = run.training.precision;
  const bool out =
      e.pass == Pass::forward ? op.name == OpName::permute : op.name == OpName::unpermute;
  const double bytes = run.framework.experts.dispatch_bytes;
  const double wide = element_bytes(storage_precision(precision));
  if (bytes == 0 || !out || element_bytes(precision) >= wide) return buffer;
  return buffer *
         lift<R>(bytes / wide, {"framework.experts.dispatch_bytes over bytes of an element"});
}

// Lists every exchange on its own, beside the sums, if message sizes are asked for.
struct ExchangeNotes {
  std::vector<PricedExchange>* out = nullptr;
  BlockType block{};

  void add(Phase phase, OpName op, const Exchange& e, const CollectiveCost<double>& cost,
           Seconds bare) const {
    if (out == nullptr) return;
    const auto times = static_cast<double>(e.times);
    const CommLine<double> line = {dimension_of(e.group),
                                   e.collective,
                                   cost.algorithm,
                                   cost.tier,
                                   1,  // the group's ranks are filled in with its counts
                                   e.times,
                                   cost.bytes_per_rank * times,
                                   cost.time * times,
                                   bare,
                                   {},
                                   {},
                                   cost.sent * times};
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(op);
    out->push_back({block, phase, e.group, {line, cost.message, bit}});
  }
};

template <Number R>
ExposedExchanges<R> exposed_of(const ExchangeTable<R>& table) {
  ExposedExchanges<R> exposed;
  for (const ExchangeGroup g : kAllOf<ExchangeGroup>) {
    for (const ExchangeSum<R>& e : table[g]) {
      exposed.by_group[g] += e.exposed;
      exposed.all += e.exposed;
    }
  }
  return exposed;
}

// Products, alone or within attention, run at the rate of the device's clock.
bool is_by_clock(OpKind kind) {
  const OpFacts& facts = kOpFacts[kind];
  return facts.product || facts.attention || kind == OpKind::recurrence;
}

template <Number R>
class Pricer {
 public:
  Pricer(const Run& run, const Device& device, const Placement& placement, ExchangeNotes notes,
         BlockPrice<R>& out)
      : run_(run),
        device_(device),
        placement_(placement),
        kernels_(kernel_choice(run)),
        mask_(recomputed_modules(run.strategy)),
        notes_(notes),
        out_(out) {}

  // `needed`: modules of which a later operator misses a tensor. `replayed`: full recompute runs
  // this operator again.
  void add(const ShardedOperator& op, ModuleMask needed, bool replayed) {
    const Label name{name_of(op.name).data()};
    OperatorTime<R> t = operator_time<R>(op, device_, kernels_);
    if (is_by_clock(op.kind)) {
      by_clock_ += plain(t.forward + t.backward_input + t.backward_weight);
    }
    add_quantising<R>(op, device_, kernels_.linear, t);
    add_unpacking<R>(op, device_, kernels_, t);
    replayed = replayed && op.backward != Backward::never;
    const SecondsOf<R> forward = named(t.forward, name);
    const double again = share_again(op, needed);
    compute(Phase::forward) += forward;
    compute(Phase::backward) += named(t.backward_input + t.backward_weight, name);
    out_.weight_gradient += kOpFacts[op.kind].selects ? t.backward_input : t.backward_weight;
    const Launches calls = launches_of(op, run_);
    launches(Phase::forward) += calls.forward;
    launches(Phase::backward) += calls.backward;
    out_.modules += modules_of(op);
    if (again > 0) {
      launches(Phase::recompute_selective) += calls.forward * again;
      compute(Phase::recompute_selective) += forward * lift<R>(again, {"share that runs again"});
      out_.selective_flops += counted_flops(op) * again;
    }
    if (replayed) {
      launches(Phase::recompute_full) += calls.forward;
      compute(Phase::recompute_full) += forward;
      out_.full_flops += counted_flops(op);
    }
    const bool ends_graph =
        op.name == OpName::attention_residual || op.name == OpName::router_softmax;
    if (ends_graph) captured_ = out_.launches;
    // The counts are read once tokens are in the order of their experts.
    if (op.name == OpName::permute && waits_for_counts(run_.framework)) {
      note_wait(again > 0, replayed);
    }
    for (std::uint8_t i = 0; i < op.exchange_count; ++i) {
      add_exchange(op, op.exchanges[i], t, again > 0, replayed);
    }
  }

  // Captured launches become one: all of a pass, or those of a layer up to its MLP or experts.
  void replay_graphs() {
    const FrameworkHost& host = run_.framework.host;
    if (host.graphs == GraphScope::none || host.launch == Seconds()) return;
    const bool full = host.graphs == GraphScope::full;
    for (const Phase p : kAllOf<Phase>) {
      const double captured = full ? launches(p) : captured_[p];
      if (captured == 0) continue;
      const double replay = full ? 0.0 : host.graph_replay / host.launch;
      const double saved = captured - replay;
      launches(p) -= saved;
      double& before = out_.before_wait[p].launches;
      before = std::max(0.0, before - saved);
    }
  }

  // Forward and backward of products and attention.
  Seconds by_clock() const { return by_clock_; }

 private:
  // In forward, and where the order of tokens is computed again.
  void note_wait(bool again, bool replayed) {
    const auto note = [&](Phase p) {
      const SecondsOf<R> exchanged = exposed_of<R>(out_.exchanges[p]).all;
      out_.before_wait[p] = {launches(p), compute(p) + exchanged};
    };
    note(Phase::forward);
    if (again) note(Phase::recompute_selective);
    if (replayed) note(Phase::recompute_full);
  }

  // Modules of a layer: each product and norm, and what holds them.
  double modules_of(const ShardedOperator& op) const {
    const bool holds = op.has_weight || op.parameters > 0;
    return holds ? products_of(op, run_) : 0;
  }

  // How much of its forward selective recompute runs again.
  double share_again(const ShardedOperator& op, ModuleMask needed) const {
    if (op.backward == Backward::never) return 0;
    unsigned by = op.recomputed_by & mask_;
    if (run_.framework.recompute.stops_early) by &= needed;
    if (by == 0) return 0;
    return by == mask_of(Module::alternate_products) ? op.alternate_share : 1;
  }

  Flops counted_flops(const ShardedOperator& op) const {
    switch (run_.convention) {
      case FlopsConvention::six_n:
        return forward_flops(op.kind, op, 0);
      case FlopsConvention::causal:
        return forward_flops(op.kind, op, op.masked_pairs);
      case FlopsConvention::megatron:
      case FlopsConvention::palm:
        return forward_flops(op.kind, op, op.megatron_pairs);
    }
    return {};
  }

  double& launches(Phase p) { return out_.launches[p]; }
  SecondsOf<R>& compute(Phase p) { return out_.compute[p]; }

  void add_exchange(const ShardedOperator& op, const Exchange& e, const OperatorTime<R>& t,
                    bool again, bool replayed) {
    const Group& group = group_of(placement_, e.group);
    BytesOf<R> buffer = lift<R>(e.buffer, {"exchanged buffer"});
    const bool dispatched = e.group == ExchangeGroup::ep;
    if (dispatched) buffer = as_dispatched<R>(buffer, run_, op, e);
    static constexpr Codec kAsItIs{};  // samples' features; dp compresses weights and gradients
    const Codec& codec = e.group == ExchangeGroup::dp
                             ? kAsItIs
                             : run_.compression.of(dimension_of(e.group), e.collective);
    const CollectiveCost<R> cost =
        dispatched && run_.framework.experts.dispatch_once_per_node
            ? cost_without_repeats<R>(run_, group, e.collective, buffer, codec)
            : coded_cost<R>(run_.cluster, group, e.collective, buffer, codec);
    const R times = R(static_cast<double>(e.times));
    const SecondsOf<R> time = cost.time * times;
    const SecondsOf<R> bare = exposed_part(e, time, cost.tier, cover_of<R>(op, e, t), run_);
    const Phase phase = e.pass == Pass::forward ? Phase::forward : Phase::backward;
    tally(phase, op.name, e, cost, time, bare);
    if (e.pass != Pass::forward) return;
    if (again) tally(Phase::recompute_selective, op.name, e, cost, time, bare);
    if (replayed) tally(Phase::recompute_full, op.name, e, cost, time, bare);
  }

  void tally(Phase phase, OpName op, const Exchange& e, const CollectiveCost<R>& cost,
             SecondsOf<R> time, SecondsOf<R> bare) {
    const R times = R(static_cast<double>(e.times));
    ExchangeSum<R>& sum = out_.exchanges[phase][e.group][e.collective];
    const FrameworkHost& host = run_.framework.host;
    const LaunchTable& table = e.pass == Pass::forward ? host.forward : host.backward;
    launches(phase) += table[HostWork::exchange] * static_cast<double>(e.times);
    sum.count += e.times;
    sum.bytes += cost.bytes_per_rank * times;
    sum.sent += cost.sent * times;
    sum.uncompressed += cost.bytes_per_rank * R(cost.ratio) * times;
    sum.codec += cost.codec * times;
    sum.time += time;
    sum.exposed += bare;
    sum.algorithm = cost.algorithm;
    sum.tier = cost.tier;
    if constexpr (std::same_as<R, double>) notes_.add(phase, op, e, cost, bare);
  }

  const Run& run_;
  const Device& device_;
  const Placement& placement_;
  KernelChoice kernels_;
  ModuleMask mask_;
  ExchangeNotes notes_;
  BlockPrice<R>& out_;
  EnumArray<Phase, double> captured_{};
  Seconds by_clock_{};
};

// The block's operators on this device; the time of its products and attention.
template <Number R>
Seconds price_on(const Run& run, const Device& device, const Placement& placement,
                 const ShardedBlock& sharded, ExchangeNotes notes, BlockPrice<R>& out) {
  Pricer<R> pricer(run, device, placement, notes, out);
  const std::uint8_t end =
      run.framework.recompute.stops_early ? last_needed(sharded) : recomputable_end(sharded);
  const DroppedAfter dropped = dropped_after(sharded);
  for (std::uint8_t i = 0; i < sharded.count; ++i) {
    pricer.add(sharded.operators[i], dropped[i], i < end);
  }
  pricer.replay_graphs();
  for (const Phase p : kAllOf<Phase>) out.exposed[p] = exposed_of<R>(out.exchanges[p]);
  return pricer.by_clock();
}

// The rate of products and attention that the cap leaves, by their share of the block's forward and
// backward pass and of the exchanges that both wait for. One layer is shorter than the control of
// power takes, but the next is like it. Waits for weights, sends and the host, and the pipeline's
// bubble, in which the device cools, are left out.
double rate_under_cap(const Run& run, const Placement& placement, const ShardedBlock& sharded) {
  const Device& device = run.cluster.device;
  const Watts cap = cap_of(run.cluster);
  if (!is_known(device.clock) || cap == device.clock.rates_at) return 1;
  BlockPrice<double> free;
  const Seconds products = price_on<double>(run, device, placement, sharded, {}, free);
  Seconds all;
  for (const Phase p : {Phase::forward, Phase::backward}) {
    all += free.compute[p] + free.exposed[p].all;
  }
  return sustained_rate(device.clock, cap, {products, all - products});
}

template <Number R>
void price_operators(const Run& run, const Placement& placement, const ShardedBlock& sharded,
                     ExchangeNotes notes, BlockPrice<R>& out) {
  const double rate = rate_under_cap(run, placement, sharded);
  if (rate == 1) {
    price_on<R>(run, run.cluster.device, placement, sharded, notes, out);
    return;
  }
  Device slowed = run.cluster.device;
  slowed.sustained = rate;
  price_on<R>(run, slowed, placement, sharded, notes, out);
}

// Products in fp8 read frozen weights of fp8 as they are stored.
bool reads_packed(const Run& run) {
  const auto& adapter = run.training.adapter;
  return adapter && adapter->base == BaseFormat::fp8 && run.training.precision == Precision::fp8;
}

template <Number R>
void set_staying(const ShardedBlock& block, ModuleMask recomputed, TensorMask moved,
                 BlockActivations<R>& a) {
  const Label label{"saved tensors of a block that are not offloaded"};
  a.kept_stays = lift<R>(staying_bytes(block, recomputed, moved), label);
  a.all_stays = lift<R>(staying_bytes(block, 0, moved), label);
  const bool input_moves = (mask_of(OffloadTensor::attn_norm) & moved) != 0;
  a.input_stays = input_moves ? BytesOf<R>{} : a.input;
}

template <Number R>
void price_block(const Run& run, const Placement& placement, const Block& block,
                 const Degrees& degrees, ShardedBlock& scratch, ExchangeNotes notes,
                 BlockPrice<R>& out) {
  out = BlockPrice<R>{};
  shard(block, degrees, scratch);
  price_operators<R>(run, placement, scratch, notes, out);
  const double element = element_bytes(storage_precision(run.training.precision));
  const ModuleMask again = recomputed_modules(run.strategy);
  out.activations.kept =
      counted<R>(kept_bytes(scratch, again), {"saved tensors of a block under this recompute"},
                 [&] { return kept_tensors(block, degrees, again); });
  out.activations.kept_all = counted<R>(kept_bytes(scratch, 0), {"saved tensors of a block"},
                                        [&] { return kept_tensors(block, degrees, 0); });
  out.activations.logits = counted<R>(loss_bytes(scratch), {"logits and their gradient"},
                                      [&] { return kept_logits(block, degrees); });
  out.activations.input =
      counted<R>(scratch.input, {"input of a block"}, [&] { return kept_input(block, degrees); });
  if (const TensorMask moved = run.strategy.offload.tensors; moved != 0) {
    set_staying<R>(scratch, again, moved, out.activations);
  }
  out.activations.pieces = scratch.pieces;
  out.activations.transient = counted<R>(transient_bytes(scratch, element, reads_packed(run)),
                                         {"gradients of activations at work"},
                                         [&] { return largest_gradients(scratch, element); });
  if (schedule_of(run).entry().written_out) {
    out.activations.for_weights =
        lift<R>(weight_gradient_bytes(scratch, element, element_bytes(run.training.precision)),
                {"what the weight gradients of a block need"});
  }
  out.runs_backward = runs_backward(block);
  out.parameters = parameters_held(scratch, false);
  out.largest_module = largest_module(scratch);
  out.parameters_with_copy = parameters_held(scratch, true);
  add_updates(run, placement, block, scratch, false, out.parameters);
  add_updates(run, placement, block, scratch, true, out.parameters_with_copy);
  if constexpr (std::same_as<R, Traced>) record_parameters(block, degrees, out);
}

// The groups whose collectives stand between the operators of a layer.
Placement place_in_training(const Run& run) {
  Placement p = place(run.strategy, tier_sizes(run.cluster));
  for (Group* g : {&p.tp, &p.cp, &p.ep, &p.etp, &p.etp_ep}) {
    g->fabric_share = run.framework.network.layer_fabric_share;
  }
  return p;
}

// The first of the profile's kernels that is made for the device, else the first that it has.
AttentionKernel attention_kernel(const Run& run) {
  if (run.training.attention_kernel) return *run.training.attention_kernel;
  const FrameworkKernels& f = run.framework.kernels;
  const Device& d = run.cluster.device;
  const std::span<const AttentionKernel> profile(f.attention.data(), f.attention_count);
  for (const AttentionKernel k : profile) {
    if (is_native(curve_of(d, k))) return k;
  }
  for (const AttentionKernel k : profile) {
    if (is_available(curve_of(d, k))) return k;
  }
  for (const AttentionKernel k : kAllOf<AttentionKernel>) {
    if (is_available(curve_of(d, k))) return k;
  }
  return AttentionKernel::flash_2;
}

}  // namespace

KernelChoice kernel_choice(const Run& run) {
  KernelChoice k;
  k.linear = run.training.precision;
  k.wide = storage_precision(run.training.precision);
  k.attention = attention_kernel(run);
  k.linear_rate = run.framework.kernels.linear_rate;
  k.grouped_rate = run.framework.kernels.grouped_rate;
  k.pointwise_passes = run.framework.kernels.pointwise_passes;
  k.unpacking_passes = reads_packed(run) ? 0 : run.framework.kernels.unpacking_passes;
  return k;
}

template <Number R>
void price_one_size(const Run& run, PriceScratch& scratch, Prices<R>& prices) {
  prices.placement = place_in_training(run);
  model_operators(run.model, list_options(run), scratch.model);
  Degrees degrees = degrees_of(run.strategy);
  degrees.gathers_again = !run.framework.saved.gathered_inputs;
  if (const auto& adapter = run.training.adapter) {
    degrees.linear_bytes = linear_bytes(*adapter);
    degrees.frozen_bytes = other_bytes(*adapter);
  }
  const auto block = [&](const Block& b, BlockType i) {
    if (b.count == 0) return;
    price_block<R>(run, prices.placement, b, degrees, scratch.sharded, {scratch.exchanges, i},
                   prices.blocks[i]);
  };
  for (std::size_t i = 0; i < kMaxLayerTypes; ++i) {
    block(scratch.model.layers[i], block_of_layer(i));
  }
  block(scratch.model.embedding, BlockType::embedding);
  block(scratch.model.head, BlockType::head);
  block(scratch.model.mtp, BlockType::mtp);
  block(scratch.model.tower, BlockType::tower);
  block(scratch.model.tower_ends, BlockType::tower_ends);
}

template <Number R>
void price(const Run& run, PriceScratch& scratch, Prices<R>& prices) {
  if (run.training.buckets.count > 0) return price_buckets<R>(run, scratch, prices);
  prices.buckets.clear();
  price_one_size<R>(run, scratch, prices);
}

template <Number R>
Prices<R> price(const Run& run) {
  PriceScratch scratch;
  Prices<R> prices;
  price<R>(run, scratch, prices);
  return prices;
}

template void price_one_size(const Run&, PriceScratch&, Prices<double>&);
template void price_one_size(const Run&, PriceScratch&, Prices<Traced>&);
template void price(const Run&, PriceScratch&, Prices<double>&);
template void price(const Run&, PriceScratch&, Prices<Traced>&);
template Prices<double> price(const Run&);
template Prices<Traced> price(const Run&);

}  // namespace orrery
