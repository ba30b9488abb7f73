// SPDX-License-Identifier: Apache-2.0
//
// Predicted messages beside a measured log, for a person and for programs.
#pragma once

#include <string>

#include "exchange/logs/compare_log.h"
#include "report/comm_report.h"

namespace orrery {

struct CommAgainst {
  CommReport report;
  CommLog log;
  std::string file;
  CommComparison comparison;
};

Json comm_against_json(const CommAgainst& a);

// One line a class or row: matched, only predicted, only measured.
std::string comm_against_csv(const CommAgainst& a);
std::string comm_against_text(const CommAgainst& a, const Style& style);

}  // namespace orrery
