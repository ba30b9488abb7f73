// SPDX-License-Identifier: Apache-2.0
#include "report/validate.h"

#include <doctest/doctest.h>

#include "document/html.h"
#include "document/markdown.h"
#include "document/text.h"
#include "support/about.h"
#include "validate/shipped_runs.h"

namespace orrery {
namespace {

TEST_CASE("JSON carries every row and summary, with the errors it publishes") {
  const ValidationReport& report = testing::shipped_report();
  const Json j = validation_json(report);
  REQUIRE(j["rows"].size() == report.rows.size());
  CHECK(j["summaries"].size() == report.summaries.size());
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Json& row = j["rows"][i];
    const JudgedRow& r = report.rows[i];
    CAPTURE(r.row.id);
    CHECK(row["id"] == r.row.id);
    REQUIRE(row.contains("refused") != row.contains("predicted"));
    if (row.contains("refused")) continue;
    for (const auto& [quantity, error] : row["error"].items()) {
      if (!row["measured"].contains(quantity)) continue;
      const double predicted = row["predicted"][quantity].get<double>();
      const double measured = row["measured"][quantity].get<double>();
      CHECK(error.get<double>() == testing::about(predicted / measured - 1));
    }
  }
}

TEST_CASE("text and Markdown name every scope and every refused row") {
  const ValidationReport& report = testing::shipped_report();
  const AnswerDocument document = validation_document(report);
  const std::string text = text_of(document, {});
  const std::string markdown = markdown_of(document);
  for (const Summary& s : report.summaries) {
    CAPTURE(s.scope);
    CHECK(text.find(s.scope) != std::string::npos);
    CHECK(markdown.find("| " + s.scope + " |") != std::string::npos);
  }
  for (const JudgedRow& r : report.rows) {
    CAPTURE(r.row.id);
    CHECK(text.find(r.row.id) != std::string::npos);
    if (!is_estimated(r)) CHECK(markdown.find(r.row.id) != std::string::npos);
  }
}

TEST_CASE("the page of plots is whole, and names every row it draws") {
  const std::string page = html_of(validation_document(testing::shipped_report()));
  CHECK(page.find("<svg") != std::string::npos);
  CHECK(page.find("</html>") != std::string::npos);
  CHECK(page.find("http://") == page.find("http://www.w3.org"));
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find("megatron-gpt3-175b-1024a100-readme: ") != std::string::npos);
}

}  // namespace
}  // namespace orrery
