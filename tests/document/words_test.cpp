// SPDX-License-Identifier: Apache-2.0
#include "document/words.h"

#include <doctest/doctest.h>

#include "document/rows.h"
#include "document/table.h"

namespace orrery {
namespace {

TEST_CASE("counts are grouped and shortened") {
  CHECK(grouped(std::int64_t{7}) == "7");
  CHECK(grouped(std::int64_t{1024}) == "1,024");
  CHECK(grouped(std::int64_t{-1234567}) == "-1,234,567");
  CHECK(grouped(999.6) == "1,000");
  CHECK(short_count(174.6e9) == "174.6 B");
  CHECK(short_count(12) == "12");
  CHECK(plain_number(20) == "20");
  CHECK(plain_number(0.5) == "0.5");
}

TEST_CASE("times of days are days") {
  CHECK(seconds_text(Seconds(0)) == "0 s");
  CHECK(seconds_text(Seconds(86400.0 * 25.4)) == "25.4 days");
  CHECK(seconds_text(Seconds(86400.0 * 2500)) == "2,500 days");
}

TEST_CASE("width counts what a terminal shows") {
  CHECK(width_of("µs █") == 4);
  CHECK(width_of(text_style({true}, TextStyle::bold, "ab")) == 2);
  CHECK(left("µ", 3) == "µ  ");
  CHECK(right("µ", 3) == "  µ");
  CHECK(shortened("aµcd", 3) == "aµ…");
}

TEST_CASE("bars are as long as their share") {
  CHECK(bar(0, 10).empty());
  CHECK(width_of(bar(1, 10)) == 10);
  CHECK(width_of(bar(7, 10)) == 10);
  CHECK(bar(0.5, 2) == "█");
  CHECK(bar(0.25, 2) == "▌");
}

TEST_CASE("wrapped lines keep their words and their width") {
  const std::string text = wrapped("aa bb cc dd", 2, 0, 5);
  CHECK(text == "aa bb\n  cc\n  dd");
  CHECK(wrapped("word", 2, 0, 2) == "word");
  CHECK(wrapped("over 99 %, so", 0, 0, 8) == "over\n99 %, so");
}

TEST_CASE("CSV quotes what needs it") {
  Table t({{"a"}, {"b", true}});
  t.add({"x,y", "say \"hi\""});
  CHECK(csv_of(t) == "a,b\n\"x,y\",\"say \"\"hi\"\"\"\n");
}

}  // namespace
}  // namespace orrery
