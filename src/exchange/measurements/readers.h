// SPDX-License-Identifier: Apache-2.0
//
// The readers of exchange/measurements/measurements.cpp, one file each.
#pragma once

#include "core/json_reader.h"
#include "exchange/measurements/measurements.h"

namespace orrery::detail {

bool is_json(std::string_view text);
MeasurementSet read_json_measurements(std::string_view text, const std::string& file,
                                      const MeasurementHints& hints);

// Facts beside the measurements: device, driver, date, …
void read_measurement_heading(Reader& r, MeasurementSet& set);

bool is_simumax(std::string_view text);
MeasurementSet read_simumax(std::string_view text, const std::string& file,
                            const MeasurementHints& hints);

bool is_nccl_tests(std::string_view text);
MeasurementSet read_nccl_tests(std::string_view text, const std::string& file,
                               const MeasurementHints& hints);

bool is_torch_profile(std::string_view text);
MeasurementSet read_torch_profile(std::string_view text, const std::string& file,
                                  const MeasurementHints& hints);

bool is_kineto(std::string_view text);
MeasurementSet read_kineto(std::string_view text, const std::string& file,
                           const MeasurementHints& hints);

bool is_nsys(std::string_view text);
MeasurementSet read_nsys(std::string_view text, const std::string& file,
                         const MeasurementHints& hints);

bool is_csv(std::string_view text);
MeasurementSet read_csv_measurements(std::string_view text, const std::string& file,
                                     const MeasurementHints& hints);

}  // namespace orrery::detail
