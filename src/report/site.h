// SPDX-License-Identifier: Apache-2.0
//
// The levels that `calibrate site` learned, and how far each measured run is from them.
#pragma once

#include <vector>

#include "core/json.h"
#include "document/document.h"
#include "validate/site_fit.h"

namespace orrery {

struct SiteReport {
  Site site;
  std::vector<SiteRun> runs;
};

AnswerDocument site_document(const SiteReport& report);
Json site_report_json(const SiteReport& report);

}  // namespace orrery
