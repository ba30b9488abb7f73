// SPDX-License-Identifier: Apache-2.0
//
// The verbs of `calibrate` share the machine that was measured, and its measurements.
#pragma once

#include <string>
#include <vector>

#include "calibrate/measurement.h"
#include "engine/config_source.h"
#include "engine/request.h"
#include "hardware/cluster.h"

namespace orrery {

struct CalibrateChoice {
  std::string action;
  std::vector<NamedText> files;  // unpacked
  std::string device;
  std::string node;
  std::string name;  // of the overlay
  std::string collective;
  std::string dtype;
  std::string calibration;
  std::string run;  // of logs, for a site
  std::string html;
  Seconds time{120};
};

// Without tiers where a device alone was named.
struct Machine {
  Cluster cluster;
  std::string device;
  std::string node;
};

// By `device` or `node`, large enough for the ranks of the measurements. Errors: InputError.
Machine machine_of(const CalibrateChoice& a, const std::vector<MeasurementSet>& sets,
                   const ConfigSource& configs);

std::vector<MeasurementSet> sets_of(const CalibrateChoice& a);
// "", or the precision or kernel that the device's document has no constant for.
std::string not_computed(const Measurement& m, const Device& d);

// Refuses measurements of another machine. Returns warnings.
std::vector<std::string> check_sets(const std::vector<MeasurementSet>& sets, const Machine& m);

}  // namespace orrery
