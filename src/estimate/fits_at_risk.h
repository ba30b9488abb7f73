// SPDX-License-Identifier: Apache-2.0
//
// The judgement that a run fits as surely as was asked for (estimate/risk.h), inline where a
// search asks it of every candidate. Errors: none.
#pragma once

#include "estimate/answer.h"
#include "estimate/run.h"

namespace orrery {

// Every strategy that Orrery chooses satisfies this.
inline bool fits_at_risk(const Run& run, const Answer& a) {
  return a.reason == Reason::fits && a.needed <= a.capacity * run.memory_risk.share;
}

}  // namespace orrery
