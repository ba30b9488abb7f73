// SPDX-License-Identifier: Apache-2.0
#include "document/document.h"

#include "document/words.h"

namespace orrery {

Paragraph labelled(std::string label, Phrase text) {
  return {std::move(text), kLabel, 0, std::move(label)};
}

AnswerDocument document_of(std::string title, Table table) {
  return {std::move(title), {{{}, {table}}}, table, {}};
}

}  // namespace orrery
