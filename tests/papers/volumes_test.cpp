// SPDX-License-Identifier: Apache-2.0
//
// Published volumes that one GPU sends in a step, against the communication lines of an estimate.
#include <doctest/doctest.h>

#include "estimate/estimate.h"
#include "estimate/messages.h"
#include "estimate/run.h"
#include "model/operators.h"
#include "network/volume.h"
#include "papers/golden.h"
#include "property/random_cluster.h"
#include "support/about.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr double kElement = 2;  // bytes, fp16

// A model without experts and biases that divides by every degree used here.
Json small_run() {
  return json_of(R"({
    "model": {"name": "small", "num_hidden_layers": 8, "hidden_size": 1024,
              "num_attention_heads": 16, "vocab_size": 1024, "max_position_embeddings": 512},
    "cluster": {"node": "dgx-a100-80gb", "gpus": 16},
    "training": {"sequence_length": 512, "global_batch": 64, "precision": "fp16",
                 "states": "adam-mixed-16", "flash_attention": false},
    "parallel": {"recompute": "none", "zero": 0}})");
}

std::string text(std::int64_t n) { return std::to_string(n); }

struct Volume {
  std::int64_t count = 0;
  double bytes = 0;
};

// Sum over the classes of `orrery comm`: messages times bytes of one on the wire.
Volume classes_of(const Run& run, CommDimension dimension, const std::string& collective) {
  Answer same;
  Volume v;
  for (const MessageClass& m : message_log(run, same)) {
    if (m.line.dimension != dimension || name_of(m.line.collective) != collective) continue;
    const Bytes one = bytes_on_wire<double>(m.line.collective, m.line.ranks, m.message);
    v.count += m.line.count;
    v.bytes += one.si() * static_cast<double>(m.line.count);
  }
  return v;
}

Volume volume(const Run& run, CommDimension dimension, const std::string& collective) {
  const Answer a = estimate(run);
  Volume v;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    const CommLine<double>& line = a.comm[i];
    if (line.dimension != dimension || name_of(line.collective) != collective) continue;
    v.count += line.count;
    v.bytes += line.bytes.si();
  }
  const Volume classes = classes_of(run, dimension, collective);
  CHECK(classes.count == v.count);
  CHECK(classes.bytes == testing::about(v.bytes).epsilon(1e-12));
  return classes;
}

double data_volume(const Json& in) {
  const std::int64_t n = integer(in, "dp");
  const std::int64_t m = integer(in, "micro_batches");
  Run run = run_of(with(small_run(), R"({"cluster": {"gpus": )" + text(n) +
                                         R"(}, "training": {"global_batch": )" + text(n * m) +
                                         R"(}, "parallel": {"zero": )" + text(integer(in, "zero")) +
                                         "}}"));
  if (in.at("keeps_gathered_weights").get<bool>()) {
    run.framework.gathers.kept |= mask_of(KeptGathered::layers);
  }
  double bytes = 0;
  for (const auto c : kNamesOf<Collective>) {
    bytes += volume(run, CommDimension::dp, std::string(c)).bytes;
  }
  const auto psi = static_cast<double>(parameter_count(run.model, run.training.sequence).total);
  const auto ranks = static_cast<double>(n);
  return bytes / kElement / (psi * (ranks - 1) / ranks);
}

// Elements of 16 bits that cross a node's cards, over (n − 1)/n of a walk over all ranks, or over
// (N − 1)/N of messages between the N nodes.
double between_nodes(const Json& in) {
  const std::int64_t nodes = integer(in, "nodes");
  const std::int64_t n = 8 * nodes;
  Json run = with(small_run(),
                  R"({"cluster": {"gpus": )" + text(n) + R"(}, "training": {"global_batch": )" +
                      text(n * integer(in, "micro_batches")) + R"(}, "parallel": {"zero": 3}})");
  for (const char* key : {"qwz", "hpz", "qgz"}) run["parallel"]["zeropp"][key] = in.at(key);
  const Run r = run_of(run);
  Answer same;
  const auto part = [](std::int64_t units) {
    return static_cast<double>(units - 1) / static_cast<double>(units);
  };
  double elements = 0;
  for (const MessageClass& m : message_log(r, same)) {
    const CommLine<double>& line = m.line;
    if (line.tier == 0) continue;
    const bool messages = line.collective == Collective::all_to_all;
    elements += line.bytes.si() / kElement * (messages ? 8 / part(nodes) : 1 / part(n));
  }
  return elements / static_cast<double>(parameter_count(r.model, r.training.sequence).total);
}

// Volumes of a model with `layers`.
Volume tensor_volume(const Json& in, std::int64_t layers) {
  const std::string sp = in.at("sequence_parallel").get<bool>() ? "true" : "false";
  const Run run =
      run_of(with(small_run(), R"({"model": {"num_hidden_layers": )" + text(layers) +
                                   R"(}, "parallel": {"sequence_parallel": )" + sp + R"(, "tp": )" +
                                   text(integer(in, "tp")) + R"(, "recompute": ")" +
                                   in.at("recompute").get<std::string>() + "\"}}"));
  return volume(run, CommDimension::tp, in.at("collective").get<std::string>());
}

// The difference of one more layer, which excludes embedding, head and loss.
double tensor_collectives(const Json& in) {
  const Volume few = tensor_volume(in, 4);
  const Volume many = tensor_volume(in, 8);
  const double micro_batches = 64.0 / (16.0 / static_cast<double>(integer(in, "tp")));
  const double layers = 4 * micro_batches;
  const auto t = static_cast<double>(integer(in, "tp"));
  const double passes = in.at("collective").get<std::string>() == "all-reduce" ? 2 : 1;
  const double bsh = 512.0 * 1024 * kElement;
  const double counted = static_cast<double>(many.count - few.count) / layers;
  const double by_bytes = (many.bytes - few.bytes) / layers / (passes * (t - 1) / t * bsh);
  CHECK(counted == testing::about(by_bytes));
  return by_bytes;
}

double pipeline_send(const Json& in) {
  const std::int64_t p = integer(in, "pp");
  const std::int64_t v = integer(in, "vpp");
  const std::int64_t m = integer(in, "micro_batches");
  const std::string sp = in.at("sequence_parallel").get<bool>() ? "true" : "false";
  Run run = run_of(with(small_run(), R"({"training": {"global_batch": )" + text(m) +
                                         R"(}, "parallel": {"tp": )" + text(integer(in, "tp")) +
                                         R"(, "pp": )" + text(p) + R"(, "vpp": )" + text(v) +
                                         R"(, "sequence_parallel": )" + sp + "}}"));
  run.framework.pipeline.scatter_gather = in.at("scatter_gather").get<bool>();
  const Answer a = estimate(run);
  const Volume sent = volume(run, CommDimension::pp, in.at("collective").get<std::string>());
  // Every chunk sends forward and back, but for the ends of the pipeline.
  const bool end = a.busy_stage == 0 || a.busy_stage == p - 1;
  CHECK(sent.count == m * (2 * v - (end ? 1 : 0)));
  return sent.bytes / static_cast<double>(sent.count) / (512.0 * 1024 * kElement);
}

}  // namespace

TEST_CASE("volumes of data parallelism (ZeRO, section 7)") {
  check_golden("volumes-data", 10, data_volume);
}

TEST_CASE("what ZeRO++ leaves between nodes (ZeRO++, section 3.4)") {
  check_golden("volumes-zeropp", 13, between_nodes);
}

// The second copy is gathered in the node, and gradients are exchanged there before they leave it.
TEST_CASE("ZeRO++ moves inside a node what it saves between nodes") {
  const Run run = run_of(with(small_run(), R"({"training": {"global_batch": 16},
      "parallel": {"zero": 3, "zeropp": {"qwz": 8, "hpz": 8, "qgz": 4}}})"));
  const Answer a = estimate(run);
  const auto psi = static_cast<double>(parameter_count(run.model, 512).total) * kElement;
  double gathered = 0;
  double exchanged = 0;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    const CommLine<double>& line = a.comm[i];
    if (line.tier != 0) continue;
    (line.collective == Collective::all_gather ? gathered : exchanged) += line.bytes.si();
    CHECK(line.ranks == 8);
  }
  CHECK(gathered == testing::about(psi * 7 / 8));
  CHECK(exchanged == testing::about(psi / 4 * 7 / 8));
  CHECK(a.memory[MemoryLine::secondary_weights].si() == testing::about(psi / 8));
}

TEST_CASE("collectives of tensor parallelism (Megatron-LM)") {
  check_golden("volumes-tensor", 8, tensor_collectives);
}

TEST_CASE("volumes of the pipeline (Megatron-LM)") {
  check_golden("volumes-pipeline", 8, pipeline_send);
}

// Embedding: a reduction forward. Head: a reduction of its input's gradient, and three of one fp32
// number a token in the loss.
TEST_CASE("the ends of a tensor-parallel model talk too") {
  const Run run = run_of(with(small_run(), R"({"parallel": {"tp": 4}})"));
  const Volume v = volume(run, CommDimension::tp, "all-reduce");
  const double m = 16;
  const double bsh = 512.0 * 1024 * kElement;
  CHECK(v.count == 16 * (4 * 8 + 1 + 1 + 3));
  CHECK(v.bytes == testing::about(m * 2 * 0.75 * ((4 * 8 + 2) * bsh + 3 * 512 * 4.0)));
}

TEST_CASE("levels of a partition move what they must") {
  const Run run = run_of(with(small_run(), R"({"cluster": {"node": "frontier-mi250x", "gpus": 64},
      "parallel": {"zero": null, "partition": {"weights": 2, "gradients": 8, "optimizer": 64}}})"));
  const auto psi = static_cast<double>(parameter_count(run.model, 512).total) * kElement;
  // Weights gathered over 2 forward and backward, gradients reduced over 8, each micro batch (one);
  // then gradients of a node's eighth over 8 nodes, and weights from all back to a card's half.
  const double reduced = psi * 7 / 8 + psi / 8 * 7 / 8;
  const double gathered = 2 * psi / 2 + psi / 2 * 31 / 32;
  CHECK(volume(run, CommDimension::dp, "reduce-scatter").bytes == testing::about(reduced));
  CHECK(volume(run, CommDimension::dp, "all-gather").bytes == testing::about(gathered));
  CHECK(volume(run, CommDimension::dp, "all-reduce").count == 0);
}

// HSDP: shards inside a group, gradients of a shard reduced over the groups.
TEST_CASE("replicas of a shard group reduce their shard") {
  const Run run = run_of(with(small_run(), R"({"training": {"global_batch": 16},
      "parallel": {"zero": 3, "zero_shard_group": 8}})"));
  const auto psi = static_cast<double>(parameter_count(run.model, 512).total) * kElement;
  CHECK(volume(run, CommDimension::dp, "all-gather").bytes == testing::about(2 * psi * 7 / 8));
  CHECK(volume(run, CommDimension::dp, "reduce-scatter").bytes == testing::about(psi * 7 / 8));
  CHECK(volume(run, CommDimension::dp, "all-reduce").bytes == testing::about(2 * psi / 8 / 2));
}

// For any model, nodes and bits, every micro batch sends (g − 1)/g of Ψ gradients inside a node of
// g ranks, and (N − 1)/N of the remaining g-th part between N nodes.
TEST_CASE("qgZ sends a gradient once inside the node and a g-th of it once between nodes") {
  const std::vector<std::pair<std::string, std::int64_t>> all = {
      {"dgx-a100-80gb", 8}, {"alps-gh200", 4}, {"dgx-2-v100-32gb", 16}, {"frontier-mi250x", 8}};
  Dice dice(21);
  for (int trial = 0; trial < 60; ++trial) {
    const auto& of = all[static_cast<std::size_t>(dice.integer(0, 3))];
    const std::string& node = of.first;
    const std::int64_t g = of.second;
    const std::int64_t nodes = dice.integer(1, 12);
    const std::int64_t micro_batches = dice.integer(1, 3);
    const std::int64_t bits = dice.integer(1, 16);
    CAPTURE(node);
    CAPTURE(nodes);
    CAPTURE(micro_batches);
    CAPTURE(bits);
    Json run = with(small_run(), R"({"parallel": {"zero": 3}})");
    run["model"]["num_hidden_layers"] = dice.integer(1, 12);
    run["model"]["hidden_size"] = 16 * dice.integer(1, 200);
    run["model"]["vocab_size"] = dice.integer(100, 50000);
    run["cluster"] = {{"node", node}, {"gpus", nodes * g}};
    run["training"]["global_batch"] = nodes * g * micro_batches;
    run["parallel"]["zeropp"] = {{"qgz", bits}};
    const Run r = run_of(run);
    const auto psi = static_cast<double>(parameter_count(r.model, r.training.sequence).total);
    const auto others = [](std::int64_t n) {
      return static_cast<double>(n - 1) / static_cast<double>(n);
    };
    const double once = psi * static_cast<double>(bits * micro_batches) / 8;
    Answer same;
    double sent = 0;
    for (const MessageClass& m : message_log(r, same)) {
      if (m.line.collective == Collective::all_to_all) sent += m.line.bytes.si();
    }
    CHECK(
        sent ==
        testing::about(once * (others(g) + others(nodes) / static_cast<double>(g))).epsilon(1e-9));
  }
}

TEST_CASE("a shared embedding is reduced between the ends of a pipeline") {
  const Run run = run_of(with(small_run(), R"({"parallel": {"tp": 4, "pp": 2}})"));
  const Volume v = volume(run, CommDimension::embedding, "all-reduce");
  CHECK(v.count == 1);
  CHECK(v.bytes == 1024.0 / 4 * 1024 * kElement);
  const Run untied = run_of(with(
      small_run(), R"({"model": {"tie_word_embeddings": false}, "parallel": {"tp": 4, "pp": 2}})"));
  CHECK(volume(untied, CommDimension::embedding, "all-reduce").count == 0);
}
