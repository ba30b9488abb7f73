// SPDX-License-Identifier: Apache-2.0
#include "document/document.h"

#include <utility>

#include "document/words.h"

namespace orrery {
namespace {

template <class Part>
std::shared_ptr<const Element::Content> kept(Part part) {
  return std::make_shared<const Element::Content>(std::move(part));
}

}  // namespace

Element::Element(Paragraph paragraph) : content_(kept(std::move(paragraph))) {}
Element::Element(Table table) : content_(kept(std::move(table))) {}
Element::Element(Verbatim verbatim) : content_(kept(std::move(verbatim))) {}
Element::Element(Outline outline) : content_(kept(std::move(outline))) {}
Element::Element(Chart chart) : content_(kept(std::move(chart))) {}
Element::Element(const Element& other) = default;
Element::Element(Element&& other) noexcept = default;
Element& Element::operator=(const Element& other) = default;
Element& Element::operator=(Element&& other) noexcept = default;
Element::~Element() = default;

Section& Section::add(Element element) {
  elements.push_back(std::move(element));
  return *this;
}

Section& AnswerDocument::add(Section section) {
  sections.push_back(std::move(section));
  return sections.back();
}

Paragraph labelled(std::string label, Phrase text) {
  return {std::move(text), kLabel, 0, std::move(label)};
}

AnswerDocument document_of(std::string title, Table table) {
  return {std::move(title), {{{}, {table}}}, table, {}};
}

}  // namespace orrery
