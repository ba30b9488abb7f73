// SPDX-License-Identifier: Apache-2.0
#include "document/text.h"

#include <algorithm>
#include <numeric>

#include "document/outlines.h"
#include "document/words.h"

namespace orrery {
namespace {

constexpr std::size_t kBetween = 2;      // columns between two cells
constexpr std::size_t kLeastProse = 16;  // a column of prose is never narrower
constexpr std::size_t kLeastBar = 8;
constexpr std::size_t kLeastWidth = 60;  // of a paragraph, however deep it stands

using Indices = std::vector<std::size_t>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
    to = text.find('\n', from);
    lines.push_back(text.substr(from, to - from));
  }
  return lines;
}

std::string without_trailing_space(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

class TextTable {
 public:
  TextTable(const Table& table, const Style& style) : table_(table), style_(style) {
    for (std::size_t i = 0; i < table.columns().size(); ++i) {
      widths_.push_back(natural_width(i));
      if (table.columns()[i].audience != Audience::programs) shown_.push_back(i);
    }
  }

  std::string text() {
    narrow();
    std::string out;
    for (const Indices& part : parts()) out += part_text(part);
    return out;
  }

 private:
  const Column& column(std::size_t i) const { return table_.columns()[i]; }

  std::size_t natural_width(std::size_t i) const {
    const std::size_t least = column(i).width;
    if (column(i).wraps && least > 0) return least;
    std::size_t width = std::max(least, table_.has_titles ? width_of(column(i).title) : 0);
    for (const auto& row : table_.rows()) width = std::max(width, width_of(row[i].text));
    return width;
  }

  bool is_bar(std::size_t i) const {
    return std::any_of(table_.rows().begin(), table_.rows().end(),
                       [i](const auto& row) { return row[i].share >= 0; });
  }

  // How narrow a column may become.
  std::size_t least_width(std::size_t i) const {
    if (is_bar(i)) return style_.must_fit ? kLeastBar : widths_[i];
    const bool may_wrap = column(i).wraps || (style_.must_fit && !column(i).right);
    return may_wrap ? kLeastProse : widths_[i];
  }

  std::size_t total(const Indices& columns) const {
    std::size_t sum = table_.indent + kBetween * (columns.empty() ? 0 : columns.size() - 1);
    for (const std::size_t i : columns) sum += widths_[i];
    return sum;
  }

  // Takes from the widest column that has something to give until the table fits.
  void narrow() {
    for (std::size_t wide = total(shown_); wide > style_.width; wide = total(shown_)) {
      const auto spare = [this](std::size_t i) {
        return widths_[i] - std::min(widths_[i], least_width(i));
      };
      const auto most = std::max_element(shown_.begin(), shown_.end(),
                                         [&](auto a, auto b) { return spare(a) < spare(b); });
      if (most == shown_.end() || spare(*most) == 0) return;
      widths_[*most] -= std::min(spare(*most), wide - style_.width);
    }
  }

  // The columns of each part of a table that must fit; the first column begins them all.
  std::vector<Indices> parts() const {
    if (!style_.must_fit) return {shown_};
    std::vector<Indices> parts(1);
    for (const std::size_t i : shown_) {
      Indices with = parts.back();
      with.push_back(i);
      if (parts.back().size() < 2 || total(with) <= style_.width) {
        parts.back() = with;
      } else {
        parts.push_back({shown_[0], i});
      }
    }
    return parts;
  }

  std::string part_text(const Indices& columns) const {
    std::vector<Cell> titles;
    for (const Column& c : table_.columns()) titles.emplace_back(c.title);
    std::string out = table_.has_titles ? row_text(titles, columns) : "";
    for (const auto& row : table_.rows()) out += row_text(row, columns);
    return out;
  }

  std::string cell_text(const Cell& cell, std::size_t i) const {
    return cell.share >= 0 ? bar(cell.share, widths_[i]) : wrapped(cell.text, 0, 0, widths_[i]);
  }

  std::string row_text(const std::vector<Cell>& row, const Indices& columns) const {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 0;
    for (const std::size_t i : columns) {
      cells.push_back(lines_of(cell_text(row[i], i)));
      height = std::max(height, cells.back().size());
    }
    std::string out;
    for (std::size_t line = 0; line < height; ++line) {
      std::string text(table_.indent, ' ');
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const std::size_t i = columns[k];
        const std::string part =
            line < cells[k].size() ? text_style(style_, row[i].text_style, cells[k][line]) : "";
        if (k > 0) text += std::string(kBetween, ' ');
        text += column(i).right ? right(part, widths_[i]) : left(part, widths_[i]);
      }
      out += without_trailing_space(text) + "\n";
    }
    return out;
  }

  const Table& table_;
  const Style& style_;
  std::vector<std::size_t> widths_;
  Indices shown_;
};

struct ElementText {
  const Style& style;

  std::string operator()(const Paragraph& p) const {
    const std::string label = p.label.empty() ? "" : left(p.label, kLabel);
    const std::size_t first = p.indent + width_of(label);
    return std::string(p.indent, ' ') + label +
           wrapped(dressed(style, p.text), p.hang, first,
                   std::max(style.width, first + kLeastWidth)) +
           "\n";
  }
  std::string operator()(const Verbatim& v) const { return dressed(style, v.text); }
  std::string operator()(const Table& t) const { return text_of(t, style); }
  std::string operator()(const Outline& o) const { return outline(o, 0); }
  std::string operator()(const Chart& /*drawn on pages*/) const { return ""; }

  // Each level two columns deeper.
  std::string outline(const Outline& o, std::size_t indent) const {
    std::string text = (*this)(Paragraph{open_head(o), indent + 4, indent});
    if (o.folded) return text;
    if (!o.detail.empty()) text += (*this)(Paragraph{o.detail, indent + 6, indent + 2});
    for (const Outline& part : o.parts) text += outline(part, indent + 2);
    return text;
  }
};

}  // namespace

std::string text_of(const Section& s, const Style& style) {
  std::string text;
  if (!s.heading.empty()) text += wrapped(dressed(style, s.heading), 2, 0, style.width) + "\n";
  for (const Element& e : s.elements) text += std::visit(ElementText{style}, e.content());
  return text;
}

std::string text_of(const Table& table, const Style& style) {
  return TextTable(table, style).text();
}

std::string text_of(const AnswerDocument& document, const Style& style) {
  std::string text;
  for (const Section& s : document.sections) {
    const std::string more = text_of(s, style);
    if (!more.empty()) text += (text.empty() ? "" : "\n") + more;
  }
  return text;
}

}  // namespace orrery
