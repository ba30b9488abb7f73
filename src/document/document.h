// SPDX-License-Identifier: Apache-2.0
//
// An answer as a person reads it: sections of paragraphs, tables and charts, as values.
//
// A report says here what it found; text.h, html.h, markdown.h and rows.h draw it and know nothing
// of training. Columns and indents are of plain text alone. `rows` is what CSV holds: one table,
// whole and unrounded, where the sections may leave out, join and round.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "document/chart.h"
#include "document/phrase.h"
#include "document/table.h"

namespace orrery {

// A text that wraps. In plain text its first line begins in column `indent`, the others at `hang`.
struct Paragraph {
  Phrase text;
  std::size_t hang = 0;
  std::size_t indent = 0;
  std::string label{};  // stands before it in a column of its own
};

Paragraph labelled(std::string label, Phrase text);

// Lines as they stand: a file, a drawing of characters.
struct Verbatim {
  Phrase text;
};

using Element = std::variant<Paragraph, Table, Verbatim, Chart>;

struct Section {
  Phrase heading{};
  std::vector<Element> elements{};

  // In place: g++ 12 takes a moved variant's other alternatives for uninitialised.
  template <class E = Element>
  Section& add(E element) {
    elements.emplace_back(std::move(element));
    return *this;
  }
};

struct AnswerDocument {
  std::string title{};  // of a page
  std::vector<Section> sections{};
  Table rows{};
  std::string footer{};

  Section& add(Section section) {
    sections.push_back(std::move(section));
    return sections.back();
  }
};

// One table is all of it.
AnswerDocument document_of(std::string title, Table table);

}  // namespace orrery
