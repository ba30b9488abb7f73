// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "document/html.h"
#include "document/markdown.h"
#include "document/svg.h"
#include "document/text.h"
#include "support/about.h"

namespace orrery {
namespace {

const std::string kEvil = "</script><b>\"&";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

AnswerDocument sample() {
  AnswerDocument d{"A title " + kEvil, {}, Table(), kEvil};
  Table t({{"name"}, {"size", true}, Column("hidden").only(Audience::programs), Column("")});
  t.add({kEvil, "1|2", data_cell(1), bar_cell(0.25)});
  d.add({bold("Head"), {labelled("label", kEvil), labelled("other", "x"), t, Paragraph{kEvil}}});
  d.add({"", {Verbatim{kEvil + "\n"}}});
  return d;
}

LanePlot lanes() {
  LanePlot plot{kEvil, "stage", "memory", "GiB"};
  plot.kinds = {{kEvil, 0}, {"never", 1}};
  plot.lanes = {{{{0, 1, 0, kEvil}}, {{0, 2}}}};
  plot.end = 1;
  return plot;
}

TEST_CASE("a page escapes whatever it is given") {
  const std::string page = html_of(sample());
  CHECK(count(page, kEvil) == 0);
  CHECK(count(page, "&lt;/script&gt;&lt;b&gt;&quot;&amp;") == 7);
  CHECK(count(page, "<script") == 0);
  CHECK(count(page, "http") == 0);
  CHECK(count(page, "hidden") == 0);
  CHECK(count(page, "<dl>") == 1);
  CHECK(count(page, "width:25.0%") == 1);
}

TEST_CASE("an outline folds on a page, and is as deep as it is open elsewhere") {
  Outline leaf{"leaf"};
  Outline folded{"folded", "= leaf", {leaf}, true, "one"};
  Outline again{"again", {}, {}, false, "", "one"};
  const Outline all{"root", "= folded", {folded, again}};
  const AnswerDocument d{"t", {{"", {all}}}, Table(), ""};
  const std::string page = html_of(d);
  CHECK(page.find("<details open><summary>root</summary>") != std::string::npos);
  CHECK(page.find("<details id=\"one\"><summary>folded</summary>") != std::string::npos);
  CHECK(page.find("<p>again <a href=\"#one\">") != std::string::npos);
  CHECK(text_of(d, {}) == "root\n  = folded\n  folded  …\n  again  as above\n");
  CHECK(markdown_of(d).find("- root\n  = folded\n  - folded  …\n  - again  as above\n") !=
        std::string::npos);
}

TEST_CASE("nothing in lanes can end their script, and only kinds that occur are in the legend") {
  AnswerDocument d = sample();
  d.add({"", {lanes()}});
  const std::string page = html_of(d);
  CHECK(count(page, "</script>") == 2);  // its data and its code
  CHECK(count(page, "<script>") == 1);
  CHECK(count(page, "\\u003c/script") == 2);
  CHECK(count(page, "</i>never") == 0);
}

TEST_CASE("nothing in points can end their script, beside lanes too") {
  PointsPlot plot{kEvil, kEvil, kEvil};
  plot.kinds = {{kEvil, 0}};
  plot.bars = {{kEvil, "s", {kEvil}}};
  plot.points = {{kEvil, 0, 1, 2, {3}, {{3}}, {}}};
  AnswerDocument d = sample();
  d.add({"", {lanes(), plot}});
  const std::string page = html_of(d);
  CHECK(count(page, "<script>") == 2);
  CHECK(count(page, "</script>") == 4);  // data and code of both
  CHECK(count(page, kEvil) == 0);
}

TEST_CASE("Markdown has a cell a column, without bars") {
  const std::string text = markdown_of(sample());
  CHECK(text.find("| " + kEvil + " | 1\\|2 |\n") != std::string::npos);
  CHECK(text.find("| --- | ---: |\n") != std::string::npos);
  CHECK(text.find("- label: ") != std::string::npos);
}

double number_after(const std::string& text, const std::string& key, std::size_t from = 0) {
  const std::size_t at = text.find(key, from);
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + key.size()));
}

TEST_CASE("bars are in proportion, with whiskers and a limit") {
  BarPlot plot{"Days"};
  plot.rows = {{"one", {1}, "1", 0.5, 1.5}, {"four", {4}, "4"}, {"unknown", {}, "no price"}};
  plot.limit = 2;
  const std::string svg = svg_of(plot);
  const double one = number_after(svg, "width=\"");
  const double four = number_after(svg, "width=\"", svg.find(">four<"));
  CHECK(four == testing::about(4 * one).epsilon(0.01));
  CHECK(count(svg, "class=\"plain\"") == 2);
  CHECK(count(svg, "class=\"axis\"") == 3);
  CHECK(count(svg, "no price") == 1);
  CHECK(count(svg, "class=\"limit\"") == 2);
}

TEST_CASE("points of a logarithmic plot lie by their decade") {
  XyPlot plot{"Rate", {"bytes", true}, {"s", true}};
  plot.series = {{"", Mark::dots, 0, {{1, 1}, {10, 10}, {100, 100}}}};
  const std::string svg = svg_of(plot);
  const std::size_t first = svg.find("<circle");
  const std::size_t second = svg.find("<circle", first + 1);
  const std::size_t third = svg.find("<circle", second + 1);
  const auto x = [&](std::size_t at) { return number_after(svg, "cx=\"", at); };
  CHECK(x(second) - x(first) == testing::about(x(third) - x(second)).epsilon(0.001));
}

TEST_CASE("the least value of a heat map is darkest, and an empty place has no mark") {
  HeatMap map{"Two", "tp", "pp", {"1", "2"}, {"1"}, {{{1.0, "1"}, {1.6, "1.6"}}}};
  CHECK(count(svg_of(map), "shade0") == 1);
  CHECK(count(svg_of(map), "shade4") == 1);
  map.cells[0][1] = {};
  CHECK(count(svg_of(map), "<rect") == 1);
}

}  // namespace
}  // namespace orrery
