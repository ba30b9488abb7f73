// SPDX-License-Identifier: Apache-2.0
//
// Parameters and exchanges of one rank, counted by hand for small layers.
#include "parallel/shard.h"

#include <doctest/doctest.h>

#include <array>

#include "parallel/partition.h"
#include "support/gpt.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr std::int64_t kSequence = 32;
constexpr std::int64_t kBatch = 2;
constexpr double kTokens = kSequence * kBatch;

ListOptions options() {
  ListOptions o;
  o.sequence = kSequence;
  o.micro_batch = kBatch;
  return o;
}

// Grouped queries, SwiGLU, RMSNorm, RoPE.
Architecture llama() {
  Architecture a = gpt(2, 64, 8, 1000);
  a.kv_heads = 2;
  a.intermediate = 96;
  a.gated = true;
  a.activation = Activation::kSilu;
  a.norm = Norm::kRmsNorm;
  a.positions = PositionEmbedding::kRope;
  a.qkv_bias = a.attention_out_bias = a.mlp_bias = a.dropout = false;
  return a;
}

Architecture mixture() {
  Architecture a = llama();
  a.intermediate = 0;
  a.moe.experts = 8;
  a.moe.top_k = 2;
  a.moe.expert_intermediate = 32;
  a.moe.layer_freq = 1;
  return a;
}

Strategy tensor(std::int64_t tp, bool sequence_parallel) {
  Strategy s;
  s.tp = tp;
  s.sequence_parallel = sequence_parallel;
  return s;
}

std::int64_t dense_parameters(const Architecture& a, const Strategy& s) {
  return parameters_held(sharded_layer(a, options(), s), false).dense;
}

// All exchanges of a block of one kind: how many, and their buffers.
struct Sum {
  std::int64_t count = 0;
  double bytes = 0;
};

Sum exchanges(const ShardedBlock& block, Collective c, ExchangeGroup g, Pass pass) {
  Sum sum;
  for (std::uint8_t i = 0; i < block.count; ++i) {
    const ShardedOperator& op = block.operators[i];
    for (std::uint8_t k = 0; k < op.exchange_count; ++k) {
      const Exchange& e = op.exchanges[k];
      if (e.collective != c || e.group != g || e.pass != pass) continue;
      sum.count += e.times;
      sum.bytes += e.buffer.si() * static_cast<double>(e.times);
    }
  }
  return sum;
}

Sum exchanges(const ShardedBlock& block, OpName name, Collective c, ExchangeGroup g, Pass pass) {
  const ShardedOperator* op = find(block, name);
  REQUIRE(op != nullptr);
  ShardedBlock alone;
  alone.operators[0] = *op;
  alone.count = 1;
  return exchanges(alone, c, g, pass);
}

std::int64_t exchanges_of(const ShardedBlock& block) {
  std::int64_t n = 0;
  for (std::uint8_t i = 0; i < block.count; ++i) n += block.operators[i].exchange_count;
  return n;
}

using enum Collective;

}  // namespace

TEST_CASE("attention passes keys around a ring of all ranks, unless documents have few of them") {
  Strategy s;
  s.cp = 4;
  s.cp_type = ContextType::p2p;
  CHECK(degrees_of(s).ring == 4);
  s.dynamic_cp = true;
  CHECK(degrees_of(s).ring == 1);
}

TEST_CASE("tensor parallelism splits matrices and leaves norms whole") {
  const std::int64_t norms = 2 * 64;
  CHECK(dense_parameters(llama(), tensor(1, false)) ==
        64 * (64 + 32) + 64 * 64 + 3 * 64 * 96 + norms);
  CHECK(dense_parameters(llama(), tensor(2, false)) ==
        64 * (32 + 16) + 32 * 64 + 3 * 64 * 48 + norms);
  // Beyond the key heads every rank holds one of them.
  CHECK(dense_parameters(llama(), tensor(4, true)) ==
        64 * (16 + 16) + 16 * 64 + 3 * 64 * 24 + norms);
}

TEST_CASE("biases go with the columns of their matrix") {
  const Architecture a = gpt(2, 64, 8);
  const std::int64_t whole = dense_parameters(a, tensor(1, false));
  CHECK(whole == 12 * 64 * 64 + 13 * 64);
  // qkv and up are split, the two row-parallel biases and four norm vectors are not.
  CHECK(dense_parameters(a, tensor(4, false)) ==
        (12 * 64 * 64 + 3 * 64 + 4 * 64) / 4 + 2 * 64 + 4 * 64);
}

TEST_CASE("down-projections and norms of latent attention are not split") {
  Architecture a = llama();
  a.attention = AttentionKind::kLatent;
  a.heads = a.kv_heads = 4;
  a.head_dim = 12;
  a.mla = {24, 16, 8, 4, 8};
  const std::int64_t down = 64 * (16 + 4) + 64 * 24 + 16 + 24;
  const std::int64_t up = 16 * 4 * (8 + 8) + 24 * 4 * 12 + 4 * 8 * 64;
  const std::int64_t rest = 3 * 64 * 96;
  CHECK(dense_parameters(a, tensor(1, false)) == down + up + rest + 2 * 64);
  CHECK(dense_parameters(a, tensor(4, true)) == down + (up + rest) / 4 + 2 * 64);
}

TEST_CASE("experts are dealt out over ep and cut by etp") {
  const std::int64_t expert = 3 * 64 * 32;
  const auto held = [](std::int64_t ep, std::int64_t etp) {
    Strategy s = tensor(2, true);
    s.ep = ep;
    s.etp = etp;
    s.dp = 8;
    return parameters_held(sharded_layer(mixture(), options(), s), false);
  };
  CHECK(held(1, 1).expert == 8 * expert);
  CHECK(held(4, 1).expert == 2 * expert);
  CHECK(held(4, 2).expert == expert);
  CHECK(held(8, 2).expert == expert / 2);
  // Router and attention do not care.
  CHECK(held(4, 2).dense == held(1, 1).dense);
  CHECK(held(1, 1).dense == 64 * (32 + 16) + 32 * 64 + 64 * 8 + 2 * 64);
}

TEST_CASE("every rank's experts together see every copy of every token once") {
  for (const std::int64_t etp : {1, 2, 4}) {
    Strategy s = tensor(4, true);
    s.cp = 2;
    s.dp = 4;
    s.ep = 4;
    s.etp = etp;
    const ShardedBlock layer = sharded_layer(mixture(), options(), s);
    const ShardedOperator* up = find(layer, OpName::expert_up);
    REQUIRE(up != nullptr);
    CHECK(up->groups == 2);
    // Copies of the tokens of tp·cp ranks, of which etp ranks share each expert.
    CHECK(up->rows == 2 * kSequence * kBatch * etp / (4 * 2));
    CHECK(up->cols == 2 * 32 / etp);
    CHECK(up->inner == 64);
  }
}

// The gated up-projection, h × 2·width, is the largest matrix of a layer: 64·2·96 here. All
// experts of a rank are one grouped product: 8·64·2·32, beside qkv's 64·(64 + 2·16).
TEST_CASE("the largest module of a layer is its largest operator") {
  const auto largest = [](const Architecture& a, const Strategy& s) {
    return largest_module(sharded_layer(a, options(), s));
  };
  CHECK(largest(llama(), Strategy{}).dense == 12288);
  CHECK(largest(llama(), Strategy{}).expert == 0);
  CHECK(largest(llama(), tensor(2, false)).dense == 6144);
  CHECK(largest(mixture(), Strategy{}).dense == 6144);
  CHECK(largest(mixture(), Strategy{}).expert == 32768);
  Strategy s = tensor(2, true);
  s.dp = 8;
  s.ep = 4;
  s.etp = 2;
  CHECK(largest(mixture(), s).dense == 3072);
  CHECK(largest(mixture(), s).expert == 32768 / 8);
}

TEST_CASE("context parallelism divides rows, not keys") {
  Strategy s;
  s.cp = 4;
  const ShardedBlock layer = sharded_layer(llama(), options(), s);
  CHECK(find(layer, OpName::qkv)->rows == kSequence * kBatch / 4);
  CHECK(find(layer, OpName::attention)->rows == kSequence / 4);
  CHECK(find(layer, OpName::attention)->cols == kSequence);
  const Bytes alone = kept_bytes(sharded_layer(llama(), options(), Strategy{}), 0);
  CHECK(kept_bytes(layer, 0) * 4.0 == alone);
  CHECK(layer.input.si() == 2 * 64 * kTokens / 4);
}

TEST_CASE("keys and values pass all ranks of a ring, and their gradients come back") {
  Strategy s;
  s.cp = 4;
  s.cp_type = ContextType::p2p;
  const ShardedBlock layer = sharded_layer(llama(), options(), s);
  const double all = 2 * 2 * 16 * kTokens;  // keys and values of 2 heads of 8, 2 bytes
  const auto sum = [&](Collective c, Pass p) { return exchanges(layer, c, ExchangeGroup::cp, p); };
  CHECK(sum(all_gather, Pass::forward).bytes == all);
  CHECK(sum(all_gather, Pass::backward).bytes == all);
  CHECK(sum(reduce_scatter, Pass::backward).bytes == all);
  CHECK(exchanges_of(layer) == 3);
}

TEST_CASE("all-to-all context parallelism trades sequence for heads of all four tensors") {
  Strategy s;
  s.cp = 2;
  s.cp_type = ContextType::a2a;
  const ShardedBlock layer = sharded_layer(llama(), options(), s);
  const double keys = 2 * 2 * 16 * kTokens / 2;
  const double queries_and_output = 2 * 2 * 64 * kTokens / 2;
  for (const Pass p : {Pass::forward, Pass::backward}) {
    CHECK(exchanges(layer, all_to_all, ExchangeGroup::cp, p).bytes == keys + queries_and_output);
  }
}

TEST_CASE("queries, keys, values and the output are four messages each way under all-to-all") {
  Strategy s;
  s.cp = 4;
  s.cp_type = ContextType::a2a;
  const ShardedBlock layer = sharded_layer(llama(), options(), s);
  const ShardedOperator* attention = find(layer, OpName::attention);
  REQUIRE(attention != nullptr);
  REQUIRE(attention->exchange_count == 4);
  const double column = 2.0 * kTokens / 4;  // bytes of a rank's tokens
  const double keys = 4 * 8 * column;       // each of the 2 heads of 8 twice, one for every rank
  const double queries = 64 * column;
  const std::array<double, 4> sizes = {keys, keys, queries, queries};  // forward and backward
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(attention->exchanges[i].times == 2);
    CHECK(attention->exchanges[i].buffer.si() == sizes[i]);
  }
}

TEST_CASE("tensor parallelism reduces twice a pass, and with sequence parallelism gathers too") {
  const double bsh = 2 * 64 * kTokens;
  const ShardedBlock plain = sharded_layer(llama(), options(), tensor(2, false));
  for (const Pass p : {Pass::forward, Pass::backward}) {
    CHECK(exchanges(plain, all_reduce, ExchangeGroup::tp, p).count == 2);
    CHECK(exchanges(plain, all_reduce, ExchangeGroup::tp, p).bytes == 2 * bsh);
  }
  CHECK(exchanges_of(plain) == 4);
  const ShardedBlock split = sharded_layer(llama(), options(), tensor(2, true));
  CHECK(exchanges(split, all_gather, ExchangeGroup::tp, Pass::forward).bytes == 2 * bsh);
  CHECK(exchanges(split, reduce_scatter, ExchangeGroup::tp, Pass::forward).bytes == 2 * bsh);
  CHECK(exchanges(split, all_gather, ExchangeGroup::tp, Pass::backward).count == 4);
  CHECK(exchanges(split, reduce_scatter, ExchangeGroup::tp, Pass::backward).count == 2);
}

TEST_CASE("a parallel residual saves one reduction forward") {
  Architecture a = llama();
  a.parallel_residual = true;
  const ShardedBlock layer = sharded_layer(a, options(), tensor(2, false));
  CHECK(exchanges(layer, all_reduce, ExchangeGroup::tp, Pass::forward).count == 1);
  CHECK(exchanges(layer, all_reduce, ExchangeGroup::tp, Pass::backward).count == 2);
}

TEST_CASE("tokens travel to their experts and back, each way in both passes") {
  Strategy s = tensor(2, true);
  s.dp = 8;
  s.ep = 4;
  const double copies = 2 * 2 * 64 * kTokens / 2;  // top-2, 2 bytes, half of the tokens a rank
  const ShardedBlock layer = sharded_layer(mixture(), options(), s);
  for (const Pass p : {Pass::forward, Pass::backward}) {
    CHECK(exchanges(layer, all_to_all, ExchangeGroup::ep, p).count == 2);
    CHECK(exchanges(layer, all_to_all, ExchangeGroup::ep, p).bytes == 2 * copies);
  }
  s.etp = 2;
  const ShardedBlock cut = sharded_layer(mixture(), options(), s);
  CHECK(exchanges(cut, all_gather, ExchangeGroup::etp, Pass::forward).bytes == 2 * copies);
  CHECK(exchanges(cut, reduce_scatter, ExchangeGroup::etp, Pass::forward).bytes == 2 * copies);
  CHECK(exchanges(cut, all_gather, ExchangeGroup::etp, Pass::backward).count == 1);
  CHECK(exchanges(cut, reduce_scatter, ExchangeGroup::etp, Pass::backward).count == 1);
}

// Experts cut by etp as in Megatron-Core's all-to-all dispatcher: before an expert its etp ranks
// gather the tokens that each of them received, after it they scatter the sums; backward does the
// inverse in the inverse order. b·s = 64 tokens, half of them a rank, top-2: 64 copies of h = 64
// numbers of 2 bytes are 8,192 bytes, and those of both ranks 16,384.
TEST_CASE("ranks that share an expert gather its tokens and scatter its sums") {
  Strategy s = tensor(2, true);
  s.dp = 8;
  s.ep = 4;
  s.etp = 2;
  const ShardedBlock layer = sharded_layer(mixture(), options(), s);
  const auto bytes = [&](OpName name, Collective c, Pass pass) {
    return exchanges(layer, name, c, ExchangeGroup::etp, pass).bytes;
  };
  CHECK(bytes(OpName::permute, all_gather, Pass::forward) == 16384);
  CHECK(bytes(OpName::permute, reduce_scatter, Pass::forward) == 0);
  CHECK(bytes(OpName::permute, reduce_scatter, Pass::backward) == 16384);
  CHECK(bytes(OpName::permute, all_gather, Pass::backward) == 0);
  CHECK(bytes(OpName::unpermute, reduce_scatter, Pass::forward) == 16384);
  CHECK(bytes(OpName::unpermute, all_gather, Pass::forward) == 0);
  CHECK(bytes(OpName::unpermute, all_gather, Pass::backward) == 16384);
  CHECK(bytes(OpName::unpermute, reduce_scatter, Pass::backward) == 0);
}

// The conjugate operators f and g of Megatron-LM (arXiv:1909.08053, figure 3): without sequence
// parallelism the gradient of a column-parallel layer's input is summed over tp, and only the
// product that makes its weight's gradient is left to run meanwhile; the sum after a row-parallel
// layer has the next operator waiting for it.
TEST_CASE("without sequence parallelism the weight's gradient covers the reduction of backward") {
  const ShardedBlock layer = sharded_layer(llama(), options(), tensor(2, false));
  for (const OpName name : {OpName::qkv, OpName::mlp_up}) {
    const ShardedOperator* op = find(layer, name);
    REQUIRE(op != nullptr);
    REQUIRE(op->exchange_count == 1);
    CHECK(op->exchanges[0].pass == Pass::backward);
    CHECK(op->exchanges[0].collective == all_reduce);
    CHECK(op->exchanges[0].cover == Cover::weight_gradient);
  }
  for (const OpName name : {OpName::attention_out, OpName::mlp_down}) {
    const ShardedOperator* op = find(layer, name);
    REQUIRE(op != nullptr);
    REQUIRE(op->exchange_count == 1);
    CHECK(op->exchanges[0].pass == Pass::forward);
    CHECK(op->exchanges[0].cover == Cover::none);
  }
}

// Attention's output and the MLP's are summed forward; no gradient comes back to a frozen layer.
TEST_CASE("a layer without a backward pass keeps the exchanges of forward alone") {
  const Strategy s = tensor(2, false);
  ModelOperators model;
  model_operators(llama(), options(), model);
  Block frozen = model.layers[0];
  for (std::uint8_t i = 0; i < frozen.count; ++i) frozen.operators[i].backward = Backward::never;
  ShardedBlock block;
  shard(frozen, degrees_of(s), block);
  CHECK(exchanges(block, all_reduce, ExchangeGroup::tp, Pass::forward).count == 2);
  CHECK(exchanges(block, all_reduce, ExchangeGroup::tp, Pass::backward).count == 0);
  CHECK(exchanges_of(block) == 2);
}

TEST_CASE("one rank alone exchanges nothing") {
  for (const Architecture& a : {llama(), mixture()}) {
    CHECK(exchanges_of(sharded_layer(a, options(), Strategy{})) == 0);
  }
}

TEST_CASE("a shared embedding is held once, or once on each of two stages") {
  Architecture a = llama();
  a.tie_word_embeddings = true;
  const auto model = std::make_unique<ModelOperators>(model_operators(a, options()));
  const ShardedBlock head = sharded(model->head, tensor(4, false));
  CHECK(parameters_held(head, false).dense == 64);
  CHECK(parameters_held(head, true).dense == 64 + 250 * 64);
  a.tie_word_embeddings = false;
  const auto untied = std::make_unique<ModelOperators>(model_operators(a, options()));
  CHECK(parameters_held(sharded(untied->head, tensor(4, false)), false).dense == 64 + 250 * 64);
}

TEST_CASE("an uneven split counts the fullest rank") {
  const Degrees d = degrees_of(tensor(8, false));
  CHECK(local({1000, 1, Axis::tensor}, d) == 125);
  CHECK(local({1001, 1, Axis::tensor}, d) == 126);
  CHECK(local({2, 32, Axis::tensor}, d) == 32);
  CHECK(local({5, 7, Axis::whole}, d) == 35);
}

TEST_CASE("experts shard over the ranks that hold them") {
  Strategy s = tensor(4, true);
  s.dp = 10;
  s.ep = 2;
  s.etp = 4;  // 5 ranks hold the same expert
  s.partition = {1, 2, 10};
  const Partition p = partition_of(s, ShardedStates::expert);
  CHECK(p == Partition{1, 1, 5});
  CHECK(partition_of(s, ShardedStates::dense) == s.partition);
  // More replicas than of a dense parameter: all of them.
  s.etp = 1;
  s.ep = 1;
  CHECK(partition_of(s, ShardedStates::expert).optimizer == 40);
  // Shards of a node stay shards of a node.
  s.dp = 8;
  s.ep = 2;
  s.etp = 4;
  s.partition = {2, 2, 2};
  CHECK(partition_of(s, ShardedStates::expert) == Partition{2, 2, 2});
}
