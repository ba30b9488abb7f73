// SPDX-License-Identifier: Apache-2.0
#include "engine/run_session.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/json.h"
#include "engine/command_engine.h"
#include "engine/config_source.h"

namespace orrery {
namespace {

constexpr const char* kSessionRun = R"({"run": "gpt3-175b-1024-a100"})";

struct Choice {
  const char* path;
  std::vector<const char*> values;
};

// Some of them wrong, alone or together.
const std::vector<Choice>& choices() {
  static const std::vector<Choice> kChoices = {
      {"parallel.tp", {"1", "2", "4", "8", "3", "null"}},
      {"parallel.pp", {"1", "4", "8", "16", "null"}},
      {"parallel.vpp", {"1", "2", "null"}},
      {"parallel.zero", {"0", "1", "3", "null"}},
      {"parallel.recompute", {"none", "selective", "full", "null"}},
      {"parallel.framework_options", {"{}", "null", R"({"none": 1})"}},
      {"training.micro_batch", {"1", "2", "1.0", "4"}},
      {"training.global_batch", {"1536", "512", "1000"}},
      {"training.precision", {"fp16", "bf16", "fp8"}},
      {"cluster.gpus", {"1024", "512", "1024.0", "8"}},
      {"cluster.node", {"dgx-a100-80gb", "dgx-h100", "no-such-node"}},
      {"cluster.device", {"null", R"({"memory_bandwidth": "4 TB/s"})"}},
      {"model", {"gpt3-175b", "llama-3-70b", "mixtral-8x7b"}},
      {"model.num_hidden_layers", {"96", "48", "2.5"}},
      {"framework", {"megatron-lm", "fsdp", "generic", "deepspeed"}},
      {"flops_convention", {"palm", "6n", "null"}},
  };
  return kChoices;
}

// The same keys to an engine that keeps nothing.
struct Fresh {
  Json sets = Json::object();

  void set(const std::string& path, const std::string& value) {
    sets.erase(path);
    try {
      sets[path] = parse_json(value, "value");
    } catch (const InputError&) {
      sets[path] = value;
    }
  }

  CommandAnswer ask(const std::string& command) const {
    Json request = parse_json(kSessionRun, "request");
    request["set"] = sets;
    return CommandEngine(builtin_configs()).call(command, request, Asker::request);
  }
};

bool same(const CommandAnswer& a, const CommandAnswer& b) {
  return a.code == b.code && a.text.str() == b.text.str() && a.error == b.error &&
         a.warnings == b.warnings;
}

template <class T>
const T& one_of(const std::vector<T>& all, std::mt19937& dice) {
  return all[dice() % all.size()];
}

void walk(const ConfigSource& configs, unsigned seed, int steps) {
  std::mt19937 dice(seed);
  RunSession session(configs, kSessionRun);
  Fresh fresh;
  std::string stated;
  for (int i = 0; i < steps; ++i) {
    const Choice& c = one_of(choices(), dice);
    const std::string value = one_of(c.values, dice);
    stated += std::string(c.path) + "=" + value + " ";
    session.set(c.path, value);
    fresh.set(c.path, value);
    const char* command = dice() % 4 == 0 ? "memory" : "estimate";
    INFO(stated << command);
    CHECK(same(session.ask(command), fresh.ask(command)));
  }
}

TEST_CASE("a session answers as a fresh engine after any keys that are set") {
  const ConfigSource configs = kept(builtin_configs(), KeptPaths::no);
  constexpr unsigned kWalks = 12;
  for (unsigned seed = 0; seed < kWalks; ++seed) walk(configs, seed, 10);
}

TEST_CASE("sessions of one engine share what they keep and do not mix it") {
  const ConfigSource configs = kept(builtin_configs(), KeptPaths::no);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([&configs, t] { walk(configs, 100 + t, 6); });
  for (std::thread& t : threads) t.join();
}

TEST_CASE("a session says what is wrong and goes on") {
  RunSession session(builtin_configs(), kSessionRun);
  session.set("parallel.tp", "3");
  CHECK(session.ask("estimate").code == ExitCode::wrong_input);
  session.set("parallel.tp", "null");
  CHECK(session.ask("estimate").code == ExitCode::no);  // with tp 1 it does not fit
  session.set("parallel.tp", "8");
  CHECK(session.ask("estimate").code == ExitCode::answer);
  CHECK(session.ask("estimate", "[]").code == ExitCode::wrong_input);
  CHECK(session.ask("estimate", R"({"format": "csv"})").text.str().find("step_time_s") !=
        std::string::npos);
  const RunSession wrong(builtin_configs(), "{");
  CHECK(wrong.ask("estimate").error.find("request") == 0);
}

TEST_CASE("what was set when a session was opened can be set anew") {
  RunSession session(builtin_configs(),
                     R"({"run": "gpt3-175b-1024-a100", "set": ["training.micro_batch=2"]})");
  const auto micro_batch = [&session] {
    const CommandAnswer a = session.ask("estimate");
    return (*a.text.document())["inputs"]["training"]["micro_batch"];
  };
  CHECK(micro_batch() == 2);
  session.set("training.micro_batch", "4");
  CHECK(micro_batch() == 4);
}

// A model as a user's file, of as many layers as it has at the moment.
ConfigSource with_own_model(const int& layers) {
  ConfigSource configs = builtin_configs();
  configs.open = [&layers, text = configs.read("configs/models/gpt3-175b.json")->text](
                     const std::string& path) -> std::optional<ConfigText> {
    if (path != "./own.json") return {};
    Json model = parse_json(text, path);
    model["num_hidden_layers"] = layers;
    return ConfigText{model.dump(), path};
  };
  return configs;
}

TEST_CASE("a user's file that changed is read by the next call, and not by an open session") {
  int layers = 96;
  const CommandEngine engine(kept(with_own_model(layers), KeptPaths::no));
  constexpr const char* kOwn = R"({"run": "gpt3-175b-1024-a100", "model": "./own.json"})";
  const RunSession session(engine.configs(), kOwn);
  const auto layers_in = [](const CommandAnswer& a) {
    return (*a.text.document())["inputs"]["model"]["num_hidden_layers"].get<int>();
  };
  CHECK(layers_in(engine.call("estimate", kOwn)) == 96);
  CHECK(layers_in(session.ask("estimate")) == 96);
  layers = 48;  // NOLINT(clang-analyzer-deadcode.DeadStores): the lookup reads it
  CHECK(layers_in(engine.call("estimate", kOwn)) == 48);
  CHECK(layers_in(session.ask("estimate")) == 96);
}

}  // namespace
}  // namespace orrery
