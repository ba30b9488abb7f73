// SPDX-License-Identifier: Apache-2.0
//
// Time of one estimate through the library, for every run file of configs/runs, as a search would
// ask: a resolved run, a workspace that is kept, all numbers that `estimate` prints.
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/json.h"
#include "estimate/estimate.h"
#include "estimate/resolve.h"
#include "estimate/workspace.h"
#include "io/config_dirs.h"

namespace orrery {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The fastest of several rounds: what the machine does besides only adds.
double microseconds_each(const Run& run) {
  Workspace workspace;
  double sum = 0;
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    constexpr int kTimes = 200;
    const double start = seconds_now();
    for (int i = 0; i < kTimes; ++i) sum += estimate<double>(run, workspace).step_time.si();
    best = std::min(best, (seconds_now() - start) / kTimes * 1e6);
  }
  return sum > 0 ? best : 0;
}

// Every dimension through a codec.
Json compressed(Json run) {
  const Json codec = {{"ratio", 4}, {"throughput", "50 GB/s"}};
  for (const std::string_view d : kNamesOf<CommDimension>) {
    run["parallel"]["compression"][std::string(d)] = codec;
  }
  return run;
}

void bench(const ConfigSource& configs, const std::string& name) {
  const auto text = find_config(configs, ConfigKind::run, name);
  const Json run = parse_json(text->text, text->file);
  const ResolvedRun r = resolve_run(run, text->file, config_lookup(configs));
  const ResolvedRun coded = resolve_run(compressed(run), text->file, config_lookup(configs));
  const Strategy& s = r.run.strategy;
  std::printf("%-28s p %3lld v %2lld m %4lld %9.2f us an estimate, %9.2f us with compression\n",
              name.c_str(), static_cast<long long>(s.pp), static_cast<long long>(s.vpp),
              static_cast<long long>(s.micro_batches), microseconds_each(r.run),
              microseconds_each(coded.run));
}

}  // namespace
}  // namespace orrery

int main() {
  const orrery::ConfigSource configs = orrery::folder_source(orrery::config_dirs(""));
  for (const std::string& name : orrery::config_names(configs, orrery::ConfigKind::run)) {
    orrery::bench(configs, name);
  }
  return 0;
}
