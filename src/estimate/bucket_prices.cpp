// SPDX-License-Identifier: Apache-2.0
#include "estimate/bucket_prices.h"

#include <algorithm>
#include <vector>

#include "estimate/messages.h"
#include "estimate/run.h"
#include "model/buckets.h"

namespace orrery {
namespace {

// Buckets that cost the same are one.
std::vector<Bucket> unlike(const Run& run) {
  std::vector<Bucket> out;
  for (Bucket b : run.training.buckets.all()) {
    if (b.micro_batch == 0) b.micro_batch = run.strategy.micro_batch;
    const auto same = std::find_if(out.begin(), out.end(), [&](const Bucket& o) {
      return o.tokens == b.tokens && o.micro_batch == b.micro_batch;
    });
    if (same == out.end()) {
      out.push_back(b);
    } else {
      same->share += b.share;
    }
  }
  return out;
}

// A micro batch of the whole model.
template <Number R>
double time_of(const Run& run, const BlockPrices<R>& blocks) {
  const BlockCounts counts = blocks_of(Strategy(), run.model, 0);
  double time = 0;
  for (const BlockType i : kAllOf<BlockType>) {
    if (counts[i] == 0) continue;
    for (const Phase p : {Phase::forward, Phase::backward}) {
      const Seconds of_a_block = plain(blocks[i].compute[p]) + plain(blocks[i].exposed[p].all);
      time += static_cast<double>(counts[i]) * of_a_block.si();
    }
  }
  return time;
}

std::vector<double> shares_of_slowest(const Run& run, std::span<const Bucket> buckets,
                                      std::span<const double> times) {
  std::vector<double> shares;
  for (const Bucket& b : buckets) shares.push_back(b.share);
  const Strategy& s = run.strategy;
  const std::int64_t ranks = run.training.buckets.draw == BucketDraw::step ? 1 : s.dp;
  return slowest_shares(shares, times, ranks, s.partition.weights > 1 ? 1 : s.micro_batches);
}

template <Number R>
void add(ExchangeSum<R>& sum, const ExchangeSum<R>& e, R share) {
  sum.count = e.count;
  sum.algorithm = e.algorithm;
  sum.tier = e.tier;
  sum.bytes += share * e.bytes;
  sum.sent += share * e.sent;
  sum.time += share * e.time;
  sum.exposed += share * e.exposed;
  sum.uncompressed += share * e.uncompressed;
  sum.codec += share * e.codec;
}

template <Number R>
void add_passes(BlockPrice<R>& sum, const BlockPrice<R>& b, R share) {
  for (const Phase p : kAllOf<Phase>) {
    sum.compute[p] += share * b.compute[p];
    sum.launches[p] += plain(share) * b.launches[p];
    for (const ExchangeGroup g : kAllOf<ExchangeGroup>) {
      for (const Collective k : kExchangeKinds) {
        add<R>(sum.exchanges[p][g][k], b.exchanges[p][g][k], share);
      }
      sum.exposed[p].by_group[g] += share * b.exposed[p].by_group[g];
    }
    sum.exposed[p].all += share * b.exposed[p].all;
  }
  sum.weight_gradient += share * b.weight_gradient;
}

template <Number R>
void keep_largest(BlockActivations<R>& most, const BlockActivations<R>& a) {
  for (auto line :
       {&BlockActivations<R>::kept, &BlockActivations<R>::kept_all, &BlockActivations<R>::logits,
        &BlockActivations<R>::input, &BlockActivations<R>::kept_stays,
        &BlockActivations<R>::all_stays, &BlockActivations<R>::input_stays,
        &BlockActivations<R>::transient, &BlockActivations<R>::for_weights}) {
    most.*line = larger(most.*line, a.*line);
  }
  most.pieces = a.pieces;
}

// The mean of all buckets; `shares`: of the micro batches of all ranks.
template <Number R>
BlockPrice<R> mean_of(std::span<const BucketPrices<R>> buckets, std::span<const Bucket> shares,
                      BlockType i) {
  BlockPrice<R> sum;
  const BlockPrice<R>& first = buckets.front().blocks[i];
  sum.modules = first.modules;
  sum.runs_backward = first.runs_backward;
  sum.parameters = first.parameters;
  sum.largest_module = first.largest_module;
  sum.parameters_with_copy = first.parameters_with_copy;
  for (std::size_t k = 0; k < buckets.size(); ++k) {
    const BlockPrice<R>& b = buckets[k].blocks[i];
    add_passes<R>(sum, b, buckets[k].share);
    sum.selective_flops += b.selective_flops * shares[k].share;
    sum.full_flops += b.full_flops * shares[k].share;
    keep_largest<R>(sum.activations, b.activations);
  }
  return sum;
}

// Exchanges one by one, the same for every bucket but for their size.
class MeanExchanges {
 public:
  explicit MeanExchanges(std::vector<PricedExchange>* noted) : noted_(noted) {}

  void take_bucket() {
    if (noted_ == nullptr) return;
    buckets_.push_back(std::move(*noted_));
    noted_->clear();
  }

  void mix(std::span<const double> shares) {
    if (noted_ == nullptr) return;
    *noted_ = buckets_.front();
    for (PricedExchange& e : *noted_) scale(e.each, shares.front());
    for (std::size_t k = 1; k < buckets_.size(); ++k) {
      for (std::size_t i = 0; i < noted_->size(); ++i) {
        MessageClass more = buckets_[k][i].each;
        scale(more, shares[k]);
        add((*noted_)[i].each, more);
      }
    }
  }

 private:
  static void scale(MessageClass& m, double by) {
    m.message = m.message * by;
    m.line.bytes = m.line.bytes * by;
    m.line.sent = m.line.sent * by;
    m.line.time = m.line.time * by;
    m.line.exposed = m.line.exposed * by;
  }

  static void add(MessageClass& sum, const MessageClass& m) {
    sum.message += m.message;
    sum.line.bytes += m.line.bytes;
    sum.line.sent += m.line.sent;
    sum.line.time += m.line.time;
    sum.line.exposed += m.line.exposed;
  }

  std::vector<PricedExchange>* noted_;
  std::vector<std::vector<PricedExchange>> buckets_;
};

}  // namespace

template <Number R>
void price_buckets(const Run& run, PriceScratch& scratch, Prices<R>& prices) {
  const std::vector<Bucket> buckets = unlike(run);
  Run one = run;
  one.training.buckets = {};
  MeanExchanges exchanges(scratch.exchanges);
  prices.buckets.resize(buckets.size());
  std::vector<double> times;
  for (std::size_t k = 0; k < buckets.size(); ++k) {
    one.training.sequence = buckets[k].tokens;
    one.strategy.micro_batch = buckets[k].micro_batch;
    price_one_size<R>(one, scratch, prices);
    std::swap(prices.blocks, prices.buckets[k].blocks);
    times.push_back(time_of<R>(run, prices.buckets[k].blocks));
    exchanges.take_bucket();
  }
  const std::vector<double> shares = shares_of_slowest(run, buckets, times);
  for (std::size_t k = 0; k < buckets.size(); ++k) {
    prices.buckets[k].share = lift<R>(shares[k], {"share of the slowest rank's micro batches"});
  }
  exchanges.mix(shares);
  for (const BlockType i : kAllOf<BlockType>) {
    prices.blocks[i] = mean_of<R>(prices.buckets, buckets, i);
  }
}

template void price_buckets(const Run&, PriceScratch&, Prices<double>&);
template void price_buckets(const Run&, PriceScratch&, Prices<Traced>&);

}  // namespace orrery
