// SPDX-License-Identifier: Apache-2.0
#include "document/html.h"

#include <algorithm>

#include "document/escape.h"
#include "document/pages.h"
#include "document/scripted.h"
#include "document/svg.h"

namespace orrery {
namespace {

std::string in_style(TextStyle text_style, const std::string& text) {
  if (text_style == TextStyle::plain) return html_escaped(text);
  return "<span class=\"" + std::string(name_of(text_style)) + "\">" + html_escaped(text) +
         "</span>";
}

std::string html_of(const Phrase& phrase) {
  std::string out;
  for (const StyledSpan& s : phrase.spans()) out += in_style(s.text_style, s.text);
  return out;
}

std::string cell_of(const Column& c, const std::string& tag, const std::string& inside) {
  const char* kind = c.right ? " class=\"number\"" : c.wraps ? " class=\"prose\"" : "";
  return "<" + tag + kind + ">" + inside + "</" + tag + ">";
}

std::string inside_of(const Cell& cell) {
  if (cell.share < 0) return in_style(cell.text_style, cell.text);
  return "<span class=\"bar " + std::string(name_of(cell.text_style)) +
         "\" style=\"width:" + fixed(100 * std::clamp(cell.share, 0.0, 1.0), 1) + "%\"></span>";
}

std::string html_of(const Table& table) {
  const std::vector<Column>& columns = table.columns();
  std::string titles;
  std::string rows;
  bool has_titles = false;
  for (const Column& c : columns) {
    if (c.audience == Audience::programs) continue;
    titles += cell_of(c, "th", html_escaped(c.title));
    has_titles = has_titles || !c.title.empty();
  }
  for (const auto& row : table.rows()) {
    rows += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns[i].audience == Audience::programs) continue;
      rows += cell_of(columns[i], "td", inside_of(row[i]));
    }
    rows += "</tr>\n";
  }
  if (has_titles) titles = "<thead><tr>" + titles + "</tr></thead>\n";
  return "<div class=\"scroll\"><table>" + titles + "<tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string html_of(const Outline& o);

std::string inside_of(const Outline& o) {
  std::string inside;
  if (!o.detail.empty()) inside += "<p class=\"dim\">" + html_of(o.detail) + "</p>\n";
  for (const Outline& part : o.parts) inside += html_of(part);
  return inside;
}

std::string html_of(const Outline& o) {
  if (!o.same_as.empty()) {
    return "<p>" + html_of(o.head) + " <a href=\"#" + html_escaped(o.same_as) +
           "\">parts</a></p>\n";
  }
  const std::string id = o.name.empty() ? "" : " id=\"" + html_escaped(o.name) + "\"";
  const std::string inside = inside_of(o);
  if (inside.empty()) return "<p" + id + ">" + html_of(o.head) + "</p>\n";
  return "<details" + id + (o.folded ? "" : " open") + "><summary>" + html_of(o.head) +
         "</summary>\n" + inside + "</details>\n";
}

// Neighbours of a kind share a frame: labelled lines a table, charts a grid.
class PageBody {
 public:
  void add(const Section& s) {
    if (s.heading.empty() && s.elements.empty()) return;
    out_ += "<section>\n";
    if (!s.heading.empty()) out_ += "<h2>" + html_of(s.heading) + "</h2>\n";
    for (const Element& e : s.elements) std::visit(*this, e.content());
    frame("");
    out_ += "</section>\n";
  }
  const std::string& sections() const { return out_; }
  const std::string& scripts() const { return scripts_; }

  void operator()(const Paragraph& p) {
    if (p.label.empty()) {
      frame("");
      out_ += "<p>" + html_of(p.text) + "</p>\n";
    } else {
      frame("dl");
      out_ += "<dt>" + html_escaped(p.label) + "</dt><dd>" + html_of(p.text) + "</dd>\n";
    }
  }
  void operator()(const Table& t) {
    frame("");
    out_ += html_of(t);
  }
  void operator()(const Verbatim& v) {
    frame("");
    out_ += "<pre>" + html_of(v.text) + "</pre>\n";
  }
  void operator()(const Outline& o) {
    frame("");
    out_ += "<div class=\"outline\">\n" + html_of(o) + "</div>\n";
  }
  void operator()(const Chart& c) { std::visit(*this, c); }
  template <Scripted C>
  void operator()(const C& chart) {
    frame("");
    out_ += frame_of(chart);
    scripts_ += script_of(chart);
  }
  template <class C>
  void operator()(const C& chart) {
    frame("div");
    out_ += svg_of(chart);
  }

 private:
  void frame(const std::string& wanted) {
    if (wanted == frame_) return;
    if (!frame_.empty()) out_ += "</" + frame_ + ">\n";
    if (!wanted.empty())
      out_ += "<" + wanted + (wanted == "div" ? " class=\"charts\"" : "") + ">\n";
    frame_ = wanted;
  }

  std::string out_;
  std::string scripts_;
  std::string frame_;
};

}  // namespace

std::string html_of(const AnswerDocument& d) {
  const std::string title = html_escaped(d.title);
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
      title + "</title>\n<style>\n" + std::string(page_file("page.css")) +
      std::string(page_file("chart.css")) + "</style></head><body>\n<h1>" + title + "</h1>\n";
  PageBody body;
  for (const Section& s : d.sections) body.add(s);
  page += body.sections();
  if (!d.footer.empty()) page += "<footer>" + html_escaped(d.footer) + "</footer>\n";
  return page + body.scripts() + "</body></html>\n";
}

}  // namespace orrery
