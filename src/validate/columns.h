// SPDX-License-Identifier: Apache-2.0
//
// Cells of text in aligned columns, for people or as a Markdown table. The first column is words
// and left-aligned, the others numbers.
#pragma once

#include <string>
#include <vector>

namespace orrery {

using Cells = std::vector<std::string>;

std::string share_text(double share);         // 3.7 %
std::string signed_share_text(double share);  // +3.7 %

std::string decimals(double x, int digits);

std::string aligned(const std::vector<Cells>& rows);         // the first row is the heading
std::string markdown_table(const std::vector<Cells>& rows);  // the same

}  // namespace orrery
