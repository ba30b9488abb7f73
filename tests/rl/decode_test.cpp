// SPDX-License-Identifier: Apache-2.0
//
// A generator worked by hand: bytes of a token of Llama 3 8B, a pass of one and of 256 sequences on
// an H100, experts that a batch hits.
#include "generate/decode.h"

#include <doctest/doctest.h>

#include "generate/batcher.h"
#include "generate/pool.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

EngineProfile plain_engine() {
  EngineProfile e;
  e.rates = {1, 1, 1, Seconds(), Seconds(10e-6), Seconds(), Seconds(), Seconds(), 1};
  return e;
}

Generator generator_of(const char* model, std::int64_t gpus) {
  Json run = json_of(R"({"model": "", "cluster": {"node": "dgx-h100", "gpus": 8},
                         "training": {"sequence_length": 2048, "global_batch": 8}})");
  run["model"] = model;
  run["cluster"]["gpus"] = gpus;
  const Run r = run_of(run);
  Generator g;
  g.model = r.model;
  g.cluster = r.cluster;
  g.engine = plain_engine();
  return g;
}

// Matrices of Llama 3 8B that a token passes: 32 layers of 4096·(4096 + 2·1024) + 4096² +
// 3·4096·14336, and the head 4096·128256.
constexpr double kLayers = 32 * (4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336);
constexpr double kHead = 4096.0 * 128256;
constexpr double kBandwidth = 3.35e12;

}  // namespace

TEST_CASE("a token of Llama 3 8B leaves 131,072 bytes of keys and values") {
  // 2 · 32 layers · 8 heads · 128 · 2 B; over two GPUs half, over sixteen a head each.
  Generator g = generator_of("llama-3-8b", 1);
  CHECK(cache_of_token(g).si() == 131072);
  g.layout.tp = 2;
  CHECK(cache_of_token(g).si() == 65536);
  g.layout.tp = 16;
  CHECK(cache_of_token(g).si() == 16384);
  g.layout.tp = 1;
  g.cache = Precision::fp8;
  CHECK(cache_of_token(g).si() == 65536);
}

TEST_CASE("a token of DeepSeek-V3 leaves the latent whole on each GPU") {
  // (512 + 64) · 61 layers · 2 B, whatever tp (arXiv:2505.09343: 70 KB).
  Generator g = generator_of("deepseek-v3", 8);
  g.layout.tp = 8;
  CHECK(cache_of_token(g).si() == 70272);
}

TEST_CASE("one sequence of Llama 3 8B on an H100 takes the time of reading its weights") {
  const Generator g = generator_of("llama-3-8b", 1);
  const EnginePass t = engine_pass(g, 1, 1000);
  const double rows = 2 * 32 * (4096 + 6144 + 4096 + 4096 + 4096 + 28672 + 14336 + 4096);
  const double head = 2 * (4096 + 128256.0);
  CHECK(t[PassPart::weights].si() == about((2 * (kLayers + kHead) + rows + head) / kBandwidth));
  CHECK(t[PassPart::products].si() == 0);
  CHECK(t[PassPart::cache].si() == about(131072 * 1000.0 / kBandwidth));
}

TEST_CASE("256 sequences read the weights once and their own caches") {
  const Generator g = generator_of("llama-3-8b", 1);
  const EnginePass one = engine_pass(g, 1, 1000);
  const EnginePass many = engine_pass(g, 256, 1000);
  CHECK(many[PassPart::cache].si() == about(256 * one[PassPart::cache].si()));
  CHECK(many[PassPart::weights].si() < 1.1 * one[PassPart::weights].si());
  CHECK(many[PassPart::weights] > one[PassPart::weights]);
}

TEST_CASE("a batch beyond the largest graph pays the host's launches") {
  Generator g = generator_of("llama-3-8b", 1);
  g.engine.limits.graph_batch = 8;
  CHECK(engine_pass(g, 8, 1)[PassPart::kernels].si() == 0);
  CHECK(engine_pass(g, 9, 1)[PassPart::kernels].si() > 32 * 10 * 10e-6);
  g.graphs = false;
  CHECK(engine_pass(g, 1, 1)[PassPart::kernels].si() > 0);
}

TEST_CASE("few tokens hit few experts, many hit all") {
  CHECK(experts_hit(128, 8, 1) == about(8));
  CHECK(experts_hit(128, 8, 2) == about(128 * (1 - 0.9375 * 0.9375)));
  CHECK(experts_hit(128, 8, 1000) == about(128).epsilon(1e-9));
}

TEST_CASE("a window bounds what a layer reads") {
  const Generator g = generator_of("gpt-oss-20b", 1);
  CHECK(tokens_read(g.model, layer_type(g.model, 0), 4096) == 128);
  CHECK(tokens_read(g.model, layer_type(g.model, 1), 4096) == 4096);
}

TEST_CASE("layers of a window keep its tokens alone where the engine frees the others") {
  // gpt-oss-20b: every other layer has a window of 128; half of a token's cache.
  Generator g = generator_of("gpt-oss-20b", 1);
  CHECK(kept_tokens(window_of(g), 4096) == 4096);
  g.engine.memory.frees_windows = true;
  const CacheWindow w = window_of(g);
  CHECK(w.share == about(0.5));
  CHECK(w.tokens == 128);
  CHECK(kept_tokens(w, 100) == 100);
  CHECK(kept_tokens(w, 4096) == about(4096 / 2.0 + 128 / 2.0));
}

TEST_CASE("the cache is the share less weights, work and the rest") {
  // vllm-project/vllm#11743: 79.33 GiB · 0.9 = weights + other + activations + cache.
  Generator g = generator_of("llama-3-8b", 1);
  g.engine.memory = {0.9, true, 1.27 * kGiB, 1 * kGiB, Bytes()};
  const EnginePool p = pool_of(g, 0.9, 256, {1000, 2000});
  const Bytes share = g.cluster.device.memory_capacity * 0.9;
  CHECK((p.weights + p.other + p.work + p.cache).si() == about(share.si()));
  CHECK(p.all.si() == about((share + kGiB).si()));
  CHECK(p.tokens == about(p.cache.si() / 131072));
  CHECK(p.weights.si() == about(2 * 8030261248.0));
  g.engine.memory.share_holds_work = false;
  const EnginePool apart = pool_of(g, 0.9, 256, {1000, 2000});
  CHECK((apart.weights + apart.cache).si() == about(share.si()));
}

TEST_CASE("a hybrid runs as many sequences as find their states in the cache") {
  // A state of granite-4.0-h-small is as large as thousands of its tokens.
  Generator g = generator_of("granite-4.0-h-small", 1);
  g.engine.memory = {0.9, false, Bytes(), Bytes(), Bytes()};
  const Bytes state = state_of_sequence(g);
  const Bytes token = cache_of_token(g);
  REQUIRE(state > Bytes());
  // A share that leaves the states of ten sequences with 1,000 tokens each, and half of one more.
  const Bytes cache = (state + token * 1000) * 10.5;
  const double share = (weights_of_gpu(g) + cache) / g.cluster.device.memory_capacity;
  const EnginePool p = pool_of(g, share, 256, {1000, 2000});
  CHECK(p.running == 10);
  CHECK(p.tokens == about((cache - state * 10) / token).epsilon(1e-6));
  CHECK(p.tokens > 2000);
  CHECK(pool_of(g, share, 4, {1000, 2000}).running == 4);
  // Beside the longest answer fewer states fit.
  const double longest = (cache - state * 3) / token;
  CHECK(pool_of(g, share, 256, {1000, longest - 1}).running == 3);
}
