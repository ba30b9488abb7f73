// SPDX-License-Identifier: Apache-2.0
//
// Runs in other tools' words as text and JSON, with what was left out above them.
#pragma once

#include <string>

#include "exchange/foreign.h"

namespace orrery {

// A run file; what was assumed, left out, not understood and is still missing, in comments on top.
std::string imported_text(const ImportedRun& imported, const std::string& file);
Json imported_json(const ImportedRun& imported);

// The settings; what they do not say in comments on top, where the format has comments.
std::string exported_text(ForeignFormat format, const ExportedRun& exported);
Json exported_json(ForeignFormat format, const ExportedRun& exported);

// "cluster.node dgx-h100"
std::string not_said_line(const NotSaid& n);

bool has_comments(ForeignFormat format);

}  // namespace orrery
