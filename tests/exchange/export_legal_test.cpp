// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "exchange/foreign.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::json_of;
using testing::with;

const char* const kDense = R"({
  "model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
  "training": {"sequence_length": 8192, "global_batch": 256}, "framework": "megatron-core",
  "parallel": {"recompute": "full"}})";

ExportedRun exported(const Json& run, ForeignFormat format = ForeignFormat::megatron) {
  return export_run(format, testing::resolved(run), run, testing::shipped_configs());
}

bool lists(const ExportedRun& e, const std::string& path) {
  return std::any_of(e.not_said.begin(), e.not_said.end(),
                     [&](const NotSaid& n) { return n.path == path; });
}

}  // namespace

TEST_CASE("as many layers checkpointed as every n-th is are torchtitan's option n") {
  const auto of = [](const char* change) {
    return exported(with(with(json_of(kDense), R"({"framework": "torchtitan"})"), change),
                    ForeignFormat::torchtitan_toml);
  };
  const ExportedRun half =
      of(R"({"parallel": {"recompute_method": "block", "recompute_layers": 16}})");
  CHECK(half.text.find("selective_ac_option = \"2\"") != std::string::npos);
  CHECK_FALSE(lists(half, "parallel.recompute"));
  CHECK_FALSE(lists(half, "parallel.recompute_layers"));
  const ExportedRun most =
      of(R"({"parallel": {"recompute_method": "block", "recompute_layers": 20}})");
  CHECK(most.text.find("selective_ac_option") == std::string::npos);
  CHECK(lists(most, "parallel.recompute_layers"));
}

}  // namespace orrery
