// SPDX-License-Identifier: Apache-2.0
#include "report/estimate.h"

#include <doctest/doctest.h>

#include "core/json.h"
#include "core/units.h"
#include "document/text.h"
#include "support/about.h"
#include "support/sample_runs.h"

namespace orrery {
namespace {

TEST_CASE("estimates fit a terminal of 100 columns") {
  for (const Json& run : testing::sample_runs()) {
    const std::string text = text_of(estimate_document(testing::report_of(run)), {});
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      const std::string line = text.substr(begin, end - begin);
      CAPTURE(line);
      CHECK(width_of(line) <= kTextWidth);
    }
    CHECK(text.find("nan") == std::string::npos);
  }
}

// A device between what a run needs and what it fills where there is module.
Json filled_run() {
  Json run = testing::with(testing::llama(), R"({"parallel": {"recompute": "full"},
                           "framework": "megatron-core"})");
  const StageMemory<double> m = testing::report_of(run).answer.memory;
  run["cluster"]["device"]["memory_capacity"] = ((m.needed + m.peak) / 2.0).si();
  return run;
}

TEST_CASE("a peak that is the capacity says so, and how much is allocated") {
  const RunReport r = testing::report_of(filled_run());
  const Json j = estimate_json(r);
  CHECK(j["memory"]["filled_by_cached_blocks"] == true);
  CHECK(j["memory"]["needed_gib"] < j["memory"]["peak_gib"]);
  CHECK(j["memory"]["peak_gib_80"][0] < j["memory"]["needed_gib"]);
  CHECK(j["memory"]["peak_gib_80"][1].get<double>() / j["memory"]["needed_gib"].get<double>() ==
        testing::about(r.resolved.memory.high));
  const std::string words = "the whole device: cached blocks fill it, which the allocator";
  const std::string allocated = gib_text(r.answer.memory.allocated, 1) + " are allocated";
  for (const AnswerDocument& d : {estimate_document(r), memory_document(r)}) {
    std::string text = text_of(d, {});
    for (std::size_t at = 0; (at = text.find("\n ", at)) != std::string::npos;) {
      text.erase(at, text.find_first_not_of(" \n", at) - at - 1);
      text[at++] = ' ';
    }
    CHECK(text.find(words) != std::string::npos);
    CHECK(text.find(allocated) != std::string::npos);
  }
  const RunReport ample = testing::report_of(testing::llama());
  CHECK(estimate_json(ample)["memory"]["filled_by_cached_blocks"] == false);
  CHECK(text_of(estimate_document(ample), {}).find("cached blocks") == std::string::npos);
}

TEST_CASE("colour is there only where it is wanted") {
  const RunReport r = testing::report_of(testing::gpt3());
  CHECK(text_of(estimate_document(r), {}).find('\x1b') == std::string::npos);
  CHECK(text_of(estimate_document(r), {true}).find('\x1b') != std::string::npos);
}

}  // namespace
}  // namespace orrery
