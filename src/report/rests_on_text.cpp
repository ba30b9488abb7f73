// SPDX-License-Identifier: Apache-2.0
#include "report/rests_on_text.h"

#include "core/json.h"
#include "document/words.h"
#include "estimate/resolve.h"

namespace orrery {

Json rests_on_json(const std::vector<RestsOnPart>& parts) {
  Json list = Json::array();
  for (const RestsOnPart& p : parts) {
    Json one = {{"part", p.part}, {"basis", p.basis}};
    if (!p.calibration.empty()) one["calibration"] = p.calibration;
    list.push_back(one);
  }
  return list;
}

Json rests_on_json(const ResolvedRun& r) { return rests_on_json(parts_rest_on(r)); }

std::string calibration_line(const ResolvedCluster& c, const std::vector<RestsOnPart>& parts) {
  if (c.calibrations.empty()) return "";
  std::vector<std::string> texts;
  for (const RestsOnPart& p : parts) {
    texts.push_back(p.part + " " + p.basis +
                    (p.calibration.empty() ? "" : " (" + p.calibration + ")"));
  }
  return "rests on: " + joined(texts, " · ");
}

std::string calibration_line(const ResolvedRun& r) {
  return calibration_line(r.cluster, parts_rest_on(r));
}

}  // namespace orrery
