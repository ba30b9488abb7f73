// SPDX-License-Identifier: Apache-2.0
//
// A C++ program of someone else that uses an installed orrery.
#include <orrery/orrery.h>
#include <orrery/version.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

const std::string kRun =
    R"("model": "llama-3-8b", "node": "dgx-h100", "gpus": 64, "sequence_length": 8192,
       "global_batch": 256)";

// The number of an answer; the program ends where there is none.
double ask(const orrery::Engine& engine, const std::string& command, const std::string& more,
           const std::string& path) {
  const auto a = engine.call(command, "{" + kRun + more + "}");
  const auto value = a.number(path);
  if (a.code == 0 && value) return *value;
  std::printf("%s: code %d, %s\n", command.c_str(), a.code, a.error.c_str());
  std::exit(1);
}

}  // namespace

int main() {
  const orrery::Engine engine;
  const double step = ask(engine, "estimate", "", "step_time_s");
  const double best = ask(engine, "search", R"(, "top": 1, "tp": 1)", "best.0.step_time_s");
  const double played = ask(engine, "simulate", "", "step_time_s");
  const double peak = ask(engine, "explain", R"(, "metric": "memory.peak_gib")", "value");
  ask(engine, "capacity", R"(, "tokens": 1e12)", "options.0.gpus");
  std::printf("orrery %s: a step takes %.2f s, %.2f s played, %.2f s at best; %.1f GiB\n",
              orrery::kVersion, step, played, best, peak);

  // A call that is told to stop says so.
  const orrery::Engine impatient("{\"workers\": 1}", [](long long, long long) { return true; });
  const int code = impatient.call("search", "{" + kRun + "}").code;
  if (code != 130) std::printf("not stopped: code %d\n", code);
  return code == 130 && step > 0 ? 0 : 1;
}
