// SPDX-License-Identifier: Apache-2.0
// Any text as the `search` object of a run.
#include "explore/space_json.h"
#include "fuzz/configs.h"
#include "fuzz/harness.h"
#include "insight/metrics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const orrery::Json run = orrery::parse_json(
      R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
          "training": {"sequence_length": 8192, "global_batch": 64}})",
      "run.json");
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    const orrery::SearchRequest r =
        orrery::read_search(run, "run.json", orrery::fuzz::cached_configs(),
                            orrery::parse_json(text, "fuzz.json"), orrery::metric_source());
    orrery::units_of(r.space);
  });
}
