// SPDX-License-Identifier: Apache-2.0
#include "exchange/measurements/measurements.h"

#include <array>

#include "core/error.h"
#include "exchange/measurements/readers.h"

namespace orrery {
namespace {

struct MeasurementFormat {
  const char* name;
  bool (*is_it)(std::string_view text);
  MeasurementSet (*read)(std::string_view text, const std::string& file,
                         const MeasurementHints& hints);
};

// The first that says yes reads it.
constexpr std::array kMeasurementFormats = {
    MeasurementFormat{"PyTorch profiler's trace", detail::is_kineto, detail::read_kineto},
    MeasurementFormat{"SimuMax's system file", detail::is_simumax, detail::read_simumax},
    MeasurementFormat{"JSON of measurements", detail::is_json, detail::read_json_measurements},
    MeasurementFormat{"nccl-tests' output", detail::is_nccl_tests, detail::read_nccl_tests},
    MeasurementFormat{"PyTorch profiler's table", detail::is_torch_profile,
                      detail::read_torch_profile},
    MeasurementFormat{"Nsight Systems' CSV", detail::is_nsys, detail::read_nsys},
    MeasurementFormat{"CSV such as m,n,k,dtype,us", detail::is_csv, detail::read_csv_measurements},
};

}  // namespace

std::vector<std::string> measurement_formats() {
  std::vector<std::string> names;
  for (const MeasurementFormat& f : kMeasurementFormats) names.emplace_back(f.name);
  return names;
}

MeasurementSet read_measurements(std::string_view text, const std::string& file,
                                 const MeasurementHints& hints) {
  for (const MeasurementFormat& f : kMeasurementFormats) {
    if (!f.is_it(text)) continue;
    MeasurementSet set = f.read(text, file, hints);
    set.file = file;
    if (set.points.empty()) {
      throw InputError(file, "", "no measurement in " + std::string(f.name),
                       "at least one time that a form is fitted to (docs/calibrate.md)");
    }
    check_rising(set);
    return set;
  }
  throw InputError(file, "", "no measurements", alternatives(measurement_formats()));
}

}  // namespace orrery
