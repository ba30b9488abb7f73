// SPDX-License-Identifier: Apache-2.0
//
// The cost of samples of several sizes (model/buckets.h): the step if no rank waited for a slower
// one, the share of the step that waits, and each size alone. Nothing where all are of one size.
// Errors: none.
#pragma once

#include <optional>

#include "core/json_fwd.h"
#include "document/document.h"
#include "insight/run_report.h"

namespace orrery {

std::optional<Paragraph> buckets_line(const RunReport& r);
Json buckets_json(const RunReport& r);

}  // namespace orrery
