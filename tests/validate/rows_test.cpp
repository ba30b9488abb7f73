// SPDX-License-Identifier: Apache-2.0
#include "validate/rows.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "core/error.h"
#include "shipped_runs.h"

namespace orrery {
namespace {

std::string file_of(const std::string& row) { return "[" + row + "]"; }

std::string row_text(const std::string& measured, const std::string& more = "") {
  return R"({"id": "x", "run": {"model": "gpt3-175b"}, "measured": )" + measured + more + "}";
}

std::string refusal(const std::string& text) {
  try {
    read_rows(text, "rows.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a row keeps what it says, in SI units") {
  const std::vector<Row> rows = read_rows(file_of(row_text(R"({
      "step_time_s": 2, "tokens_per_s_per_gpu": 300, "model_tflops_per_gpu": 140,
      "hardware_tflops_per_gpu": 180, "mfu": 0.45, "peak_memory_gib": 3,
      "memory_kind": "reserved"})",
                                                           R"(, "tier": "B", "unknown": ["zero"],
      "inferred": ["model.vocab"], "tflops_kind": "hardware", "notes": "n",
      "source": {"title": "t", "where": "w", "url": "u", "group": "g"})")),
                                          "rows.json");
  REQUIRE(rows.size() == 1);
  const Row& r = rows[0];
  CHECK(r.tier == RowTier::b);
  CHECK(r.source.group == "g");
  CHECK(r.measured.step_time->si() == 2);
  CHECK(r.measured.tokens_per_gpu->si() == 300);
  CHECK(r.measured.model_rate->si() == 140e12);
  CHECK(r.measured.hardware_rate->si() == 180e12);
  CHECK(*r.measured.mfu == 0.45);
  CHECK(r.measured.peak_memory->si() == 3.0 * 1024 * 1024 * 1024);
  CHECK(r.measured.memory_kind == MemoryKind::reserved);
  CHECK(r.flops_kind == FlopsKind::hardware);
  CHECK(r.unknown == std::vector<std::string>{"zero"});
  CHECK_FALSE(r.measured.hfu);
}

TEST_CASE("id, run and measured are enough") {
  const Row r = read_rows(file_of(row_text(R"({"step_time_s": 2})")), "rows.json").at(0);
  CHECK(r.tier == RowTier::a);
  CHECK(r.source.group == "rows.json");
  CHECK(r.unknown.empty());
}

TEST_CASE("an unknown key is refused with the nearest one") {
  const std::string measured = refusal(file_of(row_text(R"({"step_time": 2})")));
  CHECK(says(measured, "rows.json: [0].measured.step_time: found an unknown key"));
  CHECK(says(measured, R"(did you mean "step_time_s"?)"));
  CHECK(says(refusal(file_of(row_text(R"({"mfu": 0.4})", R"(, "note": "n")"))),
             R"(did you mean "notes"?)"));
  CHECK(says(refusal(file_of(row_text(R"({"mfu": 0.4})", R"(, "source": {"link": "u"})"))),
             "source.link"));
}

TEST_CASE("what is measured must be possible") {
  CHECK(says(refusal(file_of(row_text(R"({"step_time_s": 0})"))), "step_time_s"));
  CHECK(says(refusal(file_of(row_text(R"({"step_time_s": "2 s"})"))), "step_time_s"));
  CHECK(says(refusal(file_of(row_text(R"({"mfu": 45})"))), "mfu"));
  CHECK(says(refusal(file_of(row_text("{}"))), "at least one measured quantity"));
  CHECK(
      says(refusal(file_of(row_text(R"({"mfu": 0.4, "memory_kind": "device"})"))), "memory_kind"));
  CHECK(says(refusal(file_of(row_text(R"({"peak_memory_gib": 3, "memory_kind": "used"})"))),
             "device, reserved or allocated"));
}

TEST_CASE("a file is an array of rows with ids of their own") {
  CHECK(says(refusal(row_text(R"({"mfu": 0.4})")), "an array"));
  CHECK(says(refusal("[{}]"), "[0].id"));
  const std::string row = row_text(R"({"mfu": 0.4})");
  CHECK(says(refusal("[" + row + "," + row + "]"), "[1].id"));
  CHECK(says(refusal(R"([{"id": "x", "run": "r.json", "measured": {"mfu": 0.4}}])"), "[0].run"));
}

TEST_CASE("every shipped file is read, one source group a file") {
  std::set<std::string> ids;
  std::size_t count = 0;
  for (const auto& path :
       testing::files_in(std::filesystem::path(ORRERY_VALIDATION_DIR) / "runs")) {
    CAPTURE(path.string());
    const std::vector<Row> rows = read_rows(testing::text_of(path), path.filename().string());
    CHECK_FALSE(rows.empty());
    for (const Row& row : rows) {
      CHECK(row.source.group == path.stem().string());
      const bool unknown = row.source.where.find("address is not known") != std::string::npos;
      CHECK(row.source.url.empty() == unknown);
      ids.insert(row.id);
    }
    count += rows.size();
  }
  CHECK(count == 2168);
  CHECK(ids.size() == count);
}

}  // namespace
}  // namespace orrery
