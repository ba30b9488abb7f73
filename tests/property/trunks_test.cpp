// SPDX-License-Identifier: Apache-2.0
//
// More work of a model that is no text decoder never takes less time: a scan of one quantity of
// each shipped run of such a model, in steps that divide badly.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/json_path.h"
#include "estimate/estimate.h"
#include "support/runs.h"

using namespace orrery;
using namespace orrery::testing;

namespace {

constexpr double kTrunkRounding = 1 + 1e-9;

struct TrunkScan {
  const char* run;
  const char* path;
  std::int64_t from;
  std::int64_t to;
  std::int64_t by;
};

constexpr TrunkScan kTrunkScans[] = {
    {"sdxl-32-a100", "training.height", 512, 1152, 32},
    {"flux.1-dev-64-b200", "training.height", 256, 1056, 16},
    {"flux.1-dev-64-b200", "training.text_tokens", 0, 560, 7},
    {"wan2.1-14b-256-h100", "training.frames", 1, 121, 4},
    {"vit-22b-256-h100", "training.micro_batch", 1, 12, 1},
    {"clip-vit-l-14-128-a100", "training.micro_batch", 1, 70, 1},
    {"whisper-large-32-a100", "training.micro_batch", 1, 20, 1},
};

// One micro batch a replica, so that nothing but the work of it changes.
Json trunk_run(const TrunkScan& s, std::int64_t value) {
  const std::optional<ConfigText> file = shipped_config("runs", s.run);
  REQUIRE(file);
  Json run = parse_json(file->text, file->file);
  set_at(run, s.path, value);
  const std::int64_t replicas = run["cluster"]["gpus"].get<std::int64_t>();
  run["training"]["global_batch"] = run["training"]["micro_batch"].get<std::int64_t>() * replicas;
  return run;
}

Seconds step_of_trunk(const Json& run) {
  return estimate(resolve_for_numbers(run, "run.json", shipped_configs()).run).step_time;
}

}  // namespace

TEST_CASE("more pixels, frames, text or samples of a micro batch never take less time") {
  for (const TrunkScan& s : kTrunkScans) {
    Seconds before{};
    for (std::int64_t value = s.from; value <= s.to; value += s.by) {
      const std::string what = std::string(s.run) + ": " + s.path + " " + std::to_string(value);
      CAPTURE(what);
      const Seconds now = step_of_trunk(trunk_run(s, value));
      CHECK(now * kTrunkRounding >= before);
      before = std::max(before, now);
    }
  }
}
