// SPDX-License-Identifier: Apache-2.0
// The blocks of each virtual stage, counted by hand.
#include "parallel/stages.h"

#include <doctest/doctest.h>

#include "parallel/strategy.h"

namespace orrery {
namespace {

// Eight layers of one type over four chunks.
Architecture eight_layers() {
  Architecture a;
  a.layers = 8;
  a.hidden = 64;
  a.heads = a.kv_heads = 4;
  a.head_dim = 16;
  a.intermediate = 256;
  a.vocab = 1000;
  return a;
}

Strategy four_chunks() {
  Strategy s;
  s.pp = 2;
  s.vpp = 2;
  return s;
}

}  // namespace

TEST_CASE("the embedding stands on the first virtual stage, the head on the last") {
  Architecture a = eight_layers();
  a.mtp_layers = 1;
  for (std::int64_t j = 0; j < 4; ++j) {
    CAPTURE(j);
    const BlockCounts n = blocks_of(four_chunks(), a, j);
    CHECK(n[BlockType::layer_0] == 2);
    CHECK(n[BlockType::embedding] == (j == 0 ? 1 : 0));
    CHECK(n[BlockType::head] == (j == 3 ? 1 : 0));
    CHECK(n[BlockType::mtp] == (j == 3 ? 1 : 0));
    CHECK(n[BlockType::tower] == 0);
    CHECK(n[BlockType::tower_ends] == 0);
  }
}

TEST_CASE("an encoder of images has its ends once, however few its layers") {
  Architecture a = eight_layers();
  for (const std::int64_t layers : {1, 24}) {
    a.tower.layers = layers;
    CHECK(blocks_of(four_chunks(), a, 0)[BlockType::tower] == layers);
    CHECK(blocks_of(four_chunks(), a, 0)[BlockType::tower_ends] == 1);
    CHECK(blocks_of(four_chunks(), a, 1)[BlockType::tower] == 0);
    CHECK(blocks_of(four_chunks(), a, 1)[BlockType::tower_ends] == 0);
  }
}

TEST_CASE("an encoder alone on its stage leaves all layers to the other chunks") {
  Strategy s = four_chunks();
  s.vision_stage = true;
  const Architecture a = eight_layers();
  // 8 layers over 3 chunks: 2, 3, 3 in some order.
  CHECK(blocks_of(s, a, 0)[BlockType::layer_0] == 0);
  CHECK(layers_of(s, a, 1).first == 0);
  CHECK(layers_of(s, a, 3).end == 8);
  CHECK(most_layers_of_chunk(s, a) == 3);
  // With one other chunk it has all of them; with none there is nothing to divide.
  s.vpp = 1;
  CHECK(most_layers_of_chunk(s, a) == 8);
  s.pp = 1;
  CHECK(most_layers_of_chunk(s, a) == 8);
}

TEST_CASE("the fullest chunk is that of the split") {
  Strategy s = four_chunks();
  Architecture a = eight_layers();
  CHECK(most_layers_of_chunk(s, a) == 2);
  a.layers = 9;
  CHECK(most_layers_of_chunk(s, a) == 3);
  // Ten units with the ends: 3 + 3 + 2 + 2, of which the ends take one each: 2, 3, 2, 1 layers.
  a.layers = 8;
  s.layer_split = LayerSplit::ends_as_layers;
  CHECK(most_layers_of_chunk(s, a) == 3);
  s.stage_layers = {1, 4, 2, 1};
  s.listed_stages = true;
  CHECK(most_layers_of_chunk(s, a) == 4);
  CHECK(layers_of(s, a, 2).first == 5);
  CHECK(layers_of(s, a, 2).end == 7);
  // Chunks as many as layers and both ends still have a layer at most; one more is a case of a
  // rule.
  s.listed_stages = false;
  s.pp = 10;
  s.vpp = 1;
  CHECK(most_layers_of_chunk(s, a) == 1);
  s.pp = 11;
  CHECK(most_layers_of_chunk(s, a) == 1);
}

// Blocks of a virtual stage that full recompute runs again.
BlockCounts replayed(const Strategy& s, const Architecture& a, std::int64_t j) {
  return recomputed_of(s, a, j, blocks_of(s, a, j)).full;
}

TEST_CASE("full recompute runs all layers again, by block the first of each chunk") {
  Architecture a = eight_layers();
  a.mtp_layers = 1;
  a.tower.layers = 3;
  Strategy s = four_chunks();
  CHECK(replayed(s, a, 0)[BlockType::layer_0] == 0);
  s.recompute = Recompute::full;
  for (const std::int64_t layers : {0, 2}) {  // uniform: how many share an input changes no count
    s.recompute_layers = layers;
    for (std::int64_t j = 0; j < 4; ++j) {
      CAPTURE(j);
      const BlockCounts n = replayed(s, a, j);
      CHECK(n[BlockType::layer_0] == 2);
      CHECK(n[BlockType::tower] == (j == 0 ? 3 : 0));
      CHECK(n[BlockType::mtp] == (j == 3 ? 1 : 0));
      CHECK(n[BlockType::embedding] == 0);
      CHECK(n[BlockType::head] == 0);
    }
  }
  s.recompute_method = RecomputeMethod::block;
  for (const std::int64_t layers : {1, 2, 5}) {
    s.recompute_layers = layers;
    const BlockCounts n = replayed(s, a, 3);
    CHECK(n[BlockType::layer_0] == std::min<std::int64_t>(layers, 2));
    CHECK(n[BlockType::mtp] == 0);
    CHECK(replayed(s, a, 0)[BlockType::tower] == 0);
  }
}

TEST_CASE("ranges of layers have a recompute of their own, and the last one counts") {
  Architecture a = eight_layers();
  a.mtp_layers = 1;
  Strategy s = four_chunks();
  s.recompute = Recompute::full;
  // Layers 0 to 2 modules, layer 1 nothing; 3 to 7 as the run has it: all.
  s.layers.rules[0] = {0, 3, LayerKindOf::any, Recompute::selective};
  s.layers.rules[1] = {1, 2, LayerKindOf::any, Recompute::none};
  s.layers.count = 2;
  constexpr std::int64_t kFull[] = {0, 1, 2, 2};
  constexpr std::int64_t kSelective[] = {1, 1, 0, 0};
  for (std::int64_t j = 0; j < 4; ++j) {
    CAPTURE(j);
    const RecomputedBlocks n = recomputed_of(s, a, j, blocks_of(s, a, j));
    CHECK(n.full[BlockType::layer_0] == kFull[j]);
    CHECK(n.selective[BlockType::layer_0] == kSelective[j]);
    CHECK(n.full[BlockType::mtp] == (j == 3 ? 1 : 0));
  }
  BlockCounts all{};
  all[BlockType::layer_0] = 8;
  CHECK(least_recomputed(s, a, all).full[BlockType::layer_0] == 5);
  CHECK(least_recomputed(s, a, all).selective[BlockType::layer_0] == 2);
}

TEST_CASE("a range of layers without experts leaves the others alone") {
  Architecture a = eight_layers();
  a.moe = {};
  a.moe.experts = 4;
  a.moe.top_k = 2;
  a.moe.first_k_dense = 3;
  a.moe.layer_freq = 1;
  Strategy s;
  s.layers.rules[0] = {0, kLastLayer, LayerKindOf::experts, Recompute::full};
  s.layers.count = 1;
  const RecomputedBlocks n = recomputed_of(s, a, 0, blocks_of(s, a, 0));
  CHECK(n.full[block_of_layer(0)] == 0);
  CHECK(n.full[block_of_layer(2)] == 5);
  s.layers.rules[0].of = LayerKindOf::dense;
  const RecomputedBlocks dense = recomputed_of(s, a, 0, blocks_of(s, a, 0));
  CHECK(dense.full[block_of_layer(0)] == 3);
  CHECK(dense.full[block_of_layer(2)] == 0);
}

TEST_CASE("an end of the model is sharded otherwise where a range of it says another stage") {
  const Architecture a = eight_layers();
  Strategy s;
  s.zero = 1;
  s.layers.rules[0] = {0, kLastLayer, LayerKindOf::head, {}, std::int8_t{3}};
  s.layers.rules[1] = {0, kLastLayer, LayerKindOf::embedding, {}, std::int8_t{1}};
  s.layers.count = 2;
  const RecomputedBlocks n = recomputed_of(s, a, 0, blocks_of(s, a, 0));
  CHECK(n.resharded[BlockType::head] == 1);
  CHECK(n.resharded[BlockType::embedding] == 0);
}

}  // namespace orrery
