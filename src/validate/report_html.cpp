// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "validate/report_tables.h"

namespace orrery {
namespace {

constexpr double kWide = 620;
constexpr double kHigh = 460;
constexpr double kMargin = 60;
constexpr std::array<const char*, 12> kColours = {"#1b6ca8", "#d1495b", "#2e8b57", "#edae49",
                                                  "#6a4c93", "#00798c", "#8c510a", "#c51b7d",
                                                  "#4d4d4d", "#7fbc41", "#e66101", "#5e3c99"};

constexpr const char* kPageHead =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Orrery: validation"
    "</title>\n<style>body{font:14px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 "
    "1em;color:#222}table{border-collapse:collapse;margin:1em 0;font-size:12px}td,th{padding:2px "
    "8px;text-align:right;border-bottom:1px solid "
    "#ddd}td:first-child,th:first-child{text-align:left}"
    "tr.group td{border-top:2px solid #bbb}td{white-space:nowrap}"
    "svg{max-width:100%;height:auto}text{font:11px sans-serif;fill:#444}</style></head><body>\n"
    "<h1>Orrery: predicted against measured</h1>\n"
    "<p>Published runs, predicted without their measurements. A full dot is of tier A (nothing "
    "unknown that moves time by more than a few percent), a ring of tier B; hover for the run.</p>"
    "\n";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

// What the rows of one kind of table begin with: "source", "node".
std::string first_word(const std::string& text) { return text.substr(0, text.find_first_of(" ,")); }

// A heavier line where the scope changes its kind; `grouped` tables alone.
std::string html_table(const std::vector<Cells>& rows, bool grouped) {
  std::string out = "<table>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string tag = i == 0 ? "th" : "td";
    const bool starts = grouped && i > 1 && first_word(rows[i][0]) != first_word(rows[i - 1][0]);
    out += starts ? "<tr class=\"group\">" : "<tr>";
    for (const std::string& cell : rows[i]) {
      out += "<" + tag + ">" + escaped(cell) + "</" + tag + ">";
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string text_at(double x, double y, const std::string& text, const char* anchor = "middle") {
  return "<text x=\"" + decimals(x, 1) + "\" y=\"" + decimals(y, 1) + "\" text-anchor=\"" + anchor +
         "\">" + escaped(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const char* style) {
  return "<line x1=\"" + decimals(x1, 1) + "\" y1=\"" + decimals(y1, 1) + "\" x2=\"" +
         decimals(x2, 1) + "\" y2=\"" + decimals(y2, 1) + "\" " + style + "/>\n";
}

std::string dot(double x, double y, const char* colour, const std::string& title,
                RowTier tier = RowTier::a) {
  const std::string paint = tier == RowTier::a
                                ? "fill=\"" + std::string(colour) + "\" fill-opacity=\"0.6\""
                                : "fill=\"none\" stroke=\"" + std::string(colour) + "\"";
  return "<circle cx=\"" + decimals(x, 1) + "\" cy=\"" + decimals(y, 1) + "\" r=\"3\" " + paint +
         "><title>" + escaped(title) + "</title></circle>\n";
}

std::string open_svg() {
  return "<svg viewBox=\"0 0 " + decimals(kWide + 180, 0) + " " + decimals(kHigh, 0) +
         "\" width=\"" + decimals(kWide + 180, 0) +
         "\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\n";
}

using Colours = std::map<std::string, const char*>;

Colours colours_of(const std::vector<const JudgedRow*>& rows) {
  Colours colours;
  for (const JudgedRow* r : rows) colours[r->row.source.group] = "";
  std::size_t i = 0;
  for (auto& [source, colour] : colours) colour = kColours[i++ % kColours.size()];
  return colours;
}

std::string legend(const Colours& colours) {
  std::string out;
  double y = 30;
  for (const auto& [source, colour] : colours) {
    out += dot(kWide + 10, y - 4, colour, source) + text_at(kWide + 20, y, source, "start");
    y += 18;
  }
  return out;
}

std::string title_of(const JudgedRow& r) {
  return r.row.id + ": " + decimals(r.answer.step_time.si(), 3) + " s, measured " +
         decimals(r.published.time.si(), 3) + " s, " + signed_share_text(*time_error(r));
}

// Both axes logarithmic, over the same decades.
std::string scatter(const std::vector<const JudgedRow*>& rows, const Colours& colours) {
  double low = 1e9, high = 1e-9;
  for (const JudgedRow* r : rows) {
    for (const Seconds t : {r->answer.step_time, r->published.time}) {
      low = std::min(low, std::floor(std::log10(t.si())));
      high = std::max(high, std::ceil(std::log10(t.si())));
    }
  }
  const auto x = [&](double log) {
    return kMargin + (kWide - 1.5 * kMargin) * (log - low) / (high - low);
  };
  const auto y = [&](double log) {
    return kHigh - kMargin - (kHigh - 1.5 * kMargin) * (log - low) / (high - low);
  };
  std::string out = open_svg();
  for (double decade = low; decade <= high; ++decade) {
    const std::string name = decimals(std::pow(10, decade), decade < 0 ? int(-decade) : 0) + " s";
    out += line(x(decade), y(low), x(decade), y(high), "stroke=\"#eee\"") +
           line(x(low), y(decade), x(high), y(decade), "stroke=\"#eee\"") +
           text_at(x(decade), y(low) + 16, name) + text_at(x(low) - 6, y(decade) + 4, name, "end");
  }
  out += line(x(low), y(low), x(high), y(high), "stroke=\"#888\"");
  for (const double share : {0.9, 1.1}) {
    const double shift = std::log10(share);
    out += line(x(low + std::max(0.0, -shift)), y(low + std::max(0.0, shift)),
                x(high - std::max(0.0, shift)), y(high - std::max(0.0, -shift)),
                "stroke=\"#bbb\" stroke-dasharray=\"4 3\"");
  }
  for (const JudgedRow* r : rows) {
    out += dot(x(std::log10(r->published.time.si())), y(std::log10(r->answer.step_time.si())),
               colours.at(r->row.source.group), title_of(*r), r->row.tier);
  }
  return out + text_at(x((low + high) / 2), kHigh - 16, "measured step time (dashed: ± 10 %)") +
         text_at(6, 20, "predicted step time", "start") + legend(colours) + "</svg>\n";
}

// Every row's error, a line of dots a source, cut at half and double.
std::string errors(const std::vector<const JudgedRow*>& rows, const Colours& colours) {
  const double most = std::log(2.0);
  const double left = 190;
  const auto x = [&](double log) {
    return left + (kWide - left) * (std::clamp(log, -most, most) + most) / (2 * most);
  };
  const double step =
      (kHigh - 2 * kMargin) / static_cast<double>(std::max<std::size_t>(1, colours.size()));
  std::string out = open_svg();
  for (const int percent : {-50, -30, -20, -10, 0, 10, 25, 50, 100}) {
    const double at = x(std::log(1 + percent / 100.0));
    const std::string name = (percent > 0 ? "+" : "") + std::to_string(percent) + " %";
    out += line(at, 20, at, kHigh - kMargin, percent == 0 ? "stroke=\"#888\"" : "stroke=\"#ddd\"") +
           text_at(at, kHigh - kMargin + 16, name);
  }
  double y = 30;
  for (const auto& [source, colour] : colours) {
    out += text_at(left - 10, y + 4, source, "end");
    std::size_t i = 0;
    for (const JudgedRow* r : rows) {
      if (r->row.source.group != source) continue;
      const double spread = static_cast<double>(i++ % 5) * 2.5 - 5;
      out += dot(x(std::log1p(*time_error(*r))), y + spread, colour, title_of(*r), r->row.tier);
    }
    y += step;
  }
  return out + text_at(x(0), kHigh - 16, "predicted / measured - 1") + "</svg>\n";
}

std::string html_section(const std::string& title, const std::vector<Cells>& table,
                         bool grouped = false) {
  return table.size() > 1 ? "<h2>" + title + "</h2>\n" + html_table(table, grouped) : "";
}

}  // namespace

std::string validation_html(const ValidationReport& report) {
  std::vector<const JudgedRow*> rows;
  for (const JudgedRow& r : report.rows) {
    if (time_error(r) && counts(r)) rows.push_back(&r);
  }
  std::string out = kPageHead;
  if (report.left_out) {
    out += "<p>Every row is predicted by constants fitted without its source.</p>\n";
  }
  if (!rows.empty()) {
    const Colours colours = colours_of(rows);
    out += scatter(rows, colours) + errors(rows, colours);
  }
  return out + html_section("Step time", time_table(report), true) +
         html_section("Choice of layout", sweep_table(report)) +
         html_section("Peak memory", memory_table(report), true) + "<p>" +
         escaped(fit_sentence(report)) + "</p>\n" + html_section("Rows", row_table(report)) +
         "</body></html>\n";
}

}  // namespace orrery
