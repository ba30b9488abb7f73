// SPDX-License-Identifier: Apache-2.0
//
// The verbs of `orrery calibrate`, and what they share.
#pragma once

#include <string>
#include <vector>

#include "calibrate/measurement.h"
#include "cli/session.h"
#include "core/json.h"
#include "hardware/cluster.h"

namespace orrery {

struct CalibrateArguments {
  std::string action;
  std::vector<std::string> files;
  std::string device;
  std::string node;
  std::string name;
  std::string html;
  std::string collective;
  std::string dtype;
  std::string calibration;
  double time = 120;  // seconds
};

// Without tiers where a device alone was named.
struct Machine {
  Cluster cluster;
  std::string device;
  std::string node;
};

// By --device or --node, large enough for the ranks of the measurements.
Machine machine_of(const CalibrateArguments& a, const std::vector<MeasurementSet>& sets,
                   const ConfigDirs& dirs);

std::vector<MeasurementSet> sets_of(const CalibrateArguments& a);
// "", or the precision or kernel that the device's document has no constant for.
std::string not_computed(const Measurement& m, const Device& d);
void check_sets(const std::vector<MeasurementSet>& sets, const Machine& m);

// One line, exit code 3: a sound question, and no GPU here to answer it.
ExitCode no_device(const std::string& why_not, const Session& s);

ExitCode run_calibrate_fit(const CalibrateArguments& a, const Session& s);
ExitCode run_calibrate_check(const CalibrateArguments& a, const Session& s);
ExitCode run_calibrate_measure(const CalibrateArguments& a, const Session& s);

}  // namespace orrery
