// SPDX-License-Identifier: Apache-2.0
#include "report/estimate.h"

#include <doctest/doctest.h>

#include "document/text.h"
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

TEST_CASE("colour is there only where it is wanted") {
  const RunReport r = testing::report_of(testing::gpt3());
  CHECK(text_of(estimate_document(r), {}).find('\x1b') == std::string::npos);
  CHECK(text_of(estimate_document(r), {true}).find('\x1b') != std::string::npos);
}

}  // namespace
}  // namespace orrery
