// SPDX-License-Identifier: Apache-2.0
//
// The head of an outline where it cannot be unfolded: it names what is not there. Errors: none.
#pragma once

#include "document/document.h"

namespace orrery {

inline Phrase open_head(const Outline& o) {
  Phrase head = o.head;
  if (o.folded) {
    head += "  …";
  } else if (!o.same_as.empty()) {
    head += Phrase(TextStyle::dim, "  as above");
  }
  return head;
}

}  // namespace orrery
