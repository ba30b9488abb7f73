// SPDX-License-Identifier: Apache-2.0
#include "exchange/argument_lines.h"

#include <algorithm>

namespace orrery {

void ArgumentLines::start() { fresh_ = true; }

void ArgumentLines::add(std::string_view name, const std::string& value) {
  std::string word(name);
  if (style_ == Style::dashes) std::replace(word.begin(), word.end(), '_', '-');
  text_ += (fresh_ ? " \\\n  --" : " --") + word + (value.empty() ? "" : " " + value);
  fresh_ = false;
}

void ArgumentLines::add_row(const NameRow& row, const Json& value) {
  if (value.is_null()) return;
  const bool is_switch = row.kind == NameKind::flag || row.kind == NameKind::negated;
  if (!is_switch)
    return add(row.theirs, value.is_string() ? value.get<std::string>() : value.dump());
  const bool on = value.is_boolean() && value.get<bool>();
  if (on == (row.kind == NameKind::flag)) add(row.theirs);
}

}  // namespace orrery
