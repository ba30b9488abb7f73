// SPDX-License-Identifier: Apache-2.0
#include "document/markdown.h"

#include <algorithm>

#include "document/escape.h"
#include "document/outlines.h"

namespace orrery {
namespace {

std::string plain(const Phrase& phrase) {
  std::string out;
  for (const StyledSpan& s : phrase.spans()) out += s.text;
  return out;
}

std::string marked(const Phrase& phrase) {
  std::string out;
  for (const StyledSpan& s : phrase.spans()) {
    out += s.text_style == TextStyle::bold ? "**" + s.text + "**" : s.text;
  }
  return out;
}

bool is_bar(const Table& t, std::size_t column) {
  return std::any_of(t.rows().begin(), t.rows().end(),
                     [column](const auto& row) { return row[column].share >= 0; });
}

// Each element ends its line; a blank line stands between two of different kinds.
struct ElementMarkdown {
  std::string operator()(const Paragraph& p) const {
    return p.label.empty() ? marked(p.text) + "\n" : "- " + p.label + ": " + marked(p.text) + "\n";
  }
  std::string operator()(const Table& t) const { return markdown_of(t); }
  std::string operator()(const Verbatim& v) const { return "```\n" + plain(v.text) + "```\n"; }
  std::string operator()(const Outline& o) const { return outline(o, ""); }
  std::string operator()(const Chart& /*drawn on pages*/) const { return ""; }

  static std::string outline(const Outline& o, const std::string& indent) {
    std::string text = indent + "- " + marked(open_head(o)) + "\n";
    if (o.folded) return text;
    if (!o.detail.empty()) text += indent + "  " + marked(o.detail) + "\n";
    for (const Outline& part : o.parts) text += outline(part, indent + "  ");
    return text;
  }
};

bool is_labelled(const Element& e) {
  const auto* p = std::get_if<Paragraph>(&e.content());
  return p != nullptr && !p->label.empty();
}

}  // namespace

std::string markdown_of(const Table& table) {
  std::string titles = "|";
  std::string rule = "|";
  std::vector<std::string> rows(table.rows().size(), "|");
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const Column& c = table.columns()[i];
    if (c.audience == Audience::programs || is_bar(table, i)) continue;
    titles += " " + markdown_escaped(c.title) + " |";
    rule += c.right ? " ---: |" : " --- |";
    for (std::size_t r = 0; r < rows.size(); ++r) {
      rows[r] += " " + markdown_escaped(table.rows()[r][i].text) + " |";
    }
  }
  std::string out = titles + "\n" + rule + "\n";
  for (const std::string& row : rows) out += row + "\n";
  return out;
}

std::string markdown_of(const AnswerDocument& d) {
  std::string out = d.title.empty() ? "" : "# " + d.title + "\n";
  for (const Section& s : d.sections) {
    if (!s.heading.empty()) out += "\n## " + plain(s.heading) + "\n";
    bool in_list = false;
    for (const Element& e : s.elements) {
      const std::string text = std::visit(ElementMarkdown{}, e.content());
      if (text.empty()) continue;
      out += (in_list && is_labelled(e) ? "" : "\n") + text;
      in_list = is_labelled(e);
    }
  }
  return d.footer.empty() ? out : out + "\n" + d.footer + "\n";
}

}  // namespace orrery
