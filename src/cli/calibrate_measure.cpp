// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "cli/calibrate.h"
#include "cli/usage_error.h"
#include "exchange/measurements_json.h"
#include "io/measuring_device.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

}  // namespace

ExitCode no_device(const std::string& why_not, const Session& s) {
  give(s, s.json ? dump({{"measurements", Json::array()}, {"reason", why_not}})
                 : "no GPU to measure: " + why_not + "\n");
  return ExitCode::no;
}

ExitCode run_calibrate_measure(const CalibrateArguments& a, const Session& s) {
  if (a.device.empty() || !a.files.empty() || !a.node.empty()) {
    throw UsageError("orrery calibrate measure: give --device NAME, and no files");
  }
  const Machine m = machine_of(a, {}, dirs_of(s));
  std::string why_not;
  const auto device = open_measuring_device(why_not);
  if (!device) return no_device(why_not, s);
  const DeviceFacts facts = device->facts();
  MeasurementSet set = measure(designed_work(facts), *device, {Seconds(a.time)});
  set.device = m.device;
  set.date = today();
  set.source = "measured by orrery calibrate on one " + facts.name;
  give(s, dump(measurements_json(set)));
  return ExitCode::answer;
}

}  // namespace orrery
