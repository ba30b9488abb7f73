// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "validate/claim_verdict.h"

using namespace orrery;

namespace {

// A run answers with itself, one that says "illegal" is refused.
ClaimContext context() {
  ClaimContext c;
  c.load = [](const std::string& name) { return Json{{"named", name.size()}}; };
  c.set = [](Json& run, const std::string& path, const Json& value) { run[path] = value; };
  c.answer = [](const Json& run, const std::string& file) {
    if (run.contains("illegal")) throw InputError(file, "illegal", "an illegal run", "a legal one");
    return run;
  };
  c.published = [](const std::string& id) -> std::optional<PublishedRun> {
    if (id != "row-1") return {};
    return PublishedRun{{{"x", 3}}, {{"step_time_s", 6.0}}};
  };
  c.document = [](const ClaimDocument& d, const std::string&) {
    return Json{{"kind", d.kind.size()}, {"name", d.called.size()}, {"memory", "2 GB"}};
  };
  return c;
}

JudgedClaim judged(const std::string& parts) {
  const std::string text = R"({"title": "t", "claim": "c", "source": "s", )" + parts + "}";
  return judge(read_claim(text, "claim.json"), context());
}

Verdict verdict(const std::string& parts, std::size_t check = 0) {
  return judged(parts).checks.at(check).verdict;
}

bool refuses(const std::string& parts, const std::string& part) {
  std::string error;
  try {
    judged(parts);
  } catch (const InputError& e) {
    error = e.what();
  }
  CAPTURE(error);
  return error.find(part) != std::string::npos;
}

const std::string kMap = R"("runs": {"a": {"run": {"x": 1}}, "b": {"like": "a", "set": {"y": 5}}},
  "map": [{"name": "size", "why": "open", "values": [
             {"label": "one", "set": {"a": {"x": 1}}}, {"label": "two", "set": {"a": {"x": 2}}}]},
          {"name": "r", "why": "open", "values": [
             {"label": "10", "let": {"r": 10}}, {"label": "20", "let": {"r": 20}}]}],
  "compute": {"z": "b.x * r + b.y"}, )";

}  // namespace

TEST_CASE("every combination of the open assumptions is computed") {
  const JudgedClaim j = judged(kMap + R"("checks": [{"text": "z", "holds": "z > 0"}])");
  REQUIRE(j.points.size() == 4);
  // b is like a at that point; the last axis moves fastest.
  CHECK(j.points[0].values == std::vector<double>{15});
  CHECK(j.points[1].values == std::vector<double>{25});
  CHECK(j.points[2].values == std::vector<double>{25});
  CHECK(j.points[3].values == std::vector<double>{45});
}

TEST_CASE("verdicts") {
  CHECK(verdict(kMap + R"("checks": [{"text": "", "holds": "z > 0"}])") == Verdict::reproduced);
  CHECK(verdict(kMap + R"("checks": [{"text": "", "holds": "z > 20"}])") == Verdict::holds_if);
  CHECK(verdict(kMap + R"("checks": [{"text": "", "holds": "z > 99"}])") == Verdict::contradicted);
  CHECK(verdict(kMap + R"("checks": [{"text": "", "not_checkable": "no data"}])") ==
        Verdict::not_checkable);
}

TEST_CASE("where a claim holds is described by the values that decide") {
  const auto why = [](const std::string& rule) {
    return judged(kMap + R"("checks": [{"text": "", "holds": ")" + rule + R"("}])").checks[0].why;
  };
  CHECK(why("b.x == 2") == "size: two (2 of 4 points of the map)");
  CHECK(why("b.x == 2 and r == 10") == "size: two, and r: 10 (1 of 4 points of the map)");
  CHECK(why("z > 20") == "size: one, with r: 20; two (3 of 4 points of the map)");
}

TEST_CASE("neighbours on a scale are written as a range") {
  const auto why = [](const std::string& rule, const std::string& labels) {
    std::string values;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      values += std::string(i == 0 ? "" : ", ") + R"({"label": ")" + labels[i] +
                R"(", "let": {"n": )" + std::to_string(i + 1) + "}}";
    }
    return judged(R"("map": [{"name": "n", "why": "", "values": [)" + values +
                  R"(]}], "checks": [{"text": "", "holds": ")" + rule + R"("}])")
        .checks[0]
        .why;
  };
  CHECK(why("n <= 2", "1357") == "n: at most 3 (2 of 4 points of the map)");
  CHECK(why("n >= 3", "1357") == "n: at least 5 (2 of 4 points of the map)");
  CHECK(why("n == 2 or n == 3", "1357") == "n: 3 to 5 (2 of 4 points of the map)");
  CHECK(why("n == 2", "1357") == "n: 3 (1 of 4 points of the map)");
  CHECK(why("n != 2", "1357") == "n: 1, 5 or 7 (3 of 4 points of the map)");
  CHECK(why("n <= 2", "1537") == "n: 1 or 5 (2 of 4 points of the map)");
  CHECK(why("n <= 2", "abcd") == "n: a or b (2 of 4 points of the map)");
}

TEST_CASE("a refused run makes its point one that does not count") {
  const std::string runs = R"("runs": {"a": {"run": {"x": 1}}},
    "map": [{"name": "m", "why": "", "values": [{"label": "fine"},
             {"label": "not", "set": {"a": {"illegal": true}}}]}], )";
  const JudgedClaim j = judged(runs + R"("checks": [{"text": "", "holds": "a.x == 1"}])");
  CHECK(j.points[1].refusal.find("run a: ") == 0);
  CHECK(j.points[1].refusal.find("an illegal run") != std::string::npos);
  CHECK(j.checks[0].verdict == Verdict::holds_if);
  CHECK(j.checks[0].why == "m: fine (1 of 1 points of the map)");
  CHECK(verdict(R"("runs": {"a": {"run": {"illegal": 1}}},
                   "checks": [{"text": "", "holds": "a.x == 1"}])") == Verdict::not_checkable);
}

TEST_CASE("a run by name is loaded") {
  const JudgedClaim j = judged(R"("runs": {"a": {"run": "gpt3"}},
    "compute": {"n": {"is": "a.named", "unit": "letters", "claimed": 4}},
    "checks": [{"text": "", "holds": "n == 4"}])");
  CHECK(j.points[0].values == std::vector<double>{4});
}

TEST_CASE("a published run is predicted as it stands, beside what was measured") {
  const std::string run =
      R"("runs": {"a": {"published": "row-1"}, "b": {"like": "a", "set": {"x": 5}}}, )";
  const JudgedClaim j =
      judged(run + R"("compute": {"z": "a.measured.step_time_s / a.x", "y": "b.x"},
    "checks": [{"text": "", "holds": "z == 2"}])");
  CHECK(j.points[0].values == std::vector<double>{2, 5});
  // The measurement belongs to the published run itself, not to one `like` it.
  CHECK(refuses(run + R"("checks": [{"text": "", "holds": "b.measured.step_time_s == 6"}])",
                "b.measured.step_time_s"));
}

TEST_CASE("an expression sees the quantities of a document of configs") {
  const JudgedClaim j = judged(R"("documents": {"d": {"device": "h100"}},
    "checks": [{"text": "", "holds": "d.memory == 2e9 and d.kind == 6 and d.name == 4"}])");
  CHECK(j.checks[0].verdict == Verdict::reproduced);
}

TEST_CASE("a faulty claim is refused") {
  const std::string check = R"("checks": [{"text": "", "holds": "1 < 2"}])";
  CHECK(refuses(R"("checks": [])", "checks: found no check"));
  CHECK(refuses(R"("checks": [{"text": "", "holds": "1 + 2"}])", "allowed: a comparison"));
  CHECK(refuses(R"("checks": [{"text": "", "holds": "1 +"}])", "in column 4"));
  CHECK(refuses(R"("checks": [{"text": ""}])", "holds"));
  CHECK(refuses(R"("check": [], )" + check, "unknown key"));
  CHECK(refuses(R"("runs": {"A": {"run": {}}}, )" + check, "small letters"));
  CHECK(refuses(R"("runs": {"b": {"like": "a"}}, )" + check, "a run that stands before"));
  CHECK(refuses(R"("runs": {"a": {"run": 3}}, )" + check, "a run file or its name"));
  CHECK(refuses(R"("runs": {"a": {"run": {}}}, "compute": {"a": "1"}, )" + check, "twice"));
  CHECK(refuses(R"("compute": {"x": "y + 1"}, )" + check, "compute.x: found \"y\""));
  CHECK(refuses(R"("runs": {"a": {"run": {}}}, "compute": {"x": "a.y"}, )" + check,
                "compute.x: found \"a.y\""));
  CHECK(refuses(R"("runs": {"a": {"published": "row-2"}}, )" + check, "runs.a.published: found"));
  CHECK(refuses(R"("runs": {"a": {"published": "row-1", "set": {"x": 1}}}, )" + check, "set"));
  CHECK(refuses(R"("runs": {"a": {"published": "row-1"}}, "map": [{"name": "", "why": "",
    "values": [{"label": "", "set": {"a": {"x": 1}}}]}], )" +
                    check,
                "that is not published"));
  CHECK(refuses(R"("documents": {"d": {}}, )" + check, "documents.d: found 0 kinds"));
  CHECK(refuses(R"("documents": {"a": {"device": "x"}}, "runs": {"a": {"run": {}}}, )" + check,
                "twice"));
  CHECK(refuses(R"("map": [{"name": "", "why": "", "values": []}], )" + check, "no value"));
  CHECK(refuses(
      R"("map": [{"name": "", "why": "", "values": [{"label": "", "set": {"a": {}}}]}], )" + check,
      "a run of this claim"));
}
