// SPDX-License-Identifier: Apache-2.0
#include "report/sweep_calibrations.h"

#include <algorithm>
#include <vector>

#include "core/json.h"
#include "core/json_reader.h"
#include "document/words.h"
#include "estimate/config_lookup.h"
#include "explore/sweep.h"
#include "hardware/calibration.h"

namespace orrery {
namespace {

constexpr const char* kPath = "cluster.calibration";

Json given_by(const Json& run) {
  const auto cluster = run.find("cluster");
  if (cluster == run.end() || !cluster->is_object()) return {};
  const auto given = cluster->find("calibration");
  return given == cluster->end() ? Json() : *given;
}

struct Named {
  Calibration calibration;
  Json document;
};

std::vector<Named> calibrations_of(const Json& run, const std::string& file,
                                   const ConfigLookup& lookup) {
  const Json given = given_by(run);
  if (given.is_null()) return {};
  const Reader all(given, file, kPath);
  std::vector<Named> out;
  for (const Reader& one : given.is_array() ? all.items() : std::vector<Reader>{all}) {
    Named n;
    n.calibration = calibration_at(one, lookup.hardware, n.document);
    out.push_back(std::move(n));
  }
  return out;
}

}  // namespace

bool is_calibrated(const SweepPlan& sweep) {
  const std::vector<std::string> paths = paths_of(sweep);
  return !given_by(sweep.run).is_null() ||
         std::find(paths.begin(), paths.end(), kPath) != paths.end();
}

std::string calibrations_text(const Json& run, const std::string& file,
                              const ConfigLookup& lookup) {
  std::vector<std::string> texts;
  for (const Named& n : calibrations_of(run, file, lookup)) {
    texts.push_back(n.calibration.name + " (" + std::string(name_of(n.calibration.rests_on)) + ")");
  }
  return joined(texts, " · ");
}

std::string calibration_documents(const Json& run, const std::string& file,
                                  const ConfigLookup& lookup) {
  std::string text;
  for (const Named& n : calibrations_of(run, file, lookup)) text += n.document.dump();
  return text;
}

}  // namespace orrery
