// SPDX-License-Identifier: Apache-2.0
//
// A quantity in a list; a dash where a file does not say it.
#pragma once

#include "core/units.h"
#include "document/table.h"

namespace orrery {

template <Dimension D>
Cell quantity_cell(Quantity<D> q) {
  if (q.si() == 0) return {"–", nullptr};
  return {pretty(q), q.si()};
}

}  // namespace orrery
