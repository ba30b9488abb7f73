// SPDX-License-Identifier: Apache-2.0
//
// Memory of LoRA and QLoRA beside published tables. The frozen weights that FSDP 1 gathers are not
// modelled: the median is judged, and no row is further off than those.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "papers/golden.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

Json fms_run(const Json& row) {
  const auto gpus = row.at("gpus").get<std::int64_t>();
  const auto micro = row.at("micro_batch").get<std::int64_t>();
  return {{"cluster", {{"node", "dgx-a100-80gb"}, {"gpus", gpus}}},
          {"training",
           {{"sequence_length", 4096},
            {"global_batch", micro * gpus},
            {"adapter",
             {{"kind", row.at("kind")},
              {"rank", 16},
              {"targets", {"query", "key", "value", "output"}}}}}},
          {"parallel",
           {{"zero", gpus > 1 ? 3 : 0},
            {"recompute", "full"},
            {"framework_options", {{"kernels", row.at("kernels")}}}}},
          {"framework", "hf-trainer"}};
}

Json litgpt_run(const Json& row) {
  Json adapter = {{"kind", row.at("kind")},
                  {"rank", 8},
                  {"base_precision", row.at("base_precision")},
                  {"targets", {"query", "value"}}};
  if (row.at("base_precision") == "nf4") {
    adapter["double_quantisation"] = row.at("double_quantisation");
    adapter["keeps_inputs"] = true;  // bitsandbytes 0.41
  }
  return {
      {"cluster", {{"node", "dgx-a100-40gb"}, {"gpus", 1}}},
      {"training",
       {{"sequence_length", 1300}, {"global_batch", row.at("micro_batch")}, {"adapter", adapter}}},
      {"parallel", {{"zero", 0}, {"recompute", "none"}}},
      {"framework", "fsdp"}};
}

double gigabytes(const Json& row) {
  Json run = row.at("source") == "fms" ? fms_run(row) : litgpt_run(row);
  run["model"] = row.at("model");
  run["training"]["micro_batch"] = row.at("micro_batch");
  run["training"]["precision"] = "bf16";
  run["training"]["states"] = row.at("source") == "fms" ? "fp32-adam-16" : "pure-16bit";
  return estimate(run_of(run)).memory.allocated.si() / 1e9;
}

}  // namespace

TEST_CASE("memory of LoRA and QLoRA is within 8 % of published tables in the median") {
  const Json data = golden_data("adapter-memory");
  std::vector<double> errors;
  for (const Json& row : data.at("rows")) {
    const double measured = row.at("gb").get<double>();
    const double error = std::abs(gigabytes(row) / measured - 1);
    CAPTURE(row.dump());
    CHECK(error < 0.35);
    errors.push_back(error);
  }
  REQUIRE(errors.size() == 30);
  std::nth_element(errors.begin(), errors.begin() + 15, errors.end());
  CHECK(errors[15] < 0.08);
}
