// SPDX-License-Identifier: Apache-2.0
#include "insight/settings.h"

#include <doctest/doctest.h>

#include "core/json.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

using testing::json_of;

std::string words(const char* from, const char* to) {
  return typed(settings_between(json_of(from), json_of(to)));
}

TEST_CASE("the settings between two runs are typed by their flags, or by their path in quotes") {
  CHECK(words(R"({"cluster": {"node": "dgx-h100", "gpus": 8}})",
              R"({"cluster": {"node": "dgx-h100", "gpus": 64}})") == "--gpus 64");
  CHECK(words(R"({})", R"({"model": "gpt2", "parallel": {"tp": 2, "overlap": {"tp": true}}})") ==
        "--model gpt2 --tp 2 --set 'parallel.overlap={\"tp\":true}'");
  CHECK(words(R"({"parallel": {"recompute_modules": ["mlp"], "recompute": "selective"}})",
              R"({"parallel": {"recompute": "full"}})") ==
        "--recompute full --set parallel.recompute_modules=null");
  CHECK(words(R"({"parallel": {"tp": 8}, "framework": "fsdp"})", R"({"framework": "fsdp"})") ==
        "--set parallel=null");
  CHECK(words(R"({})", R"({"name": "it's 8"})") == R"(--set 'name=it'\''s 8')");
  // Text that would be read as a number stays text.
  CHECK(words(R"({})", R"({"name": "8"})") == R"(--set 'name="8"')");
  CHECK(words(R"({"a": 1})", R"({"a": 1})").empty());
}

}  // namespace
}  // namespace orrery
