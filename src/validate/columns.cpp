// SPDX-License-Identifier: Apache-2.0
#include "validate/columns.h"

#include <algorithm>
#include <cstdio>

namespace orrery {
namespace {

// Characters, not bytes: table cells hold "≤".
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::size_t> widths_of(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths;
  for (const Cells& cells : rows) {
    if (widths.size() < cells.size()) widths.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width(cells[i]));
  }
  return widths;
}

}  // namespace

std::string decimals(double x, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

std::string share_text(double share) { return decimals(100 * share, 1) + " %"; }

std::string signed_share_text(double share) { return (share < 0 ? "" : "+") + share_text(share); }

std::string aligned(const std::vector<Cells>& rows) {
  const std::vector<std::size_t> widths = widths_of(rows);
  std::string out;
  for (const Cells& cells : rows) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string space(widths[i] - width(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += i == 0 ? cells[i] + space : space + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string markdown_table(const std::vector<Cells>& rows) {
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += "|";
    for (const std::string& cell : rows[r]) out += " " + cell + " |";
    out += "\n";
    if (r > 0) continue;
    out += "|";
    for (std::size_t i = 0; i < rows[r].size(); ++i) out += i == 0 ? " --- |" : " ---: |";
    out += "\n";
  }
  return out;
}

}  // namespace orrery
