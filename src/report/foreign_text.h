// SPDX-License-Identifier: Apache-2.0
//
// Runs in other tools' words as text and JSON, with what was left out above them.
#pragma once

#include <string>

#include "exchange/foreign.h"

namespace orrery {

// A run file; comments on top list what was assumed, left out, not understood and is missing.
std::string imported_text(const ImportedRun& imported, const std::string& file);
Json imported_json(const ImportedRun& imported);

// The settings; keys without an equivalent are comments on top, if the format has comments.
std::string exported_text(ForeignFormat format, const ExportedRun& exported);
Json exported_json(ForeignFormat format, const ExportedRun& exported);

// "no equivalent in Megatron-LM: cluster.node = dgx-h100"
std::string not_said_line(ForeignFormat format, const NotSaid& n);

bool has_comments(ForeignFormat format);

}  // namespace orrery
