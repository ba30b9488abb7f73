// SPDX-License-Identifier: Apache-2.0
//
// An answer as a person reads it: sections of paragraphs, tables and charts, as values.
//
// A report says here what it found; text.h, html.h, markdown.h and rows.h draw it and know nothing
// of training. Columns and indents are of plain text alone. `rows` is what CSV holds: one table,
// whole and unrounded, where the sections may leave out, join and round.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
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

template <class T, class V>
inline constexpr bool kIsAlternative = false;
template <class T, class... A>
inline constexpr bool kIsAlternative<T, std::variant<A...>> = (std::is_same_v<T, A> || ...);

// A value and, below it, what it is made of. A page folds and unfolds it; text and markdown have
// the open parts alone.
struct Outline {
  Phrase head;
  Phrase detail{};  // stands between the head and the parts
  std::vector<Outline> parts{};
  bool folded = false;    // until a reader opens it
  std::string name{};     // of an outline that another one repeats; its own in the document
  std::string same_as{};  // the name of the outline that has the parts of this one
};

// A part of a section; copies share it. Its members are compiled once: every report makes many.
class Element {
 public:
  using Content = std::variant<Paragraph, Table, Verbatim, Outline, Chart>;

  Element(Paragraph paragraph);  // NOLINT
  Element(Table table);          // NOLINT
  Element(Verbatim verbatim);    // NOLINT
  Element(Outline outline);      // NOLINT
  Element(Chart chart);          // NOLINT
  template <class Plot>          // NOLINTNEXTLINE
  requires kIsAlternative<Plot, Chart> Element(Plot plot) : Element(Chart(std::move(plot))) {}
  Element(const Element& other);
  Element(Element&& other) noexcept;
  Element& operator=(const Element& other);
  Element& operator=(Element&& other) noexcept;
  ~Element();

  const Content& content() const { return *content_; }

 private:
  std::shared_ptr<const Content> content_;
};

struct Section {
  Phrase heading{};
  std::vector<Element> elements{};

  Section& add(Element element);
};

struct AnswerDocument {
  std::string title{};  // of a page
  std::vector<Section> sections{};
  Table rows{};
  std::string footer{};

  Section& add(Section section);
};

// One table is all of it.
AnswerDocument document_of(std::string title, Table table);

}  // namespace orrery
