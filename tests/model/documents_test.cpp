// SPDX-License-Identifier: Apache-2.0
//
// Packed documents: pairs, their scatter, the slowest rank, and who needs whose keys.
#include "model/documents.h"

#include <doctest/doctest.h>

#include <cmath>

#include "model/flops.h"
#include "model/operators.h"
#include "support/about.h"
#include "support/gpt.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

SequenceLengths documents(std::initializer_list<LengthShare> bins) {
  SequenceLengths all;
  for (const LengthShare& bin : bins) all.bins[all.count++] = bin;
  return all;
}

double all_pairs(std::int64_t) { return 1; }

const Operator* attention_of(const Block& b) {
  for (std::uint8_t i = 0; i < b.count; ++i) {
    if (b.operators[i].name == OpName::attention) return &b.operators[i];
  }
  return nullptr;
}

}  // namespace

TEST_CASE("packed documents keep the pairs within each of them") {
  // 1 and 3 tokens alike often: 1 + 9 pairs of 4 · 4.
  CHECK(packed_pairs(documents({{1, 0.5}, {3, 0.5}}), 4, all_pairs) == about(10.0 / 16));
  CHECK(packed_pairs(documents({{4, 1}}), 4, all_pairs) == about(1.0));
  // 10 tokens are two whole sequences and a rest of 2.
  CHECK(packed_pairs(documents({{10, 3}}), 4, all_pairs) == about((16 + 16 + 4) / (10.0 * 4)));
}

TEST_CASE("pairs scatter with the lengths and the slowest of many ranks waits longest") {
  const SequenceLengths two = documents({{1, 1}, {3, 1}});
  // Var(n² − 2.5n) = 2.25, two documents a sequence of 10 pairs.
  CHECK(pairs_variation(two, 4) == about(std::sqrt(4.5) / 10));
  CHECK(pairs_variation(documents({{2, 1}}), 4) == about(0.0).epsilon(1e-12));
  CHECK(expected_maximum(1) == 0);
  // Tables of order statistics: 0.5642, 1.5388, 2.5076 for 2, 10 and 100.
  CHECK(expected_maximum(2) == about(0.5642).epsilon(0.05));
  CHECK(expected_maximum(10) == about(1.5388).epsilon(0.01));
  CHECK(expected_maximum(100) == about(2.5076).epsilon(0.01));
  CHECK(slowest_rank({}, 4, 64, 1) == 1);
  CHECK(slowest_rank(two, 4, 1, 1) == 1);
  CHECK(slowest_rank(two, 4, 64, 1) > slowest_rank(two, 4, 8, 1));
  CHECK(slowest_rank(two, 4, 64, 4) - 1 == about((slowest_rank(two, 4, 64, 1) - 1) / 2));
}

TEST_CASE("a document split over as many ranks as it needs asks for fewer keys") {
  CHECK(context_share(documents({{1024, 1}}), 8192, 8) == 0);
  CHECK(context_share(documents({{8192, 1}}), 8192, 8) == about(1.0));
  CHECK(context_share(documents({{4096, 1}}), 8192, 8) == about(3.0 / 7));
  CHECK(context_share(documents({{4096, 1}}), 8192, 1) == 1);
  CHECK(context_share({}, 8192, 8) == 1);
}

TEST_CASE("attention computes the pairs of documents, and those of the fullest rank") {
  ListOptions o;
  o.sequence = 1024;
  const Architecture a = gpt(2, 64, 4, 1000);
  const double whole = attention_of(model_operators(a, o).layers[0])->masked_pairs;
  o.lengths = documents({{256, 1}});
  o.document_load = 1.5;
  const Block packed = model_operators(a, o).layers[0];
  CHECK(attention_of(packed)->masked_pairs == about(257.0 / 2048));
  CHECK(attention_of(packed)->pairs == about(1.5 * 257 / 2048));
  CHECK(attention_of(packed)->masked_pairs < whole);
}

TEST_CASE("a window around a token has half of its keys on either side") {
  ListOptions o;
  o.sequence = 8;
  Architecture a = gpt(1, 64, 4, 1000);
  a.sliding_window = 4;
  a.pattern.length = 1;
  a.pattern.kinds[0] = {Mixer::local_encoder, Feedforward::dense};
  // 3, 4, 5, 5, 5, 5, 4 and 3 keys.
  CHECK(attention_of(model_operators(a, o).layers[0])->masked_pairs == about(34.0 / 64));
  a.sliding_window = 64;
  CHECK(attention_of(model_operators(a, o).layers[0])->masked_pairs == about(1.0));
}

TEST_CASE("tokens of an encoder and of cross attention see their own document alone") {
  ListOptions o;
  o.sequence = 1024;
  o.lengths = documents({{256, 1}});
  o.document_load = 1.5;
  Architecture a = gpt(1, 64, 4, 1000);
  a.sliding_window = 16;
  a.pattern.length = 1;
  const auto last = [&](Mixer mixer) {
    a.pattern.kinds[0] = {mixer, Feedforward::dense};
    const Block b = model_operators(a, o).layers[0];
    const Operator* op = nullptr;
    for (std::uint8_t i = 0; i < b.count; ++i) {
      if (b.operators[i].name == OpName::attention) op = &b.operators[i];
    }
    return *op;
  };
  for (const Mixer mixer : {Mixer::encoder, Mixer::cross}) {
    CHECK(last(mixer).masked_pairs == about(256.0 / 1024));
    CHECK(last(mixer).megatron_pairs == about(256.0 / 1024));
    CHECK(last(mixer).pairs == about(1.5 * 256 / 1024));
  }
  // 17 keys of each of 256 tokens, but for 8 + 7 + … + 1 at either end.
  CHECK(last(Mixer::local_encoder).masked_pairs ==
        about((256.0 * 17 - 2 * 36) / 256 * 256 / (256.0 * 1024)));
  CHECK(last(Mixer::local_encoder).megatron_pairs == last(Mixer::local_encoder).masked_pairs);
}

TEST_CASE("an indexer scores the pairs of each packed document") {
  ListOptions o;
  o.sequence = 1024;
  Architecture a = gpt(1, 64, 4, 1000);
  a.attention = AttentionKind::kLatent;
  a.mla = {24, 16, 8, 4, 8};
  a.indexer = {2, 16, 128};
  const auto scores = [&] {
    const Block b = model_operators(a, o).layers[0];
    std::uint8_t i = 0;
    while (b.operators[i].name != OpName::index_scores) ++i;
    return b.operators[i];
  };
  CHECK(scores().masked_pairs == about(1025.0 / 2048));
  CHECK(scores().megatron_pairs == 1);
  o.lengths = documents({{256, 1}});
  o.document_load = 1.5;
  CHECK(scores().masked_pairs == about(257.0 / 2048));
  CHECK(scores().pairs == about(1.5 * 257 / 2048));
  CHECK(scores().megatron_pairs == about(257.0 / 1024));
}

TEST_CASE("FLOPs of packed documents are those of their own pairs") {
  Architecture a = gpt(2, 64, 4, 128);
  a.max_positions = 64;
  const auto flops = [&](FlopsConvention c, std::int64_t sequence, const SequenceLengths& lengths) {
    return model_flops(a, c, {sequence, 64 / sequence, nullptr, lengths}).si();
  };
  const SequenceLengths short_ones = documents({{16, 1}});
  for (const FlopsConvention c :
       {FlopsConvention::causal, FlopsConvention::palm, FlopsConvention::six_n}) {
    CHECK(flops(c, 64, short_ones) == about(flops(c, 16, {})));
  }
  // Twice the pairs of a causal mask, 16 · 17 for 16²: one more of 12·h FLOPs a token and layer.
  const double more = 12.0 * 64 * 2 * 64;
  CHECK(flops(FlopsConvention::megatron, 64, short_ones) ==
        about(flops(FlopsConvention::megatron, 16, {}) + more));
}
