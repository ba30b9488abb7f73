// SPDX-License-Identifier: Apache-2.0
// How layers are spread over the chunks of a pipeline, worked out by hand.
#include "parallel/layer_split.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "parallel/stages.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

using Counts = std::vector<std::int64_t>;

Counts counts_of(LayerSplit split, const Architecture& a, std::int64_t parts) {
  Strategy s;
  s.pp = parts;
  s.layer_split = split;
  Counts counts;
  for (std::int64_t j = 0; j < parts; ++j) {
    const LayerRange range = layers_of(s, a, j);
    counts.push_back(range.end - range.first);
  }
  return counts;
}

Architecture llama(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                   std::int64_t intermediate, std::int64_t vocab) {
  Architecture a;
  a.layers = layers;
  a.hidden = hidden;
  a.heads = a.kv_heads = heads;
  a.head_dim = hidden / heads;
  a.intermediate = intermediate;
  a.vocab = vocab;
  a.gated = true;
  return a;
}

}  // namespace

TEST_CASE("evenly spread, the extra layers go to the chunks after the first") {
  const Architecture a = llama(34, 64, 4, 256, 1000);
  CHECK(counts_of(LayerSplit::even, a, 4) == Counts{8, 9, 9, 8});
  CHECK(counts_of(LayerSplit::even, a, 1) == Counts{34});
}

TEST_CASE("embedding and head count as a layer each: 34 = 9 + 9 + 8 + 8") {
  const Architecture a = llama(32, 4096, 32, 14336, 128256);
  CHECK(counts_of(LayerSplit::ends_as_layers, a, 4) == Counts{8, 9, 8, 7});
  // Llama 3.1 405B in 16 chunks of 8 units.
  Counts of_405b(16, 8);
  of_405b.front() = of_405b.back() = 7;
  CHECK(counts_of(LayerSplit::ends_as_layers, llama(126, 64, 4, 256, 1000), 16) == of_405b);
  CHECK(counts_of(LayerSplit::ends_as_layers, llama(2, 64, 4, 256, 1000), 4) == Counts{0, 1, 1, 0});
}

// A layer of h 2048 with a gated MLP of 8192 has 4·2048² + 3·8192·2048 = 67,108,864 weights, a
// vocabulary of 131,072 as many as four layers: 16 layers are 20 units, 2.5 of each of 8 parts.
TEST_CASE("by cost, a part is closed by the layer that exceeds its share") {
  const Architecture a = llama(16, 2048, 32, 8192, 131072);
  CHECK(layer_cost(a) == 67108864);
  CHECK(counts_of(LayerSplit::by_cost, a, 8) == Counts{3, 3, 2, 3, 2, 3, 0, 0});
  CHECK(counts_of(LayerSplit::by_cost, a, 4) == Counts{6, 5, 5, 0});
  CHECK(counts_of(LayerSplit::by_cost, a, 1) == Counts{16});
  // Four layers and next to no head: each layer exceeds the 0.67 of a part, and closes one.
  CHECK(counts_of(LayerSplit::by_cost, llama(4, 2048, 32, 8192, 1), 6) == Counts{1, 1, 1, 1, 0, 0});
  // 80 layers of 973,078,528 and a head of 1.1 of them: shares of 20.28.
  CHECK(counts_of(LayerSplit::by_cost, llama(80, 8192, 64, 28672, 131072), 4) ==
        Counts{21, 20, 20, 19});
}

TEST_CASE("a mixture costs its chosen and shared experts, and a plain MLP two matrices") {
  Architecture a = llama(4, 8, 2, 100, 10);
  a.gated = false;
  CHECK(layer_cost(a) == 8 * (4 * 8 + 2 * 100));
  a.moe = {.experts = 16, .top_k = 2, .expert_intermediate = 30, .shared_intermediate = 5};
  CHECK(layer_cost(a) == 8 * (4 * 8 + 2 * 65));
}

TEST_CASE("every split holds each layer once, in order") {
  std::mt19937_64 random(7);
  const auto up_to = [&](std::int64_t n) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int i = 0; i < 2000; ++i) {
    const Architecture a = llama(up_to(130), 64 * up_to(64), 4, up_to(40000), up_to(300000));
    Strategy s;
    s.pp = up_to(a.layers + 2);
    s.layer_split = kAllOf<LayerSplit>[random() % kCountOf<LayerSplit>];
    CAPTURE(a.layers);
    CAPTURE(s.pp);
    std::int64_t next = 0;
    for (std::int64_t j = 0; j < s.pp; ++j) {
      const LayerRange range = layers_of(s, a, j);
      CHECK(range.first == next);
      CHECK(range.end >= range.first);
      next = range.end;
    }
    CHECK(next == a.layers);
  }
}

TEST_CASE("a cost of nothing is spread evenly, and an encoder of images has its own chunk") {
  Architecture a = llama(8, 64, 4, 0, 1000);
  a.heads = 0;
  CHECK(counts_of(LayerSplit::by_cost, a, 4) == Counts{2, 2, 2, 2});
  Strategy s;
  s.pp = 5;
  s.vision_stage = true;
  s.layer_split = LayerSplit::by_cost;
  CHECK(layers_of(s, a, 0).end == 0);
  CHECK(layers_of(s, a, 1).end == 2);
}

}  // namespace orrery
