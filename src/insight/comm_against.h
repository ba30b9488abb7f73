// SPDX-License-Identifier: Apache-2.0
//
// Predicted messages beside a measured log.
#pragma once

#include <string>

#include "exchange/logs/compare_log.h"
#include "insight/comm_report.h"

namespace orrery {

struct CommAgainst {
  CommReport report;
  CommLog log;
  std::string file;
  CommComparison comparison;
};

}  // namespace orrery
