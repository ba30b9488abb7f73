// SPDX-License-Identifier: Apache-2.0
//
// Adapters beside models that are no text decoder: parameters and kept bytes counted by hand.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "model/adapter.h"
#include "model/blocks.h"
#include "model/flops.h"
#include "model/model_files.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Adapter lora(TargetMask targets = kEveryLinear, std::int64_t rank = 16) {
  Adapter a;
  a.rank = rank;
  a.targets = targets;
  return a;
}

Architecture flux() {
  Architecture a = shipped_model("flux.1-dev").architecture;
  a.trunk.text = 512;
  return a;
}

ListOptions beside(const Adapter& a) {
  ListOptions o;
  o.adapter = a;
  return o;
}

std::int64_t trained(const Architecture& a, const Adapter& adapter) {
  return trained_parameters(a, 4608, adapter);
}

}  // namespace

TEST_CASE("adapters of FLUX have r(in + out) parameters a matrix") {
  using enum AdapterTarget;
  const std::int64_t h = 3072;
  // Two streams with queries, keys, values, output (8h) and MLP (10h), then queries, keys and
  // values of the single layers: what diffusers' train_dreambooth_lora_flux.py adapts.
  CHECK(trained(flux(), lora()) == 16 * h * (19 * 2 * 18 + 38 * 6));
  CHECK(trained(flux(), lora(mask_of(parallel_up, parallel_down))) == 16 * 38 * (5 * h + 6 * h));
  CHECK(trained(flux(), lora(mask_of(modulation))) == 16 * h * (19 * 2 * 7 + 38 * 4));
  // One adapter of the fused product: of a single layer's with the MLP (h and 7h).
  CHECK(trained(flux(), lora(mask_of(qkv))) == 16 * h * (19 * 2 * 4 + 38 * 8));
}

TEST_CASE("adapters of cross attention read text, and those of a U-Net its transformers") {
  using enum AdapterTarget;
  const std::int64_t h = 5120;
  CHECK(trained(shipped_model("wan2.1-t2v-14b").architecture,
                lora(mask_of(query, key, value, output), 32)) == 32 * 40 * h * 16);
  // SDXL: 10 layers of 640 and 60 of 1280; keys and values read 2048 wide text.
  const auto of = [](std::int64_t c) { return 4 * 2 * c + 2 * 2 * c + 2 * (2048 + c); };
  CHECK(trained(shipped_model("sdxl").architecture, lora(mask_of(query, key, value, output))) ==
        16 * (10 * of(640) + 60 * of(1280)));
}

TEST_CASE("frozen layers keep what their gradients and adapters read") {
  const double h = 3072;
  const double statistic = 24 * 4;
  const double rank = 16 * 2;
  // A stream: inputs of two norms (4h), of adapted products (2h, 2h, 2h, 8h), queries and keys
  // before their norm (4h), after it with values (6h), the activation's input (8h), but no
  // normalised values and no outputs for scales and gates (8h of 44h), which do not train.
  CHECK(kept_a_token(flux(), 0, beside(lora())) == 36 * h + statistic + 6 * rank);
  // A single layer: 2h, 2h, 4h, 6h, 8h and attention's output for its kernel, 2h, of 38h.
  CHECK(kept_a_token(flux(), 1, beside(lora())) == 24 * h + statistic + 3 * rank);
  // With modulation adapted, scales and gates have gradients and read them again.
  const TargetMask both = kEveryLinear | mask_of(AdapterTarget::modulation);
  CHECK(kept_a_token(flux(), 0, beside(lora(both))) == 44 * h + statistic + 6 * rank);
}

TEST_CASE("4 bits pack every linear layer of a diffusion transformer, and no convolution") {
  Adapter q = lora();
  q.kind = AdapterKind::qlora;
  q.base = BaseFormat::nf4;
  const auto unpacked = [&](const char* name) {
    ListOptions o = beside(q);
    o.sequence = 4608;
    const auto m =
        std::make_unique<ModelOperators>(model_operators(shipped_model(name).architecture, o));
    std::int64_t n = 0;
    for (const Block* block : {&m->embedding, &m->layers[0], &m->head}) {
      for (std::uint8_t i = 0; i < block->count; ++i) {
        const Operator& op = block->operators[i];
        if (op.has_weight && op.weight == WeightUse::frozen) n += op.inner.units * op.inner.unit;
      }
    }
    return n;
  };
  CHECK(unpacked("flux.1-dev") == 0);
  CHECK(unpacked("sdxl") > 0);
}

TEST_CASE("a frozen trunk does two passes of a product, and keys of text one") {
  const auto flops = [](const Architecture& a, const Adapter* adapter) {
    CountedStep step{.sequence = 4608, .global_batch = 1, .lengths = {}};
    step.adapter = adapter;
    return model_flops(a, FlopsConvention::six_n, step).si();
  };
  const Adapter thin = lora(mask_of(AdapterTarget::query), 1);
  const double share = flops(flux(), &thin) / flops(flux(), nullptr);
  CHECK(share == doctest::Approx(2.0 / 3).epsilon(0.002));
  const auto m = std::make_unique<ModelOperators>(
      model_operators(shipped_model("wan2.1-t2v-14b").architecture, beside(thin)));
  for (std::uint8_t i = 0; i < m->layers[0].count; ++i) {
    const Operator& op = m->layers[0].operators[i];
    if (op.name == OpName::cross_keys) CHECK(op.backward == Backward::none);
  }
}
