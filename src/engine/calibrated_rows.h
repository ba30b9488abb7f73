// SPDX-License-Identifier: Apache-2.0
//
// `calibration` of `validate`: a calibration over the published runs of its own device.
#pragma once

#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "engine/config_source.h"
#include "validate/rows.h"

namespace orrery {

struct CalibratedRows {
  std::string name;
  std::string rests_on;
  std::string device;
  std::string node;  // "": any
  std::size_t rows = 0;
  std::size_t of = 0;
};

// Sets `cluster.calibration` of the rows whose device it is of, and whose node where it has one;
// the others stay. Errors: InputError where it is none, and where no row is of it.
CalibratedRows calibrate_rows(const std::string& name, const ConfigSource& configs,
                              std::vector<Row>& rows);

std::string calibrated_line(const CalibratedRows& c);
Json calibrated_json(const CalibratedRows& c);

}  // namespace orrery
