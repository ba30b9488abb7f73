// SPDX-License-Identifier: Apache-2.0
#include "document/document.h"

#include "document/words.h"

namespace orrery {

Paragraph labelled(std::string label, Phrase text) {
  return {std::move(text), kLabel, 0, std::move(label)};
}

}  // namespace orrery
