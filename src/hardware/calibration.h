// SPDX-License-Identifier: Apache-2.0
//
// A calibration: constants of one device, and of the tiers of one node, fitted on measurements, as
// an overlay over the documents of configs/hardware. It changes only the values that it names.
//
//   {"name": "a100-here", "device": "a100-sxm4-80gb", "node": "dgx-a100-80gb",
//    "rests_on": "measured on this machine",
//    "changes": {"device": {"efficiency": {"gemm": {"bf16": 0.81}}},
//                "tiers": {"nvswitch": {"efficiency": 0.79}}},
//    "spread": {"device.efficiency.gemm.bf16": 0.01},
//    "fit": {"matrix products": {"points": 12, "median": 0.05, "held_out": 0.07}},
//    "measured": [{"what": "all-reduce over 8", "bytes": 1048576, "us": 101.9, "spread": 0.02}],
//    "provenance": {"files": [{"file": "a.csv", "points": 12, "source": "…"}]}, "source": "…"}
//
// `node` is required if tiers change. `spread` is relative, one standard deviation. `measured`
// holds the measurements behind the fit; for one `what` the time must not fall while the bytes
// rise, beyond the noise (hardware/noise.h). Values that a run sets itself take precedence. Errors:
// InputError for another device or node, values that the document's own reader refuses, and
// malformed overlays.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/enum_names.h"
#include "core/json_fwd.h"
#include "core/json_reader.h"
#include "hardware/lookup.h"

namespace orrery {

enum class RestsOn : std::uint8_t { datasheet, published, measured };
constexpr EnumNames<RestsOn> names_of(RestsOn) {
  return {"datasheet", "fitted on published runs", "measured on this machine"};
}

// How well a fit follows one kind of measurement.
struct FitQuality {
  std::int64_t points = 0;
  double median = 0;    // of |fitted/measured − 1|
  double held_out = 0;  // the same, of points fitted without
};

struct Calibration {
  std::string name;
  std::string file;
  std::string device;
  std::string node;  // "": none
  RestsOn rests_on = RestsOn::measured;
  KeptJson changes;                       // {"device": …, "tiers": {name: …}}
  std::map<std::string, FitQuality> fit;  // by kind of measurement
  std::string date;
};

Calibration read_calibration(Reader r);

// "device.efficiency.gemm.bf16", "tiers.nvswitch.latency": every value it changes.
std::vector<std::string> changed_paths(const Calibration& c);

// The calibration of a name, a path or an object; `document` becomes what it stands in.
Calibration calibration_at(const Reader& given, const HardwareLookup& lookup, Json& document);

// `given` is a run's `cluster.calibration`: a name, a path, an object, or an array of them, that
// name different values. They go over `node`, a merged node document, with their sources; what the
// run has set stays.
std::vector<Calibration> apply_calibrations(const Reader& given, const HardwareLookup& lookup,
                                            Json& node);

// The values that an overlay changes, each with the path to it. Errors: none.
struct ChangedValue {
  std::vector<std::string> keys;
  KeptJson value;
};

std::vector<ChangedValue> leaves_of(const Json& changes);

// "device.efficiency.memory"
std::string path_of(const std::vector<std::string>& keys);

}  // namespace orrery
