// SPDX-License-Identifier: Apache-2.0
#include "engine/calibrated_rows.h"

#include "core/error.h"
#include "core/json.h"
#include "hardware/calibration.h"
#include "hardware/cluster_reader.h"

namespace orrery {
namespace {

constexpr const char* kCalibrationFlag = "--calibration";

Calibration named_calibration(const std::string& name, const ConfigLookup& lookup) {
  const Json given = name;
  Json document;
  return calibration_at(Reader(given, "orrery validate", kCalibrationFlag), lookup.hardware,
                        document);
}

// A row whose cluster cannot be read is judged, and refused, where all rows are.
bool is_of(const Calibration& c, const Row& row, const HardwareLookup& lookup) {
  try {
    const Cluster cluster = read_cluster(Reader(*row.run, row.file).at("cluster"), lookup).cluster;
    return cluster.device.name.view() == c.device &&
           (c.node.empty() || cluster.node.view() == c.node);
  } catch (const InputError&) {
    return false;
  }
}

void add_calibration(Json& cluster, const std::string& name) {
  Json& given = cluster["calibration"];
  if (given.is_null()) {
    given = name;
  } else if (given.is_array()) {
    given.push_back(name);
  } else {
    given = Json::array({given, name});
  }
}

}  // namespace

CalibratedRows calibrate_rows(const std::string& name, const ConfigSource& configs,
                              std::vector<Row>& rows) {
  const ConfigLookup lookup = config_lookup(configs);
  const Calibration c = named_calibration(name, lookup);
  CalibratedRows out{c.name, std::string(name_of(c.rests_on)), c.device, c.node, 0, rows.size()};
  for (Row& row : rows) {
    if (!is_of(c, row, lookup.hardware)) continue;
    Json run = *row.run;
    add_calibration(run["cluster"], name);
    row.run = std::move(run);
    ++out.rows;
  }
  if (out.rows == 0) {
    throw InputError("orrery validate", kCalibrationFlag,
                     "a calibration of " + (c.node.empty() ? c.device : c.node),
                     "one of a device and node that some row has");
  }
  return out;
}

std::string calibrated_line(const CalibratedRows& c) {
  return "rests on: " + c.name + " (" + c.rests_on + ") over " + std::to_string(c.rows) + " of " +
         std::to_string(c.of) + " rows, those of " + (c.node.empty() ? c.device : c.node) +
         "; the others on their documents\n\n";
}

Json calibrated_json(const CalibratedRows& c) {
  Json j = {{"name", c.name}, {"rests_on", c.rests_on}, {"device", c.device}};
  if (!c.node.empty()) j["node"] = c.node;
  j["rows"] = c.rows;
  return j;
}

}  // namespace orrery
