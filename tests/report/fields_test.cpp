// SPDX-License-Identifier: Apache-2.0
#include "report/fields.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "core/json.h"
#include "document/rows.h"

namespace orrery {
namespace {

struct Timed {
  std::string name;
  double seconds = 0;
};

constexpr std::array<RowField<Timed>, 3> kTimedFields = {{
    {"name", "name", "", [](const Timed& t) { return Cell(t.name); }, false},
    {"time_s", "time", "time_s", [](const Timed& t) { return Cell("about a second", t.seconds); }},
    {"fastest", nullptr, "", [](const Timed& t) { return data_cell(t.seconds < 1); }},
}};

TEST_CASE("a field stands in the JSON under its key and in the table under its title") {
  const std::vector<Timed> rows = {{"a", 1.25}, {"b", 0.5}};
  Json j;
  add_fields(kTimedFields, rows[0], j);
  CHECK(j.dump() == R"({"name":"a","time_s":1.25,"fastest":false})");

  const Table table = field_table(kTimedFields, rows);
  REQUIRE(table.columns().size() == 2);
  CHECK(table.rows()[0].size() == 2);
  CHECK(table.columns()[1].title == "time");
  CHECK(table.columns()[1].right);
  CHECK_FALSE(table.columns()[0].right);
  CHECK(table.rows()[1][1].text == "about a second");
  CHECK(csv_of(table) == "name,time_s\na,1.25\nb,0.5\n");
}

}  // namespace
}  // namespace orrery
