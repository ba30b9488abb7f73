// SPDX-License-Identifier: Apache-2.0
//
// Golden data of a paper: tests/papers/<key>.json = {source, page, rows: [{name, inputs, expected,
// unit, tolerance, why_tolerance}]}. One doctest subcase a row; `expected` is a number, or with
// `truncated` an integer that the value must truncate to. `tolerance` is absolute, in `unit`, and 0
// means bit for bit.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/json.h"
#include "core/units.h"
#include "support/runs.h"

namespace orrery::testing {

inline Json golden_data(const std::string& key) {
  const std::string path = std::string(ORRERY_TEST_DATA) + "/papers/" + key + ".json";
  return parse_json(text_of_file(path).value_or(""), path);
}

inline void check_row(const Json& row, double found) {
  const double expected = row.at("expected").get<double>();
  const double tolerance = row.at("tolerance").get<double>();
  CAPTURE(shortest(found));
  CAPTURE(shortest(expected));
  if (row.value("truncated", false)) {
    CHECK(std::trunc(found) == expected);
  } else if (tolerance == 0) {
    CHECK(found == expected);
  } else {
    CHECK(std::abs(found - expected) <= tolerance);
  }
}

// A row says what it must be and why it may differ.
inline void check_form(const Json& data) {
  CHECK(data.at("source").get<std::string>().size() > 10);
  CHECK(!data.at("page").get<std::string>().empty());
  for (const Json& row : data.at("rows")) {
    const bool complete = row.contains("name") && row.contains("inputs") && row.contains("unit") &&
                          row.contains("why_tolerance");
    CHECK(complete);
  }
}

// evaluate(inputs) gives the value in the row's unit.
template <class Evaluate>
void check_golden(const std::string& key, std::size_t rows, Evaluate&& evaluate) {
  const Json data = golden_data(key);
  check_form(data);
  REQUIRE(data.at("rows").size() == rows);
  for (const Json& row : data.at("rows")) {
    const std::string name = row.at("name").get<std::string>();
    SUBCASE(name.c_str()) { check_row(row, evaluate(row.at("inputs"))); }
  }
}

inline std::int64_t integer(const Json& inputs, const std::string& key) {
  return inputs.at(key).get<std::int64_t>();
}

}  // namespace orrery::testing
