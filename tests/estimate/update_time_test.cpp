// SPDX-License-Identifier: Apache-2.0
#include "estimate/update_time.h"

#include <doctest/doctest.h>

#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Device one_h100() {
  return run_of(json_of(R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 1},
                    "training": {"sequence_length": 2048, "global_batch": 1}})"))
      .cluster.device;
}

}  // namespace

// 20a²b + 10a³ FLOPs, at no more than the peak and at no less than a third of it for large
// matrices.
TEST_CASE("Newton-Schulz takes the FLOPs of five steps, whichever side is the longer") {
  const Device d = one_h100();
  const double a = 8192;
  const double b = 28672;
  const double flops = 20 * a * a * b + 10 * a * a * a;
  const double t = update_products_time(Optimizer::muon, 8192, 28672, 0, d).si();
  const double peak = peak_of(d, Precision::bf16).si();
  CHECK(t > flops / peak);
  CHECK(t < 3 * flops / peak);
  CHECK(update_products_time(Optimizer::muon, 28672, 8192, 0, d).si() == t);
}

TEST_CASE("optimizers without products of matrices take none, higher rank takes longer") {
  const Device d = one_h100();
  CHECK(update_products_time(Optimizer::lion, 4096, 4096, 0, d) == Seconds());
  CHECK(update_products_time(Optimizer::galore, 4096, 4096, 128, d) <
        update_products_time(Optimizer::galore, 4096, 4096, 1024, d));
  CHECK(update_products_time(Optimizer::shampoo, 4096, 4096, 0, d) <
        update_products_time(Optimizer::soap, 4096, 4096, 0, d));
}
