// SPDX-License-Identifier: Apache-2.0
//
// Runs in other tools' words as text and JSON, with what was left out above them.
#pragma once

#include <string>
#include <vector>

#include "exchange/foreign.h"

namespace orrery {

// A run file, with what was assumed.
std::string imported_text(const ImportedRun& imported);
// A setting that stops the import, and what to type.
std::string refusal_line(const LeftOver& l);
// A line for each of the first settings that are not understood, one of their number, and one of
// the keys that are still missing.
// `keys`: what missing keys begin with, to be named.
std::vector<std::string> import_warnings(const ImportedRun& imported, const std::string& keys);
// The first two of the lines below, wherever a run comes from other tools' files.
std::vector<std::string> origin_lines(const ImportedRun& imported);
// Three lines at most: the keys taken, those assumed and by whose default, and what is ignored.
std::vector<std::string> import_summary(const ImportedRun& imported);
Json imported_json(const ImportedRun& imported);

// The settings; keys without an equivalent are comments on top, if the format has comments.
std::string exported_text(ForeignFormat format, const ExportedRun& exported);
Json exported_json(ForeignFormat format, const ExportedRun& exported);

// "no equivalent in Megatron-LM: cluster.node = dgx-h100"
std::string not_expressed_line(ForeignFormat format, const NotExpressed& n);

bool has_comments(ForeignFormat format);

}  // namespace orrery
