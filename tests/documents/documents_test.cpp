// SPDX-License-Identifier: Apache-2.0
//
// Documents that a user writes from the pages alone: no sources, few keys, comments, odd but legal
// spellings, some mistakes. Each goes through the commands that read its kind, its name up to the
// first hyphen. The first line of a document says what its user wants and what must come of it. CI
// runs this under the address sanitizer, where every insertion into a document moves it
// (core/moving_json.h).
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"
#include "engine/command_engine.h"
#include "engine/config_source.h"
#include "support/runs.h"

namespace orrery {
namespace {

struct Question {
  const char* command;
  Json request;
};

// The questions that a document at `path` is read for.
std::vector<Question> questions(const std::string& kind, const std::string& path) {
  const Json run = {{"model", "llama-3-8b"},
                    {"cluster", {{"node", "dgx-h100"}, {"gpus", 16}}},
                    {"training", {{"sequence_length", 2048}, {"global_batch", 32}}},
                    {"parallel", {{"tp", 2}}}};
  const auto set = [&](const char* key) { return Json{{"run", run}, {"set", {{key, path}}}}; };
  const auto show = [&] { return Json{{"kind", kind}, {"name", path}}; };
  const auto site = [&](const char* key) {
    return Json{{"run", run}, {key, path}, {"tokens", 1e10}, {"deadline", "60d"}, {"rent", 2}};
  };
  if (kind == "node") {
    return {{"show", show()},
            {"estimate", set("cluster.node")},
            {"comm", set("cluster.node")},
            {"collective",
             {{"kind", "all-reduce"}, {"node", path}, {"gpus", 16}, {"size", "1MiB,64MiB"}}}};
  }
  if (kind == "graph" || kind == "fabric") {
    Json own = set(kind == "graph" ? "cluster.graph" : "cluster.fabric");
    if (kind == "graph") {
      own["set"]["cluster.tiers.nvswitch.bandwidth"] = nullptr;
      own["set"]["cluster.tiers.nvswitch.in_network_reduction"] = nullptr;
      own["set"]["cluster.gpus"] = 8;
    }
    return {{"show", show()}, {"estimate", std::move(own)}};
  }
  if (kind == "device") return {{"show", show()}, {"estimate", set("cluster.device")}};
  if (kind == "model") return {{"show", show()}, {"estimate", set("model")}};
  if (kind == "framework") return {{"show", show()}, {"estimate", set("framework")}};
  if (kind == "calibration") return {{"estimate", set("cluster.calibration")}};
  if (kind == "run") {
    return {{"estimate", {{"run", path}}},
            {"memory", {{"run", path}}},
            {"comm", {{"run", path}}},
            {"export", {{"run", path}, {"as", "run"}}},
            {"explain", {{"run", path}, {"metric", "step_time_s"}, {"depth", 2}}}};
  }
  if (kind == "search") return {{"search", {{"run", path}}}};
  if (kind == "sweep") return {{"sweep", {{"sweep", path}}}};
  if (kind == "plan") return {{"capacity", {{"run", path}, {"format", "text"}}}};
  return {{"show", show()}, {"capacity", site(kind.c_str())}};
}

const CommandEngine& engine() {
  static const CommandEngine kEngine([] {
    ConfigSource source = builtin_configs();
    source.open = [](const std::string& path) -> std::optional<ConfigText> {
      const auto text = testing::text_of_file(path);
      return text ? std::optional(ConfigText{*text, path}) : std::nullopt;
    };
    return kept(std::move(source), KeptPaths::no);
  }());
  return kEngine;
}

std::vector<std::filesystem::path> documents() {
  std::vector<std::filesystem::path> all;
  const std::string folder = std::string(ORRERY_TEST_DATA) + "/documents";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

void check_answer(const CommandAnswer& a) {
  CHECK_MESSAGE((a.code == ExitCode::answer || a.code == ExitCode::no), a.error);
}

// One line that says where, in a file or a key, and what may stand there.
void check_refusal(const CommandAnswer& a) {
  CHECK(a.code == ExitCode::wrong_input);
  CHECK_MESSAGE(a.error.find(".json") != std::string::npos, a.error);
  CHECK_MESSAGE(a.error.find(": found ") != std::string::npos, a.error);
  CHECK(a.error.find('\n') == std::string::npos);
}

TEST_CASE("documents written from the pages alone are answered, or refused in one line") {
  REQUIRE(documents().size() >= 40);
  for (const auto& file : documents()) {
    const std::string name = file.stem().string();
    const auto text = testing::text_of_file(file.string());
    REQUIRE(text);
    const std::string first = text->substr(0, text->find('\n'));
    const bool is_answered = first.find("Must be answered.") != std::string::npos;
    REQUIRE((is_answered || first.find("Must be refused.") != std::string::npos));
    for (const Question& q : questions(name.substr(0, name.find('-')), file.string())) {
      CAPTURE(name);
      CAPTURE(q.command);
      const CommandAnswer a = engine().call(q.command, q.request, Asker::request);
      if (is_answered) {
        check_answer(a);
      } else if (std::string(q.command) != "show") {  // it prints a document as it is written
        check_refusal(a);
      }
      CHECK(a.code != ExitCode::fault);
    }
  }
}

}  // namespace
}  // namespace orrery
