// SPDX-License-Identifier: Apache-2.0
#include "engine/command_engine.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "core/json_path.h"
#include "engine/config_source.h"

namespace orrery {
namespace {

constexpr const char* kRun = R"({"run": "gpt3-175b-1024-a100"})";

const CommandEngine& shipped() {
  static const CommandEngine kEngine(kept(builtin_configs(), KeptPaths::no));
  return kEngine;
}

std::string error_of(const std::string& command, const std::string& request) {
  const CommandAnswer a = shipped().call(command, request);
  CHECK(a.code == ExitCode::wrong_input);
  CHECK(a.text.empty());
  return a.error;
}

Json document_of(const std::string& command, const std::string& request) {
  const CommandAnswer a = shipped().call(command, request);
  REQUIRE_MESSAGE(a.error.empty(), a.error);
  return parse_json(a.text.str(), command);
}

TEST_CASE("an engine without files answers from the built-in configs") {
  const Json j = document_of("estimate", kRun);
  CHECK(j["feasible"] == true);
  CHECK(j["step_time_s"].get<double>() > 0);
}

namespace {

// An answer without the places of its values: a file, a flag, a request.
Json without_places(Json answer) {
  erase_at(answer, "inputs.stated");
  return answer;
}

}  // namespace

TEST_CASE("a run by name, by its text and as an object are one run") {
  const std::string text = builtin_configs().read("configs/runs/gpt3-175b-1024-a100.json")->text;
  const Json run = parse_json(text, "run");
  const Json named = without_places(document_of("estimate", kRun));
  const Json given = {{"run", {{"file", "mine.json"}, {"text", text}}}};
  CHECK(without_places(document_of("estimate", given.dump())) == named);
  CHECK(without_places(document_of("estimate", Json{{"run", run}}.dump())) == named);
}

TEST_CASE("a plan in the request is the plan of a file, and its page comes beside its numbers") {
  const Json plan = {
      {"run", "gpt3-175b-1024-a100"},
      {"scenarios",
       {{{"name", "A"}, {"cluster", {{"node", "dgx-a100-80gb"}}}, {"gpus", 512}},
        {{"name", "H"}, {"cluster", {{"node", "dgx-h100"}}}, {"gpus", {512, 1024}}}}}};
  const Json of_file = document_of(
      "capacity",
      Json{{"run", {{"file", "plan"}, {"text", plan.dump()}}}, {"deadline", "60 d"}}.dump());
  CHECK(of_file["options"].size() == 3);
  Json asked = {{"plan", plan}, {"deadline", "60 d"}};
  CHECK(document_of("capacity", asked.dump()) == of_file);
  asked["html"] = "plan.html";
  const CommandAnswer both = shipped().call("capacity", asked.dump());
  REQUIRE(both.files.size() == 1);
  asked.erase("html");
  asked["format"] = "html";
  CHECK(both.files[0].text == shipped().call("capacity", asked.dump()).text.str());
  asked["run"] = "gpt3-175b-1024-a100";
  CHECK(error_of("capacity", asked.dump()) ==
        "request: plan: found a plan beside `run`; allowed: one of the two");
  CHECK(error_of("capacity", R"({"plan": {"model": "gpt3-175b"}})").find("plan: model: ") == 0);
}

TEST_CASE("flags and set go over the run, and may say it all") {
  const Json by_flag =
      document_of("estimate", R"({"run": "gpt3-175b-1024-a100", "micro_batch": 2})");
  const Json by_set = document_of(
      "estimate", R"({"run": "gpt3-175b-1024-a100", "set": {"training.micro_batch": 2}})");
  const Json by_list = document_of(
      "estimate", R"({"run": "gpt3-175b-1024-a100", "set": ["training.micro_batch=2"]})");
  CHECK(without_places(by_flag) == without_places(by_set));
  CHECK(without_places(by_flag) == without_places(by_list));
  CHECK(by_flag != document_of("estimate", kRun));
}

TEST_CASE("a run may be said by settings alone, and hold what a search looks for") {
  const char* set = R"({"set": {"model": "llama-3-8b", "cluster.node": "dgx-h100",
      "cluster.gpus": 64, "training.sequence_length": 8192, "training.global_batch": 256})";
  const Json both =
      document_of("compare", std::string(R"({"runs": [)") + set + "}, {\"run\": " + set +
                                 R"(}, "set": {"parallel.tp": 2}}]})");
  CHECK(both["runs"].size() == 2);
  Json with_search =
      parse_json(builtin_configs().read("configs/runs/gpt3-175b-1024-a100.json")->text, "run");
  with_search["search"] = {{"top", 2}};
  CHECK(document_of("estimate", Json{{"run", with_search}}.dump())["step_time_s"] ==
        document_of("estimate", kRun)["step_time_s"]);
}

TEST_CASE("an observed step is one of this framework, these devices and this calibration") {
  const auto observed = [](const std::string& run) {
    const Json file = {{{"run", Json::parse(run)}, {"step_time", "30 s"}}};
    return Json{{"run", "gpt3-175b-1024-a100"},
                {"observed", {{"file", "own.json"}, {"text", file.dump()}}}}
        .dump();
  };
  const Json run =
      parse_json(builtin_configs().read("configs/runs/gpt3-175b-1024-a100.json")->text, "run");
  Json other = run;
  CHECK(shipped().call("estimate", observed(other.dump())).error.empty());
  other["framework"] = "generic";
  CHECK(
      error_of("estimate", observed(other.dump()))
          .find(
              "own.json: found a run of generic on a100-sxm4-80gb; allowed: runs of this one's") ==
      0);
}

TEST_CASE("a fit's source does not speak of a number that the user sets") {
  const auto source = [](const char* set) {
    const CommandAnswer a = shipped().call(
        "explain", std::string(R"({"run": "gpt3-175b-1024-a100", "metric": "breakdown_s.compute",
            "depth": 9, "set": )") +
                       set + "}");
    REQUIRE_MESSAGE(a.error.empty(), a.error);
    const std::string text(a.text.str());
    const std::size_t at = text.find("framework.kernels.linear_rate");
    REQUIRE(at != std::string::npos);
    return text.substr(at, 160);
  };
  CHECK(source("{}").find("fitted on") != std::string::npos);
  CHECK(source(R"({"framework.kernels.linear_rate": 0.5})").find("set by the run") !=
        std::string::npos);
}

TEST_CASE("what is wrong stands in parts beside the line") {
  const CommandAnswer a = shipped().call("estimate", R"({"runn": "x"})");
  REQUIRE(a.wrong);
  CHECK(a.wrong->code() == ErrorCode::unknown_key);
  const Json wrong = Json::parse(one_line(a))["wrong"];
  CHECK(wrong["code"] == "unknown_key");
  CHECK(wrong["file"] == "request");
  CHECK(wrong["path"] == "runn");
  CHECK(wrong["nearest"] == "run");
  CHECK(Json::parse(answer_line(shipped(), R"({"command": 1})"))["wrong"]["path"] == "command");
  CHECK_FALSE(Json::parse(one_line(shipped().call("estimate", kRun))).contains("wrong"));
}

TEST_CASE("a wrong request is one line that says where and what is near") {
  CHECK(error_of("estimate", R"({"runn": "x"})").find("request: runn: found an unknown key") == 0);
  CHECK(error_of("estimate", R"({"runn": "x"})").find("did you mean \"run\"") != std::string::npos);
  CHECK(error_of("estimat", "{}").find("did you mean \"estimate\"") != std::string::npos);
  CHECK(error_of("estimate", "[]").find("request: found an array") == 0);
  CHECK(error_of("estimate", "{").find("request") == 0);
  CHECK(error_of("estimate", R"({"run": "gpt3-175b-1024-a100", "format": "pdf"})")
            .find("request: format: found \"pdf\"; allowed: json, text, csv, html or markdown") ==
        0);
  CHECK(error_of("estimate", R"({"run": "gpt3-175b-1024-a100", "precision": "fp7"})")
            .find("precision fp7: training.precision: found \"fp7\"") == 0);
  CHECK(error_of("explain", R"({"run": "gpt3-175b-1024-a100", "depth": -1})")
            .find("request: depth: found -1") == 0);
  CHECK(error_of("estimate", R"({"run": {"file": "a.json", "text": "{\"modell\": 1}"}})")
            .find("a.json: ") == 0);
}

TEST_CASE("an engine without files opens none") {
  CHECK(error_of("estimate", R"({"run": "./run.json"})").find("./run.json: ") == 0);
  CHECK(error_of("estimate", R"({"run": "gpt3-175b-1024-a100", "model": "/etc/passwd"})")
            .find("model /etc/passwd: ") == 0);
}

TEST_CASE("what does not fit is an answer with code 3") {
  const CommandAnswer a =
      shipped().call("estimate", R"({"run": "gpt3-175b-1024-a100", "tp": 1, "recompute": "none"})");
  CHECK(a.code == ExitCode::no);
  CHECK(parse_json(a.text.str(), "answer")["feasible"] == false);
}

TEST_CASE("every format is the one that was asked for") {
  const auto text = [](const char* format) {
    return shipped()
        .call("memory",
              std::string(R"({"run": "gpt3-175b-1024-a100", "format": ")") + format + "\"}")
        .text.str();
  };
  CHECK(text("json").front() == '{');
  CHECK(text("csv").find("stage") != std::string::npos);
  CHECK(text("text").find("GiB") != std::string::npos);
}

TEST_CASE("files beside an answer have the names that were asked for") {
  const CommandAnswer a = shipped().call(
      "simulate", R"({"run": "gpt3-175b-1024-a100", "trace": "t.json", "html": "t.html"})");
  REQUIRE(a.files.size() == 2);
  CHECK(a.files[0].name == "t.json");
  CHECK(Json::accept(a.files[0].text));
  CHECK(a.files[1].name == "t.html");
}

TEST_CASE("a search tells how far it is, and the best so far when it is told to end") {
  std::atomic<int> reported{0};
  EngineHooks hooks;
  hooks.progress = [&](std::int64_t done, std::int64_t total) {
    CHECK(done <= total);
    ++reported;
  };
  hooks.stopped = [&] { return reported > 0; };
  const CommandAnswer a =
      CommandEngine(builtin_configs(), hooks).call("search", R"({"run": {"model": "llama-3-8b",
      "cluster": {"node": "dgx-h100", "gpus": 16}, "framework": "megatron-core",
      "training": {"sequence_length": 8192, "global_batch": 32}}, "format": "json", "refine": 2})");
  CHECK(a.code == ExitCode::interrupted);
  CHECK(reported == 1);
  const Json answer = Json::parse(a.text.str());
  CHECK(answer["stopped"]["searched"] == 1);
  CHECK(answer["stopped"]["of"] > 1);
  CHECK(!answer["best"].empty());
  CHECK(!answer.contains("refined"));
  std::int64_t sum = 0;
  for (const char* kind : {"does_not_fit", "too_risky", "pruned_by_bound", "estimated"}) {
    sum += answer[kind].get<std::int64_t>();
  }
  for (const Json& n : answer["rejected"]) sum += n.get<std::int64_t>();
  CHECK(answer["candidates"] == sum);
}

TEST_CASE("a search that is stopped before it looks at anything does not call the space empty") {
  EngineHooks hooks;
  hooks.stopped = [] { return true; };
  const CommandAnswer a =
      CommandEngine(builtin_configs(), hooks).call("search", R"({"run": "gpt3-175b-1024-a100"})");
  CHECK(a.code == ExitCode::interrupted);
  CHECK(a.error.empty());
}

TEST_CASE("long commands end soon after they are told to") {
  const std::string measured =
      R"({"action": "fit", "device": "a100-sxm4-80gb", "files": [{"file": "gemm.csv", "text": )"
      R"("m,n,k,dtype,us\n1024,1024,1024,bf16,12.1\n4096,4096,4096,bf16,560\n8192,8192,8192,bf16,4400\n"}]})";
  const std::vector<std::pair<std::string, std::string>> calls = {
      {"capacity", R"({"run": "gpt3-175b-five-clusters"})"},
      {"validate", "{}"},
      {"calibrate", measured}};
  for (const auto& call : calls) {
    CAPTURE(call.first);
    int asked = 0;
    EngineHooks hooks;
    hooks.stopped = [&asked] { return ++asked > 3; };
    const CommandAnswer a = CommandEngine(builtin_configs(), hooks).call(call.first, call.second);
    CHECK(a.code == ExitCode::interrupted);
    CHECK(a.text.empty());
    CHECK(a.error.empty());
    CHECK(asked < 10);
  }
}

TEST_CASE("a document by name is read once") {
  std::atomic<int> reads{0};
  ConfigSource counted = builtin_configs();
  counted.read = [&reads, read = counted.read](const std::string& file) {
    ++reads;
    return read(file);
  };
  const CommandEngine engine(kept(counted, KeptPaths::no));
  const std::string first = engine.call("estimate", kRun).text.str();
  const int once = reads;
  CHECK(engine.call("estimate", kRun).text.str() == first);
  CHECK(reads == once);
}

TEST_CASE("a call is a line and so is its answer, whatever it is") {
  const auto answer = [](const char* line) {
    return parse_json(answer_line(shipped(), line), "answer");
  };
  const Json good = answer(R"({"id": 7, "command": "list", "request": {"what": "recipes"}})");
  CHECK(good["id"] == 7);
  CHECK(good["code"] == 0);
  CHECK(good["answer"].is_array());
  CHECK(answer("no json")["code"] == 2);
  CHECK(answer(R"({"id": "a", "command": "lists"})")["id"] == "a");
  CHECK(answer(R"({"command": "list", "what": "recipes"})")["code"] == 2);
  CHECK(answer("[]")["code"] == 2);
  const Json rows =
      answer(R"({"command": "list", "request": {"what": "recipes", "format": "csv"}})");
  CHECK(rows["text"].is_string());
}

}  // namespace
}  // namespace orrery
