// SPDX-License-Identifier: Apache-2.0
#include "exchange/names.h"

#include "core/json_path.h"

namespace orrery {
namespace {

constexpr double kMostNumber = 1e6;

void read_row(const NameRow& row, Settings& settings, Json& run) {
  if (row.kind == NameKind::count) {
    if (const auto n = settings.count(row.theirs)) set_at(run, row.ours, *n);
  } else if (row.kind == NameKind::degree) {
    if (const auto n = settings.count(row.theirs, 1, kMostDegree)) set_at(run, row.ours, *n);
  } else if (row.kind == NameKind::number) {
    if (const auto x = settings.number(row.theirs, 0, kMostNumber)) set_at(run, row.ours, *x);
  } else if (const auto truth = settings.flag(row.theirs)) {
    set_at(run, row.ours, row.kind == NameKind::negated ? !*truth : *truth);
  }
}

}  // namespace

void read_rows_of(std::span<const NameRow> rows, Settings& settings, Json& run) {
  for (const NameRow& row : rows) read_row(row, settings, run);
}

}  // namespace orrery
