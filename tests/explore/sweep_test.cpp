// SPDX-License-Identifier: Apache-2.0
#include "explore/sweep.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "explore/space_json.h"
#include "explore/sweep_merge.h"
#include "explore/sweep_rows.h"
#include "support/runs.h"

namespace orrery {
namespace {

SweepPlan sweep_of(const std::string& text) {
  return read_sweep(parse_json(text, "sweep.json"), "sweep.json");
}

std::string settings_text(const SweepPlan& s, std::int64_t point) {
  std::string text;
  for (const SweepSetting& x : settings_of(s, point)) text += x.path + "=" + x.value.dump() + " ";
  return text;
}

TEST_CASE("points are the product of axes and zips, the last fastest") {
  const SweepPlan s =
      sweep_of(R"({"run": "r", "axes": {"a": [1, 2], "b": {"from": 1, "to": 8, "factor": 2}},
                               "zip": [{"c": ["x", "y"], "d": [true, false]}]})");
  CHECK(s.points == 16);
  CHECK(settings_text(s, 0) == "a=1 b=1 c=\"x\" d=true ");
  CHECK(settings_text(s, 1) == "a=1 b=1 c=\"y\" d=false ");
  CHECK(settings_text(s, 2) == "a=1 b=2 c=\"x\" d=true ");
  CHECK(settings_text(s, 15) == "a=2 b=8 c=\"y\" d=false ");
}

TEST_CASE("an axis that would overwrite an earlier one is refused, and so is a column twice") {
  const auto error = [](const std::string& text) {
    try {
      sweep_of(text);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(error(R"({"run": "r", "axes": {"cluster.gpus": [8], "cluster": [{"gpus": 16}]}})") ==
        "sweep.json: axes: found cluster after cluster.gpus; "
        "allowed: cluster first: it holds the other, and overwrites it");
  CHECK(error(R"({"run": "r", "axes": {"a.b": [8]}, "zip": [{"a": [1]}]})").find("a after a.b") !=
        std::string::npos);
  CHECK(settings_text(sweep_of(R"({"run": "r", "axes": {"a": [{"b": 1}], "a.b": [2], "ab": [3]}})"),
                      0) == "a={\"b\":1} a.b=2 ab=3 ");
  CHECK(error(R"({"run": "r", "axes": {"a": [1]}, "columns": ["mfu", "mfu"]})").find("mfu twice") !=
        std::string::npos);
}

TEST_CASE("a range ends where it says, whatever the rounding") {
  CHECK(sweep_of(R"({"run": "r", "axes": {"a": {"from": 0, "to": 1, "step": 0.1}}})").points == 11);
  const SweepPlan s =
      sweep_of(R"({"run": "r", "axes": {"a": {"from": 1, "to": 1000, "factor": 10}}})");
  CHECK(s.points == 4);
  CHECK(settings_text(s, 3) == "a=1000 ");
  CHECK(sweep_of(R"({"run": "r", "axes": {"a": {"from": 3, "to": 3, "step": 5}}})").points == 1);
}

// The values of an axis, as a sweep has them.
std::vector<Json> axis_values_of(const std::string& axis) {
  const SweepPlan s = sweep_of("{\"run\": \"r\", \"axes\": {\"a\": " + axis + "}}");
  std::vector<Json> values;
  for (std::int64_t i = 0; i < s.points; ++i) values.push_back(settings_of(s, i)[0].value);
  return values;
}

TEST_CASE("values between bounds carry no rounding, at any size") {
  using Values = std::vector<Json>;
  CHECK(axis_values_of(R"({"from": 0.1, "to": 0.3, "step": 0.1})") == Values{0.1, 0.2, 0.3});
  CHECK(axis_values_of(R"({"from": 0.1, "to": 0.35, "step": 0.1})") == Values{0.1, 0.2, 0.3});
  CHECK(axis_values_of(R"({"from": 1e-10, "to": 3e-10, "step": 1e-10})") ==
        Values{1e-10, 2e-10, 3e-10});
  CHECK(axis_values_of(R"({"from": 1e-10, "to": 2.5e-10, "step": 1e-10})") == Values{1e-10, 2e-10});
  CHECK(axis_values_of(R"({"from": 1e9, "to": 1000000001, "step": 0.4})").size() == 3);
  CHECK(axis_values_of(R"({"from": 0.1, "to": 0.4, "factor": 2})") == Values{0.1, 0.2, 0.4});
}

// The values of an axis over a key of the run file in a search.
std::vector<Json> searched_values(const std::string& axis) {
  const Json run = testing::json_of(
      R"({"model": "mixtral-8x7b", "cluster": {"node": "dgx-h100", "gpus": 8},
          "training": {"sequence_length": 4096, "global_batch": 16}})");
  const Json search = testing::json_of(R"({"axes": {"training.expert_load": )" + axis + "}}");
  const MetricSource no_metrics = {
      {}, {}, [](std::size_t, const Run&, const Answer&) { return 0.0; }};
  const SearchRequest r = read_search(run, "run", testing::shipped_configs(), search, no_metrics);
  return r.space.outer.at(0).values->get<std::vector<Json>>();
}

TEST_CASE("a search axis by bounds has the values that a sweep has") {
  for (const char* step : {"\"step\": 0.1", "\"step\": 0.07", "\"factor\": 1.1"}) {
    const std::string search = std::string(R"({"min": 1.1, "max": 1.3, )") + step + "}";
    const std::string sweep = std::string(R"({"from": 1.1, "to": 1.3, )") + step + "}";
    CHECK(searched_values(search) == axis_values_of(sweep));
  }
  CHECK(searched_values(R"({"min": 1.1, "max": 1.3, "step": 0.1})").size() == 3);
}

TEST_CASE("a range has up to a million values, each where its number says") {
  const SweepPlan most =
      sweep_of(R"({"run": "r", "axes": {"a": {"from": 1, "to": 1e6, "step": 1}}})");
  CHECK(most.points == 1'000'000);
  CHECK(settings_text(most, 0) == "a=1 ");
  CHECK(settings_text(most, 999'999) == "a=1000000 ");
  CHECK_THROWS_AS(sweep_of(R"({"run": "r", "axes": {"a": {"from": 0, "to": 1e6, "step": 1}}})"),
                  InputError);
  const SweepPlan far =
      sweep_of(R"({"run": "r", "axes": {"a": {"from": 1, "to": 1e15, "factor": 1e10}}})");
  CHECK(far.points == 2);
}

TEST_CASE("what no sweep can be is refused") {
  for (const char* text : {
           R"({"axes": {"a": [1]}})",
           R"({"run": 3, "axes": {"a": [1]}})",
           R"({"run": "r", "axes": {}})",
           R"({"run": "r", "axes": {"a": []}})",
           R"({"run": "r", "axes": {"a": 1}})",
           R"({"run": "r", "axes": {"a": {"from": 2, "to": 1, "step": 1}}})",
           R"({"run": "r", "axes": {"a": {"from": 0, "to": 1, "factor": 2}}})",
           R"({"run": "r", "axes": {"a": {"from": 0, "to": 1}}})",
           R"({"run": "r", "axes": {"a": {"from": 0, "to": 1e9, "step": 1}}})",
           R"({"run": "r", "axes": {"a": [1]}, "zip": [{"a": [1]}]})",
           R"({"run": "r", "axes": {"a": [1]}, "zip": [{"b": [1], "c": [1, 2]}]})",
           R"({"run": "r", "axes": {"a": [1]}, "answer": "guess"})",
           R"({"run": "r", "axes": {"a": [1]}, "axis": {}})",
       }) {
    CAPTURE(text);
    CHECK_THROWS_AS(sweep_of(text), InputError);
  }
}

TEST_CASE("a shard is counted from 0 and within its number") {
  CHECK(read_shard("0/1").count == 1);
  CHECK(read_shard("15/16").index == 15);
  for (const char* text :
       {"", "1", "/", "1/", "/4", "4/4", "-1/4", "1/0", "1.5/4", "a/b", "1/4/2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_shard(text), InputError);
  }
}

std::string row(int point, const std::string& sweep = "s") {
  return row_line(
      "{\"sweep\":\"" + sweep + "\",\"points\":3,\"point\":" + std::to_string(point) + ",\"x\":1}",
      false);
}

std::string merged(const std::vector<std::string>& texts) {
  std::vector<ShardText> shards;
  for (const std::string& text : texts) {
    shards.push_back(shard_of("shard " + std::to_string(shards.size()), text));
  }
  std::string out;
  SweepMerge(std::move(shards)).write([&out](const std::string& line) { out += line; });
  return out;
}

std::string refusal_of(const std::vector<std::string>& texts) {
  try {
    merged(texts);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST_CASE("a row that somebody changed is refused") {
  for (const char digit : {'1', '"'}) {
    std::string changed = row(1);
    changed[changed.rfind(digit, changed.size() - 30)] = '2';
    CHECK_THROWS_AS(merged({row(0) + changed + row(2)}), InputError);
  }
  const std::string head = "sweep,points,point,x,checksum\n";
  CHECK(merged({head + row_line("s,1,0,7", true)}) == head + row_line("s,1,0,7", true));
  CHECK_THROWS_AS(merged({head + "s,1,0,8" + row_line("s,1,0,7", true).substr(7)}), InputError);
  CHECK_THROWS_AS(merged({head + "s,1,0,7\n"}), InputError);
  const std::string earlier = "found a row without a checksum, as Orrery 0.1.0 wrote it";
  CHECK(refusal_of({"sweep,points,point,x\ns,1,0,7\n"}).find(earlier) != std::string::npos);
  CHECK(refusal_of({"{\"sweep\":\"s\",\"points\":1,\"point\":0,\"x\":7}\n"}).find(earlier) !=
        std::string::npos);
  CHECK_THROWS_AS(merged({"hello\n"}), InputError);
  CHECK_THROWS_AS(merged({"{\"point\":3}\n"}), InputError);
}

TEST_CASE("shards join in the order of points, each once and all of them") {
  const std::string all = row(0) + row(1) + row(2);
  CHECK(merged({row(1), row(0) + row(2)}) == all);
  CHECK(merged({row(2) + row(0), "", row(1)}) == all);
  const std::string head = "sweep,points,point,x,checksum\n";
  const std::string zero = row_line("s,2,0,8", true);
  const std::string one = row_line("s,2,1,7", true);
  CHECK(merged({head + one, head + zero}) == head + zero + one);
  CHECK(refusal_of({row(0) + row(2)}).find("2 of 3 points, the first that is missing is 1") !=
        std::string::npos);
  CHECK(refusal_of({row(0) + row(1)}).find("missing is 2") != std::string::npos);
  CHECK(refusal_of({all, row(1)}).find("shard 1: point 1: found a row that shard 0 has too") == 0);
  CHECK(refusal_of({row(0) + row(1), row(2, "t")}).find("shard 1: point 2: found the sweep t") ==
        0);
  CHECK(refusal_of({row(0) + "{\"sweep\":\"s\",\"poi"}).find("cut off") != std::string::npos);
  CHECK(refusal_of({head + one, zero}).find("shard 1") == 0);
  CHECK_THROWS_AS(merged({""}), InputError);
}

TEST_CASE("a cell of CSV may hold line breaks") {
  const std::string head = "sweep,points,point,name,checksum\n";
  const std::string zero = row_line("s,2,0,\"a\nb \"\"quoted\"\"\n\"", true);
  const std::string one = row_line("s,2,1,\"c,d\"", true);
  CHECK(merged({head + one, head + zero}) == head + zero + one);
  CHECK(merged({head + one + zero}) == head + zero + one);
  const std::string half = head + one + zero.substr(0, zero.find('\n') + 1);
  CHECK(refusal_of({half}).find("line 3: found a row that was cut off") != std::string::npos);
  CHECK(refusal_of({head + zero + "s,2,1,x\n"}).find("line 5") != std::string::npos);
}

TEST_CASE("a row that lost a quote is not one that was cut off") {
  const std::string start = start_of_row({"s", 3, 1}, true);
  CHECK(is_cut_off("s,3,1,\"a\nb", start));
  CHECK(is_cut_off("s,3", start));
  CHECK_FALSE(is_cut_off("s,3,1,\"a\ns,3,2,b,0123\n", start));
}

TEST_CASE("shards larger than a buffer join to the same bytes") {
  constexpr int kRows = 20'000;
  std::vector<std::string> shards(3);
  std::string all;
  for (int i = 0; i < kRows; ++i) {
    const std::string line = row_line(
        "{\"sweep\":\"s\",\"points\":" + std::to_string(kRows) + ",\"point\":" + std::to_string(i) +
            ",\"x\":" + std::string(static_cast<std::size_t>(i % 97), '7') + "1}",
        false);
    shards[static_cast<std::size_t>(i % 3)] += line;
    all += line;
  }
  CHECK(merged(shards) == all);
}

}  // namespace
}  // namespace orrery
