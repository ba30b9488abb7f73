// SPDX-License-Identifier: Apache-2.0
#include "document/text.h"

#include <doctest/doctest.h>

#include "core/json.h"
#include "document/escape.h"
#include "document/rows.h"

namespace orrery {
namespace {

const std::string kLong = "a sentence that takes more room than the column it stands in has";

Table two_rows() {
  Table t({{"name", "name"}, {"size", "size_bytes", true}, Column("note").wrapped(20)}, 2);
  t.add({"first", Cell("1 GB", 1e9), "short"});
  t.add({"the second", Cell("–", nullptr), kLong});
  return t;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t from = 0, to = 0; (to = text.find('\n', from)) != std::string::npos;
       from = to + 1) {
    widest = std::max(widest, width_of(text.substr(from, to - from)));
  }
  return widest;
}

TEST_CASE("a column of prose takes further lines, and nothing is cut") {
  CHECK(text_of(two_rows(), {}) ==
        "  name        size  note\n"
        "  first       1 GB  short\n"
        "  the second     –  a sentence that\n"
        "                    takes more room than\n"
        "                    the column it stands\n"
        "                    in has\n");
}

TEST_CASE("a table that must fit wraps its texts, and goes on below where that is not enough") {
  Table t({"key", "prose", {"one", true}, {"two", true}, {"three", true}});
  t.add({"k", kLong, "1,000,000,000", "2,000,000,000", "3,000,000,000"});
  CHECK(widest_line(text_of(t, {false, 80, false})) > 80);  // a pipe: a row is a line
  CHECK(widest_line(text_of(t, {false, 80, true})) <= 80);
  const std::string parts = text_of(t, {false, 40, true});
  CHECK(widest_line(parts) <= 40);
  for (const char* cell : {"1,000,000,000", "2,000,000,000", "3,000,000,000"}) {
    CHECK(parts.find(cell) != std::string::npos);
  }
}

TEST_CASE("bars are drawn by their share, and get shorter where the table must fit") {
  Table t = bar_table("part", "time");
  t.add({"compute", "1 s", "50.0 %", bar_cell(0.5)});
  CHECK(text_of(t, {}) == "  compute                  1 s   50.0 %  █████████████████████████\n");
  const std::string narrow = text_of(t, {false, 80, true});
  CHECK(width_of(narrow) < width_of(text_of(t, {})));
}

TEST_CASE("sections stand apart, empty ones leave no gap, charts are for pages") {
  AnswerDocument d;
  d.add({bold("Head") + " of it", {Paragraph{"one"}}});
  d.add({});
  d.add({"", {labelled("label", "text"), BarPlot{"drawn on a page"}}});
  CHECK(text_of(d, {}) == "Head of it\none\n\nlabel             text\n");
  CHECK(text_of(d, {true}).find("\x1b[1mHead\x1b[0m of it") == 0);
}

TEST_CASE("texts of files move no terminal") {
  Table table({"key", "value"});
  table.add({"a", Cell(std::string("b\x1b[2Jc"))});
  CHECK(text_of(table, Style{}).find('\x1b') == std::string::npos);
  CHECK(Phrase("a\rb\tc\nd\x7f").spans()[0].text == "a b\tc\nd ");
}

TEST_CASE("a paragraph hangs, and keeps a width however deep it stands") {
  const std::string text = text_of(Section{"", {Paragraph{kLong, 4, 2}}}, {false, 30});
  CHECK(text == "  " + kLong.substr(0, kLong.rfind(' ')) + "\n    has\n");
}

TEST_CASE("programs get whole numbers under keys, people what is rounded") {
  Table t({{"time", "time_s", true},
           Column("both"),
           Column("over").only(Audience::people),
           Column("raw").only(Audience::programs)});
  t.add({Cell("0.33 s", 1.0 / 3), "x,\"y\"", "seen", data_cell(true)});
  t.add({Cell("–", nullptr), "", "", data_cell(std::vector<std::string>{"a", "b"})});
  CHECK(csv_of(t) ==
        "time_s,both,raw\n0.3333333333333333,\"x,\"\"y\"\"\",true\n,,\"[\"\"a\"\",\"\"b\"\"]\"\n");
  CHECK(json_rows(t).dump() == R"([{"time_s":0.3333333333333333,"both":"x,\"y\"","raw":true},)"
                               R"({"time_s":null,"both":"","raw":["a","b"]}])");
  CHECK(text_of(t, {}).find("raw") == std::string::npos);
}

TEST_CASE("no text in CSV is a formula, and flags and numbers stay as they are") {
  for (const char* text : {"=1+1", "@SUM(A1)", "-2+3+cmd|' /C calc'!A0", "+f(1)"}) {
    CHECK(csv_escaped(text) == "'" + std::string(text));
  }
  for (const char* text : {"-5.3", "--tokens", "−14 %", "a=b", ""})
    CHECK(csv_escaped(text) == text);
  CHECK(csv_escaped("=\"a\",b") == "\"'=\"\"a\"\",b\"");
}

TEST_CASE("values of a document are what its JSON was") {
  for (const char* text : {"null", "true", "-3", "0.1", "\"x\"", "[1,{\"a\":[]}]"}) {
    CHECK(json_value(value_of(parse_json(text, "test"))).dump() == text);
  }
}

}  // namespace
}  // namespace orrery
