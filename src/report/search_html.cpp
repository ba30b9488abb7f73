// SPDX-License-Identifier: Apache-2.0
#include "report/search_html.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/units.h"
#include "document/escape.h"
#include "estimate/workspace.h"
#include "report/search_page.h"
#include "report/search_text.h"
#include "report/strategy_words.h"

namespace orrery {
namespace {

class SearchPage {
 public:
  explicit SearchPage(const SearchReport& r) : r_(r), space_(r.request.space) {}

  Json data() {
    for (const Found& f : r_.answer.best) add(f, "best");
    for (const Found& f : r_.answer.front) add(f, "front");
    for (const Family& f : r_.answer.families) {
      if (f.best.place.unit >= 0) add(f.best, "family");
    }
    Json d;
    d["aims"] = Json::array();
    for (std::size_t i = 0; i < 2; ++i) d["aims"].push_back(aim(i).expression.text());
    d["axes"] = Json::array();
    for (std::size_t a = 0; a < axes(); ++a) d["axes"].push_back(axis_name(space_, a));
    d["terms"] = names(kNamesOf<Term>);
    d["memory"] = names(kNamesOf<MemoryLine>);
    d["capacity"] = static_cast<double>(r_.best[0].answer.capacity / kGiB);
    d["points"] = points_;
    d["heat"] = heat();
    return d;
  }

 private:
  std::size_t axes() const { return kSearchAxes + space_.outer.size(); }
  const Aim& aim(std::size_t i) const { return r_.request.conditions.pareto[i]; }

  template <class Names>
  static Json names(const Names& of) {
    Json list = Json::array();
    for (const auto& name : of) list.push_back(std::string(name));
    return list;
  }

  std::string value_text(const Found& f, std::size_t axis) const {
    if (axis >= kSearchAxes) {
      const std::size_t choice = space_.bases[f.place.base].choice[axis - kSearchAxes];
      return axis_text(space_, axis, static_cast<std::int64_t>(choice));
    }
    const auto a = static_cast<SearchAxis>(axis);
    if (a == SearchAxis::stage_layers) return f.strategy.even_stages ? "even" : "uneven";
    return text_of(a, value_of(f.strategy, a));
  }

  void add(const Found& f, const char* kind) {
    if (!drawn_.insert({f.place.unit, f.place.point.number}).second) return;
    Run run = space_.bases[f.place.base].run;
    run.strategy = f.strategy;
    const Answer a = estimate<double>(run, workspace_);
    Json p = {{"kind", kind},
              {"step", a.step_time.si()},
              {"peak", static_cast<double>(a.memory.peak / kGiB)},
              {"words", strategy_words(space_, f.place.base, f.strategy)}};
    p["aims"] = {aim(0).expression.value(run, a), aim(1).expression.value(run, a)};
    p["values"] = Json::array();
    for (std::size_t x = 0; x < axes(); ++x) p["values"].push_back(value_text(f, x));
    p["terms"] = Json::array();
    for (const Seconds t : a.breakdown) p["terms"].push_back(t.si());
    p["memory"] = Json::array();
    for (const Bytes b : a.memory.lines) p["memory"].push_back(static_cast<double>(b / kGiB));
    points_.push_back(std::move(p));
  }

  Json heat_cell(const Family& f) const {
    if (f.best.place.unit < 0) {
      const char* why = f.legal == 0 ? "illegal" : f.feasible == 0 ? "too big" : "refused";
      return {{"step", 0}, {"why", why}, {"words", why}};
    }
    return {{"step", f.best.step_time.si()},
            {"why", ""},
            {"words", strategy_words(space_, f.best.place.base, f.best.strategy) + ": " +
                          pretty(f.best.step_time)}};
  }

  Json heat() const {
    std::set<std::int64_t> xs;
    std::set<std::int64_t> ys;
    std::map<std::int64_t, const Family*> by_code;
    for (const Family& f : r_.answer.pairs) {
      xs.insert(AxisPair::x_of(f.value));
      ys.insert(AxisPair::y_of(f.value));
      by_code[f.value] = &f;
    }
    Json h = {{"x", axis_name(space_, r_.heat->x)}, {"y", axis_name(space_, r_.heat->y)}};
    h["xs"] = Json::array();
    h["ys"] = Json::array();
    h["cells"] = Json::array();
    for (const std::int64_t x : xs) h["xs"].push_back(axis_text(space_, r_.heat->x, x));
    for (const std::int64_t y : ys) {
      h["ys"].push_back(axis_text(space_, r_.heat->y, y));
      Json row = Json::array();
      for (const std::int64_t x : xs) {
        const auto at = by_code.find(AxisPair::code(x, y));
        row.push_back(at == by_code.end() ? Json() : heat_cell(*at->second));
      }
      h["cells"].push_back(std::move(row));
    }
    return h;
  }

  const SearchReport& r_;
  const Space& space_;
  Workspace workspace_;
  Json points_ = Json::array();
  std::set<std::pair<std::int64_t, std::int64_t>> drawn_;
};

std::string title(const SearchReport& r) {
  const Run& run = r.request.space.bases[0].run;
  return "Strategies for " + r.request.open.resolved.model.name + " on " +
         grouped(run.cluster.gpus) + " GPUs";
}

constexpr const char* kSections = R"(
<div class="two"><section><h2>Front</h2><p class="legend"><span><i style="background:#b3412e"></i>the best</span><span><i style="background:#3b78b5"></i>on the Pareto front</span><span><i style="background:#9aa5b1"></i>best with a value of an axis</span></p><svg id="scatter"></svg></section>
<section><h2>Two axes</h2><p>Dark is fast; what is empty is no combination.</p><svg id="heat"></svg></section></div>
<section><h2>The one that is picked</h2><p>Click a point, a line or a row.</p><svg id="bars"></svg></section>
<section><h2>Every axis</h2><svg id="parallel"></svg></section>
<section><h2>Table</h2><p>Click a head to sort.</p><div class="scroll"><table id="table"></table></div></section>
)";

}  // namespace

std::string search_html(const SearchReport& r) {
  const std::string name = html_escaped(title(r));
  std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                     name + "</title>\n<style>" + kSearchStyle + "</style></head><body>\n<h1>" +
                     name + "</h1>\n";
  if (!r.best.empty()) page += kSections;
  page += "<section><h2>In words</h2><pre>" + html_escaped(search_text(r, Style{})) +
          "</pre></section>\n";
  if (!r.best.empty()) {
    page += "<script>const D=" + script_escaped(SearchPage(r).data().dump()) + ";" + kSearchScript +
            "</script>\n";
  }
  return page + "</body></html>\n";
}

}  // namespace orrery
