// SPDX-License-Identifier: Apache-2.0
//
// How far apart the sites of a run may be: the exchange between them, utilisation, and the
// bandwidth that a utilisation needs (estimate/outer_steps.h). Nothing for a run on one site.
// Errors: none.
#pragma once

#include <optional>

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct RunReport;

std::optional<Paragraph> sites_line(const RunReport& r);
Json sites_json(const RunReport& r);  // null on one site

}  // namespace orrery
