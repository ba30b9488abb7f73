// SPDX-License-Identifier: Apache-2.0
//
// Losses over the pairs of a batch: logits, features of other ranks, and a teacher beside a
// student.
#include <doctest/doctest.h>

#include <memory>

#include "model/blocks.h"
#include "model/flops.h"
#include "model/model_files.h"
#include "model/operators.h"
#include "parallel/shard.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr std::int64_t kPairs = 4096;
constexpr std::int64_t kOwnPairs = 64;

Architecture clip() {
  Architecture a = shipped_model("clip-vit-l-14").architecture;
  a.trunk.text = 77;
  a.trunk.batch = kPairs;
  return a;
}

std::unique_ptr<ModelOperators> list_of(const Architecture& a, std::int64_t sequence) {
  ListOptions o;
  o.sequence = sequence;
  o.micro_batch = kOwnPairs;
  return std::make_unique<ModelOperators>(model_operators(a, o));
}

struct Pairs {
  int products = 0;
  std::int64_t rows = 0;
  double saved = 0;      // logits
  double gathered = 0;   // bytes of all features, forward
  double scattered = 0;  // bytes of their gradients
};

Pairs pairs_of(const Architecture& a) {
  const auto list = list_of(a, 257);
  Degrees d;
  d.dp = 64;
  const auto sharded = std::make_unique<ShardedBlock>();
  shard(list->head, d, *sharded);
  Pairs p;
  for (std::uint8_t i = 0; i < sharded->count; ++i) {
    const ShardedOperator& op = sharded->operators[i];
    if (op.name == OpName::pairs) {
      ++p.products;
      p.rows = op.rows;
      CHECK(op.cols == kPairs);
    }
    if (op.name == OpName::loss) p.saved += kept_bytes(op, 0).si();
    for (std::uint8_t e = 0; e < op.exchange_count; ++e) {
      CHECK(op.exchanges[e].group == ExchangeGroup::dp);
      const bool forward = op.exchanges[e].pass == Pass::forward;
      (forward ? p.gathered : p.scattered) += op.exchanges[e].buffer.si();
    }
  }
  return p;
}

constexpr double kFeatures = 4096.0 * 768 * 4;  // of one tower, all samples

}  // namespace

TEST_CASE("CLIP gathers both towers' features and keeps its own rows of logits both ways") {
  const Pairs p = pairs_of(clip());
  CHECK(p.products == 2);
  CHECK(p.rows == kOwnPairs);
  CHECK(p.saved == 2.0 * 64 * 4096 * 4);
  CHECK(p.gathered == 2 * kFeatures);
  CHECK(p.scattered == 2 * kFeatures);
}

TEST_CASE("CLIP without gradients of gathered features sends none back") {
  Architecture a = clip();
  a.trunk.pair_gradients = false;
  CHECK(pairs_of(a).gathered == 2 * kFeatures);
  CHECK(pairs_of(a).scattered == 0);
}

TEST_CASE("CLIP without a local loss makes all logits on every rank, by one product") {
  Architecture a = clip();
  a.trunk.repeats_pairs = true;
  const Pairs p = pairs_of(a);
  CHECK(p.products == 1);
  CHECK(p.rows == kPairs);
  CHECK(p.saved == 2.0 * 4096 * 4096 * 4);
  CHECK(p.gathered == 2 * kFeatures);
}

TEST_CASE("SigLIP passes the texts' features round and makes each logit once") {
  Architecture a = shipped_model("siglip-so400m-14-384").architecture;
  a.trunk.text = 64;
  a.trunk.batch = kPairs;
  const Pairs p = pairs_of(a);
  CHECK(p.products == 1);
  CHECK(p.rows == kOwnPairs);
  CHECK(p.gathered == 4096.0 * 1152 * 4);
  CHECK(p.scattered == p.gathered);
}

namespace {

// DINOv2 L/14 at 224 and 98 pixels: 257 and 50 tokens.
Architecture taught() {
  Architecture a = shipped_model("dinov2-l-14").architecture;
  Distillation& d = a.trunk.distillation;
  d.global_crops = 2;
  d.local_crops = 8;
  d.global_tokens = 257;
  d.local_tokens = 50;
  d.masked = 77;
  d.hidden = 2048;
  d.bottleneck = 384;
  d.prototypes = d.patch_prototypes = 131072;
  d.patch_bottleneck = 256;
  d.rounds = 3;
  return a;
}

// Forward FLOPs of 24 layers over crops of so many tokens.
double layers(double tokens, double squares) {
  constexpr double h = 1024;
  return 24 * (24 * h * h * tokens + 4 * h * squares);
}

double head(double rows, double bottleneck) {
  return 2 * rows * (1024.0 * 2048 + 2048.0 * 2048 + 2048 * bottleneck + bottleneck * 131072);
}

}  // namespace

TEST_CASE("a DINO step is the student's three passes over all crops and the teacher's over two") {
  const Architecture a = taught();
  CHECK(a.trunk.distillation.student_tokens() == 914);
  const double two = 2.0 * 257 * 257;
  const double patch = 2 * 1024.0 * 588;
  // The class token's row of the patch product is counted as the model's own list has it.
  const double student =
      layers(914, two + 8.0 * 50 * 50) + 914 * patch + head(10, 384) + head(77, 256);
  const double teacher = layers(514, two) + 514 * patch + head(2, 384) + head(77, 256);
  const CountedStep step{.sequence = 914, .lengths = {}};
  CHECK(model_flops(a, FlopsConvention::megatron, step).si() ==
        about(3 * student + teacher).epsilon(1e-3));
}

TEST_CASE("a teacher's weights are no parameters, keep nothing and pass no gradient") {
  const Architecture a = taught();
  const auto list = list_of(a, 914);
  int averaged = 0;
  for (std::uint8_t i = 0; i < list->layers[0].count; ++i) {
    const Operator& op = list->layers[0].operators[i];
    if (op.weight != WeightUse::averaged) continue;
    ++averaged;
    CHECK(op.backward == Backward::never);
    CHECK(op.saved_count == 0);
  }
  CHECK(averaged > 5);
  CHECK(runs_backward(list->layers[0]));
  // Heads: 3 layers each with biases, prototypes without.
  const std::int64_t heads = 2 * (1024 * 2048 + 2048 + 2048 * 2048 + 2048) +
                             (2048 * 384 + 384 + 384 * 131072) + (2048 * 256 + 256 + 256 * 131072);
  const std::int64_t backbone =
      parameter_count(shipped_model("dinov2-l-14").architecture, 257).total;
  CHECK(backbone == 304'368'640);
  CHECK(parameter_count(a, 914).total == backbone + heads);
}

TEST_CASE("Sinkhorn sums the prototypes' scores over all replicas, three times a head") {
  const auto list = list_of(taught(), 914);
  Degrees d;
  d.dp = 8;
  const auto sharded = std::make_unique<ShardedBlock>();
  shard(list->head, d, *sharded);
  int sums = 0;
  for (std::uint8_t i = 0; i < sharded->count; ++i) {
    const ShardedOperator& op = sharded->operators[i];
    for (std::uint8_t e = 0; e < op.exchange_count; ++e) {
      ++sums;
      CHECK(op.exchanges[e].collective == Collective::all_reduce);
      CHECK(op.exchanges[e].times == 3);
      CHECK(op.exchanges[e].buffer.si() == 131072 * 4);
    }
  }
  CHECK(sums == 2);
}
