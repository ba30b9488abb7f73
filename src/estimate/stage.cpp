// SPDX-License-Identifier: Apache-2.0
#include "estimate/stage.h"

#include <algorithm>

#include "cost/beside.h"
#include "cost/memory_time.h"
#include "estimate/block_parameters.h"
#include "estimate/run.h"
#include "estimate/sharding.h"
#include "parallel/partition.h"

namespace orrery {
namespace {

// (aᵖ + bᵖ)^(1/p): the larger of two that overlap, and a little more where they are alike.
template <Number R>
SecondsOf<R> overlapped(SecondsOf<R> a, SecondsOf<R> b, double p) {
  if (plain(b) == Seconds()) return a;
  if (plain(a) == Seconds()) return b;
  const SecondsOf<R> most = larger(a, b);
  const R x = a / most;
  const R y = b / most;
  return most * power(power(x, p) + power(y, p), 1 / p);
}

template <Number R>
struct ShardTraffic {
  SecondsOf<R> gather_forward{};
  SecondsOf<R> gather_backward{};
  SecondsOf<R> reduce{};
  SecondsOf<R> gather_copies{};  // of gathered weights, in the stream that computes
  SecondsOf<R> reduce_copies{};  // of gradients
};

// The time of copies of n parameters beside no other work.
template <Number R>
SecondsOf<R> copy_time(const Run& run, std::int64_t n, double bytes, const char* label) {
  if (bytes == 0) return {};
  return named(
      memory_time<R>(lift<R>(Bytes(static_cast<double>(n) * bytes), {label}), run.cluster.device),
      {"copies of sharded weights and gradients"});
}

// Traffic of one block in each micro batch because its weights or gradients are sharded.
template <Number R>
ShardTraffic<R> shard_traffic(const Run& run, BlockType block, const ParametersHeld& parameters) {
  ShardTraffic<R> t;
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    const Partition p = partition_of(run.strategy, which);
    const std::int64_t n = held(parameters, which);
    const FixedWeights& still = fixed(parameters, which);
    if (gathers_every_micro_batch(run.strategy, run.framework)) {
      const SecondsOf<R> gather =
          gather_weights<R>(run, which, n, still.gathered, p.weights).time();
      t.gather_forward += gather;
      t.gather_copies +=
          copy_time<R>(run, n, run.framework.gathers.copy_bytes, "gathered weights copied");
      if (gathers_again(run.framework, block)) {
        const bool same =
            secondary_of(run.strategy, which) == 0 && still.gathered_again == still.gathered;
        t.gather_backward +=
            same ? gather
                 : gather_weights_again<R>(run, which, n, still.gathered_again, p.weights).time();
      }
    }
    if (!reduces_every_micro_batch(run.strategy, run.framework)) continue;
    t.reduce += reduce_gradients<R>(run, which, n, 1, p.gradients).time();
    if (sums_replicas_every_micro_batch(run.strategy, run.framework)) {
      t.reduce += sum_over_replicas<R>(run, which, n, p.gradients).time();
    }
    t.reduce_copies +=
        copy_time<R>(run, n, run.framework.gradients.copy_bytes, "gradients copied for reduction");
  }
  return t;
}

// The share of a block's gather that comes ahead of its use.
template <Number R>
R gathered_ahead(const Run& run, const ParametersHeld& module, bool ahead) {
  if (!ahead) return R(0.0);
  const std::int64_t most =
      std::max(held(module, ShardedStates::dense), held(module, ShardedStates::expert));
  const std::int64_t limit = run.framework.gathers.prefetch_limit;
  if (limit == 0 || most <= limit) return R(1.0);
  return lift<R>(static_cast<double>(limit), {"framework.gathers.prefetch_limit"}) /
         count<R>(most, {"parameters of the largest module"});
}

// The time that traffic adds to a pass that takes `pass`. Overlapped traffic is combined with it by
// a p-norm; while both run, they take multiprocessors and memory bandwidth from each other, which
// costs a share of that time. The rest of the traffic is added.
template <Number R>
SecondsOf<R> growth(const Run& run, SecondsOf<R> pass, SecondsOf<R> gather, R ahead,
                    SecondsOf<R> reduce) {
  const Framework& f = run.framework;
  const SecondsOf<R> none{};
  const SecondsOf<R> beside = ahead * gather + (f.overlap.grad_reduce ? reduce : none);
  const SecondsOf<R> after = (R(1.0) - ahead) * gather + (f.overlap.grad_reduce ? none : reduce);
  const SecondsOf<R> joined = overlapped(pass, beside, f.gathers.prefetch_norm);
  const SecondsOf<R> both = named(pass + beside - joined, {"time in which both run"});
  const R lost = lift<R>(f.overlap.slowdown, {"framework.overlap.slowdown"});
  return joined - pass + lost_beside<R>(lost, both) + after;
}

// A product that adds to 32-bit sums in its epilogue runs at 0.70 of the peak where it runs at 0.74
// without (MooreThreads/SimuMax@4dcaae51 configs/system, A100 PCIe, bf16).
constexpr double kSumsBesideProduct = 0.74 / 0.70 - 1;
// Bytes an element: the sum is read and written, and the product does not store its own 2.
constexpr double kBytesOfThoseSums = 2 * 4 - 2;

// Elements of weight gradients that one micro batch adds up. Gradients reduced in every micro batch
// are summed as shards.
double summed_elements(const Run& run, const ParametersHeld& p, const FreeSharding* free) {
  const bool sharded = reduces_every_micro_batch(run.strategy, run.framework);
  double n = 0;
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    std::int64_t degree = sharded ? partition_of(run.strategy, which).gradients : 1;
    if (free != nullptr) degree = free->summed_shards;
    n += static_cast<double>(held(p, which)) / static_cast<double>(degree);
  }
  return n;
}

// A weight gradient is added to the sum of the step, read and written at the size it is kept in. A
// product that adds by itself takes longer by what its epilogue reads besides, or as long as the
// bytes of the sum take; otherwise a kernel of its own reads the gradient once more.
template <Number R>
SecondsOf<R> accumulation(const Run& run, const ParametersHeld& p, SecondsOf<R> product,
                          const FreeSharding* free) {
  const StateRecipe& recipe = run.training.recipe;
  const double n = summed_elements(run, p, free);
  const auto pass = [&](double bytes) {
    return memory_time<R>(lift<R>(Bytes(n * bytes), {"bytes of summed gradients"}),
                          run.cluster.device);
  };
  const double besides = 2 * recipe.gradients - recipe.weights;
  if (!run.framework.gradients.fused_accumulation) {
    return named(pass(2 * recipe.gradients + recipe.weights), {"adding up gradients"});
  }
  const SecondsOf<R> summed =
      product * lift<R>(1 + kSumsBesideProduct * std::max(0.0, besides) / kBytesOfThoseSums,
                        {"what sums in the epilogue cost the product"});
  return named(larger(summed, pass(2 * recipe.gradients)) - product, {"adding up gradients"});
}

template <Number R>
void add_exchanges(Terms<R>& terms, const ExposedExchanges<R>& exposed, R n) {
  const EnumArray<ExchangeGroup, SecondsOf<R>>& of = exposed.by_group;
  terms[Term::tp_exposed] += n * (of[ExchangeGroup::tp] + of[ExchangeGroup::etp]);
  terms[Term::cp_exposed] += n * of[ExchangeGroup::cp];
  terms[Term::ep_exposed] += n * of[ExchangeGroup::ep];
}

// A stack of a pattern: its kinds of layer in order of appearance.
constexpr std::array<const char*, kMaxLayerTypes> kForwardOfKind = {
    "forward of the pattern's first kind of layer",
    "forward of its second kind",
    "forward of its third kind",
    "forward of its fourth kind",
    "forward of its fifth kind",
    "forward of its sixth kind",
    "forward of its seventh kind",
    "forward of its eighth kind"};
constexpr std::array<const char*, kMaxLayerTypes> kBackwardOfKind = {
    "backward of the pattern's first kind of layer",
    "backward of its second kind",
    "backward of its third kind",
    "backward of its fourth kind",
    "backward of its fifth kind",
    "backward of its sixth kind",
    "backward of its seventh kind",
    "backward of its eighth kind"};
constexpr std::array<const char*, kMaxLayerTypes> kCountOfKind = {
    "layers of the first kind of the chunk",   "layers of the second kind of the chunk",
    "layers of the third kind of the chunk",   "layers of the fourth kind of the chunk",
    "layers of the fifth kind of the chunk",   "layers of the sixth kind of the chunk",
    "layers of the seventh kind of the chunk", "layers of the eighth kind of the chunk"};

constexpr EnumArray<BlockType, const char*> kForwardNames = {
    "forward of a dense layer",
    "forward of a local dense layer",
    "forward of an MoE layer",
    "forward of a local MoE layer",
    kForwardOfKind[4],
    kForwardOfKind[5],
    kForwardOfKind[6],
    kForwardOfKind[7],
    "forward of the embedding",
    "forward of head and loss",
    "forward of multi-token prediction",
    "forward of a layer of the image encoder",
    "forward of the image encoder's ends"};
constexpr EnumArray<BlockType, const char*> kBackwardNames = {
    "backward of a dense layer",
    "backward of a local dense layer",
    "backward of an MoE layer",
    "backward of a local MoE layer",
    kBackwardOfKind[4],
    kBackwardOfKind[5],
    kBackwardOfKind[6],
    kBackwardOfKind[7],
    "backward of the embedding",
    "backward of head and loss",
    "backward of multi-token prediction",
    "backward of a layer of the image encoder",
    "backward of the image encoder's ends"};
constexpr EnumArray<BlockType, const char*> kCountNames = {
    "dense layers of the chunk",
    "local dense layers of the chunk",
    "MoE layers of the chunk",
    "local MoE layers of the chunk",
    kCountOfKind[4],
    kCountOfKind[5],
    kCountOfKind[6],
    kCountOfKind[7],
    "embeddings of the chunk",
    "heads of the chunk",
    "multi-token prediction modules of the chunk",
    "layers of the image encoder",
    "ends of the image encoder"};

const char* name_of(const Run& run, BlockType type,
                    const std::array<const char*, kMaxLayerTypes>& of_kind,
                    const EnumArray<BlockType, const char*>& default_value) {
  const auto kind = static_cast<std::size_t>(type);
  return kind < kMaxLayerTypes && run.model.pattern.length > 0 ? of_kind[kind]
                                                               : default_value[type];
}

// Launches of the host in a pass of a block, the device's time, and the forward in which the host
// waits for counts.
template <Number R>
struct HostedPass {
  double launches = 0;
  SecondsOf<R> device{};
  double hooks = 0;
  Phase waits_in = Phase::forward;
};

// Before and after a pass; backward also to reduce a gradient.
constexpr double kHooksForward = 2;
constexpr double kHooksBackward = 3;

// Sharded weights are gathered and freed around each pass: by ZeRO-3's hooks also on one rank,
// where nothing travels.
bool calls_hooks(const Run& run) {
  const bool alone = run.strategy.zero == 3 && run.framework.gathers.max_live > 0;
  return alone || gathers_every_micro_batch(run.strategy, run.framework);
}

// Blocks of one kind on a virtual stage, and those that run their forward again.
struct CountedBlocks {
  std::int64_t all = 0;
  std::int64_t full = 0;
  std::int64_t selective = 0;
};

// Blocks whose states a range of layers shards otherwise, and all others.
CountedBlocks resharded_blocks(const RecomputedBlocks& again, BlockType i) {
  return {again.resharded[i], again.resharded_full[i], again.resharded_selective[i]};
}
CountedBlocks other_blocks(const BlockCounts& blocks, const RecomputedBlocks& again, BlockType i) {
  const CountedBlocks apart = resharded_blocks(again, i);
  return {blocks[i] - apart.all, again.full[i] - apart.full, again.selective[i] - apart.selective};
}

// Adds the blocks of one kind.
template <Number R>
class Adder {
 public:
  Adder(const Run& run, const BlockPrice<R>& block, BlockType type, const CountedBlocks& n,
        const FreeSharding* free)
      : run_(run),
        block_(block),
        type_(type),
        free_(free),
        forward_name_{name_of(run, type, kForwardOfKind, kForwardNames)},
        backward_name_{name_of(run, type, kBackwardOfKind, kBackwardNames)},
        blocks_(n),
        n_(count<R>(n.all, {name_of(run, type, kCountOfKind, kCountNames)})),
        again_(count<R>(n.full, {"blocks recomputed in full"})),
        selective_(n.selective == n.all
                       ? n_
                       : count<R>(n.selective, {"blocks of which modules run again"})) {}

  void add(StageCosts<R>& s, const ParametersHeld& parameters) {
    const SecondsOf<R> forward = named(block_.compute[Phase::forward], forward_name_);
    const SecondsOf<R> added_up = accumulation<R>(run_, parameters, block_.weight_gradient, free_);
    const SecondsOf<R> backward = named(block_.compute[Phase::backward] + added_up, backward_name_);
    s.weight_time += n_ * (block_.weight_gradient + added_up);
    s.forward[Term::compute] += n_ * forward;
    s.backward[Term::compute] += n_ * backward;
    s.backward[Term::recompute] += selective_ * block_.compute[Phase::recompute_selective] +
                                   again_ * block_.compute[Phase::recompute_full];
    add_exchanges(s.forward, exposed(Phase::forward), n_);
    add_exchanges(s.backward, exposed(Phase::backward), n_);
    add_exchanges(s.backward, exposed(Phase::recompute_selective), selective_);
    add_exchanges(s.backward, exposed(Phase::recompute_full), again_);
    add_waits_and_shard_traffic(s, forward, backward, parameters);
  }

 private:
  void add_waits_and_shard_traffic(StageCosts<R>& s, SecondsOf<R> forward, SecondsOf<R> backward,
                                   const ParametersHeld& parameters) {
    const ShardTraffic<R> t =
        free_ != nullptr ? ShardTraffic<R>{} : shard_traffic<R>(run_, type_, parameters);
    const HostedPass<R> whole{launches(Phase::forward), forward + exposed(Phase::forward).all,
                              kHooksForward, Phase::forward};
    const SecondsOf<R> f = with_waits(s.forward, n_, whole);
    const bool is_ahead = run_.framework.overlap.param_gather;
    const R ahead = gathered_ahead<R>(run_, block_.largest_module, is_ahead);
    const R backward_ahead = run_.framework.gathers.backward_prefetch ? ahead : R(0.0);
    const SecondsOf<R> device = backward + exposed(Phase::backward).all;
    const SecondsOf<R> waits = backward_waits(s.backward, device, [&](SecondsOf<R> pass) {
      return growth(run_, pass, t.gather_backward, backward_ahead, t.reduce);
    });
    s.forward[Term::compute] += n_ * t.gather_copies;
    s.backward[Term::compute] += n_ * t.reduce_copies;
    if (plain(t.gather_forward) > Seconds()) wait_for_gather(s.forward);
    if (plain(t.gather_backward) > Seconds()) {
      wait_for_gather(s.backward);
      s.backward[Term::compute] += n_ * t.gather_copies;
    }
    s.forward[Term::dp_exposed] += n_ * growth(run_, f, t.gather_forward, ahead, SecondsOf<R>{});
    s.backward[Term::dp_exposed] += waits;
  }

  // Blocks that run nothing again, some modules, and all: their waits for the host are added to the
  // terms, and those for what `grown` says of their passes are the answer.
  template <class Grown>
  SecondsOf<R> backward_waits(Terms<R>& terms, SecondsOf<R> device, const Grown& grown) const {
    const HostedPass<R> bare{launches(Phase::backward), device, kHooksBackward, Phase::backward};
    const HostedPass<R> selective{
        bare.launches + launches(Phase::recompute_selective),
        device + compute(Phase::recompute_selective) + exposed(Phase::recompute_selective).all,
        kHooksBackward, Phase::recompute_selective};
    const HostedPass<R> full{
        bare.launches + (launches(Phase::recompute_full) + checkpoint_launches()),
        device + (compute(Phase::recompute_full) + exposed(Phase::recompute_full).all),
        kHooksBackward + kHooksForward, Phase::recompute_full};
    const R others = n_ - again_;
    SecondsOf<R> waits{};
    if (blocks_.selective == 0) {
      waits += others * grown(with_waits(terms, others, bare));
    } else if (blocks_.selective + blocks_.full == blocks_.all) {
      waits += others * grown(with_waits(terms, others, selective));
    } else {
      const R kept = others - selective_;
      waits += kept * grown(with_waits(terms, kept, bare));
      waits += selective_ * grown(with_waits(terms, selective_, selective));
    }
    return waits + again_ * grown(with_waits(terms, again_, full));
  }

  void wait_for_gather(Terms<R>& terms) const {
    terms[Term::host_exposed] +=
        n_ * lift<R>(run_.framework.gathers.host_wait, {"framework.gathers.host_wait"});
  }

  SecondsOf<R> compute(Phase p) const { return block_.compute[p]; }
  const ExposedExchanges<R>& exposed(Phase p) const { return block_.exposed[p]; }
  double launches(Phase p) const { return block_.launches[p]; }

  // A graph of the whole pass holds its kernels alone: no Python runs around them.
  bool is_captured() const { return run_.framework.host.graphs == GraphScope::full; }

  double checkpoint_launches() const {
    return is_captured() ? 0 : run_.framework.host.backward[HostWork::replay];
  }

  // Calls around a pass of whoever gathers sharded weights: by modules or by layers.
  double hooks(double calls) const {
    if (free_ != nullptr || is_captured() || !calls_hooks(run_)) return 0;
    return calls * (run_.framework.gathers.max_live > 0
                        ? block_.modules + run_.framework.host.containers
                        : 1);
  }

  SecondsOf<R> host_time(double calls, double hook_calls) const {
    const FrameworkHost& host = run_.framework.host;
    SecondsOf<R> time = lift<R>(calls, {"kernels that the host launches for a block"}) *
                        lift<R>(host.launch, {"framework.host.launch"});
    if (hook_calls > 0) {
      time += lift<R>(hook_calls, {"calls around passes that gather weights"}) *
              lift<R>(host.hook, {"framework.host.hook"});
    }
    return time * lift<R>(run_.cluster.host.launch_factor, {"cluster.host.launch_factor"});
  }

  // The time of a pass that the device could run in its own: the host, which launches its kernels
  // one after the other and runs ahead as far as it can, takes no less than their launches. Where
  // it reads counts it waits for the device, and each part takes the longer of the two. The time it
  // adds in each of `n` blocks is a term of its own.
  SecondsOf<R> with_waits(Terms<R>& terms, R n, const HostedPass<R>& pass) const {
    if (run_.framework.host.launch == Seconds()) return pass.device;
    const SecondsOf<R> host = host_time(pass.launches, hooks(pass.hooks));
    const HostSegment<R>& first = block_.before_wait[pass.waits_in];
    const SecondsOf<R> wait = first.launches > 0 ? split_wait(pass, first, host)
                                                 : larger(host - pass.device, SecondsOf<R>{});
    terms[Term::host_exposed] += n * wait;
    return pass.device + wait;
  }

  SecondsOf<R> split_wait(const HostedPass<R>& pass, const HostSegment<R>& first,
                          SecondsOf<R> host) const {
    const FrameworkExperts& experts = run_.framework.experts;
    const SecondsOf<R> before = host_time(first.launches, 0);
    const std::int64_t here = run_.model.moe.experts / std::max<std::int64_t>(1, run_.strategy.ep);
    const std::int64_t reads = experts.waits + experts.waits_by_expert * here;
    const SecondsOf<R> read = count<R>(reads, {"reads of counts of tokens in a layer"}) *
                              lift<R>(experts.wait, {"framework.experts.wait"});
    return larger(before - first.device, SecondsOf<R>{}) + read +
           larger((host - before) - (pass.device - first.device), SecondsOf<R>{});
  }

  const Run& run_;
  const BlockPrice<R>& block_;
  BlockType type_;
  const FreeSharding* free_;
  Label forward_name_;
  Label backward_name_;
  CountedBlocks blocks_;
  R n_;
  R again_;
  R selective_;
};

}  // namespace

template <Number R>
StageCosts<R> stage_costs(const Run& run, const Prices<R>& prices, const BlockCounts& blocks,
                          const RecomputedBlocks& again, const FreeSharding* free) {
  StageCosts<R> s;
  std::optional<Run> apart;
  if (is_any(again.resharded)) apart = resharded(run);
  for (const BlockType i : kAllOf<BlockType>) {
    if (blocks[i] == 0) continue;
    const BlockPrice<R>& block = prices.blocks[i];
    const auto add = [&](const Run& as, const CountedBlocks& n) {
      if (n.all > 0) Adder<R>(as, block, i, n, free).add(s, block_parameters(run, prices, i));
    };
    add(run, other_blocks(blocks, again, i));
    if (apart) add(*apart, resharded_blocks(again, i));
    s.recomputed += block.full_flops * static_cast<double>(again.full[i]);
    s.recomputed += block.selective_flops * static_cast<double>(again.selective[i]);
  }
  for (const Term t : kAllOf<Term>) {
    const Label term{name_of(t).data()};
    s.forward_time += named(s.forward[t], term);
    s.backward_time += named(s.backward[t], term);
  }
  return s;
}

template <Number R>
StageParameters stage_parameters(const Run& run, const Prices<R>& prices, const BlockCounts& blocks,
                                 const BlockCounts& apart) {
  StageParameters sum;
  for (const BlockType i : kAllOf<BlockType>) {
    if (blocks[i] == 0) continue;
    const ParametersHeld& one = block_parameters(run, prices, i);
    static_cast<ParametersHeld&>(sum) += (blocks[i] - apart[i]) * one;
    if (apart[i] > 0) sum.resharded += apart[i] * one;
  }
  // Multi-token prediction embeds the next tokens: the last stage holds the table too, be it as the
  // tied head's or as a copy of its own.
  if (blocks[BlockType::mtp] > 0 && ends_apart(run) && !run.model.tie_word_embeddings) {
    static_cast<ParametersHeld&>(sum) += prices.blocks[BlockType::embedding].parameters;
  }
  return sum;
}

template StageCosts<double> stage_costs(const Run&, const Prices<double>&, const BlockCounts&,
                                        const RecomputedBlocks&, const FreeSharding*);
template StageCosts<Traced> stage_costs(const Run&, const Prices<Traced>&, const BlockCounts&,
                                        const RecomputedBlocks&, const FreeSharding*);
template StageParameters stage_parameters(const Run&, const Prices<double>&, const BlockCounts&,
                                          const BlockCounts&);
template StageParameters stage_parameters(const Run&, const Prices<Traced>&, const BlockCounts&,
                                          const BlockCounts&);

}  // namespace orrery
