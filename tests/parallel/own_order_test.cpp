// SPDX-License-Identifier: Apache-2.0
//
// Orders from files: read as written, and refused by the step that is wrong.
#include "parallel/own_order.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "core/json.h"
#include "parallel/schedules/table.h"
#include "parallel/strategy.h"

using namespace orrery;

namespace {

OwnOrder order_of(const std::string& text) {
  return read_own_order(parse_json(text, "order.json"), "order.json");
}

std::string refusal_of(const std::string& text) {
  try {
    order_of(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) {
  return refusal_of(text).find(part) != std::string::npos;
}

// The file that a schedule of the table would be.
std::string file_of(ScheduleId id, const PipelineShape& shape) {
  std::string text = schedule_of(id).layout == ChunkLayout::v_shaped ? R"({"layout": "v",)" : "{";
  text += R"("stages": [)";
  const Programs programs = programs_of(id, shape);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    text += i == 0 ? "[" : ", [";
    for (std::size_t k = 0; k < programs[i].size(); ++k) {
      const Step& s = programs[i][k];
      text += std::string(k == 0 ? "\"" : ", \"") + "FBIW"[static_cast<int>(s.kind)] +
              std::to_string(s.chunk) + "." + std::to_string(s.micro_batch) + "\"";
    }
    text += "]";
  }
  return text + "]}";
}

}  // namespace

TEST_CASE("a schedule written to a file comes back the same") {
  struct Case {
    ScheduleId id;
    PipelineShape shape;
  };
  for (const Case& c :
       {Case{ScheduleId::one_f_one_b, {4, 1, 6}}, Case{ScheduleId::interleaved, {2, 2, 4}},
        Case{ScheduleId::zb_h2, {3, 1, 7}}, Case{ScheduleId::zb_v, {4, 2, 9}},
        Case{ScheduleId::v_min, {5, 2, 6}}}) {
    const OwnOrder order = order_of(file_of(c.id, c.shape));
    CHECK(order.shape == c.shape);
    CHECK(order.layout == schedule_of(c.id).layout);
    CHECK(order.programs == programs_of(c.id, c.shape));
  }
}

TEST_CASE("one chunk needs no dot") {
  const OwnOrder order = order_of(R"({"stages": [["F0", "F1", "B0", "B1"]]})");
  CHECK(order.shape == PipelineShape{1, 1, 2});
  CHECK(order.programs[0][2] == Step{StepKind::backward, 0, 0});
}

TEST_CASE("what is wrong with an order is named") {
  CHECK(says(R"({"stages": [["F0", "G0"]]})", "stages[0][1]: found \"G0\""));
  CHECK(says(R"({"stages": [["F0", "B"]]})", "stages[0][1]"));
  CHECK(says(R"({"stages": [["F0", "B-1"]]})", "stages[0][1]"));
  CHECK(says(R"({"stages": [["F0", "B99999999999999999999"]]})", "stages[0][1]"));
  CHECK(says(R"({"stages": [["F0", "F0", "B0"]]})", "stages[0][1]: found F0 a second time"));
  CHECK(says(R"({"stages": [["B0", "F0"]]})", "stages[0][0]: found B0 before what it needs"));
  CHECK(says(R"({"stages": [["F0", "W0", "I0"]]})", "stages[0][1]: found W0 before"));
  CHECK(says(R"({"stages": [["F0", "B0", "W0"]]})", "stages[0][2]: found W0 a second time"));
  CHECK(says(R"({"stages": [["F0", "I0"]]})", "stages[0]: found no step W0"));
  CHECK(says(R"({"stages": [["F0", "B0"], ["F0", "F1", "B0", "B1"]]})",
             "stages[0]: found no step F1"));
  CHECK(says(R"({"stages": [["F0", "B0"], []]})", "stages[1]: found no steps"));
  CHECK(says(R"({"stages": []})", "stages: found 0 stages"));
  CHECK(says(R"({"stages": [["F0", "B900000"]]})", "stages[0]: found 2 steps"));
  CHECK(says(R"({"layout": "w", "stages": [["F0", "B0"]]})", "layout"));
  CHECK(says(R"({"steps": []})", "stages"));
}

TEST_CASE("an order in which stages wait for each other is refused by the step that waits") {
  // Stage 1 wants micro batch 1 first, which stage 0 sends only after a backward of micro batch 0.
  const std::string text = R"({"stages": [["F0", "B0", "F1", "B1"], ["F1", "B1", "F0", "B0"]]})";
  CHECK(says(text, "stages[0][1]: found B0, which waits for B0 of stage 1"));
}
