// SPDX-License-Identifier: Apache-2.0
#include "validate/parameters.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/json_reader.h"
#include "estimate/run.h"
#include "validate/rows.h"

namespace orrery {
namespace {

constexpr double kMost = 10;          // of a change or its spread
constexpr double kDefaultBounds = 3;  // standard deviations of the prior

const FitField* find_field(const Reader& path, FitDocument document) {
  std::vector<std::string> known;
  for (const FitField& f : fit_fields()) {
    if (f.document != document) continue;
    if (f.path == path.text()) return &f;
    known.emplace_back(f.path);
  }
  path.fail(brief(path.json()), alternatives(known), nearest_name(path.text(), known));
}

std::vector<std::string> texts(const Reader& list) {
  std::vector<std::string> out;
  for (const Reader& item : list.items()) out.push_back(item.text());
  if (out.empty()) list.fail("nothing", "at least one");
  return out;
}

void read_bounds(Reader& r, FitParameter& p) {
  p.lowest = -kDefaultBounds * p.spread;
  p.highest = kDefaultBounds * p.spread;
  const std::optional<Reader> bounds = r.find("bounds");
  if (!bounds) return;
  const std::vector<Reader> ends = bounds->items();
  if (ends.size() != 2) bounds->fail("two changes, the least and the greatest");
  p.lowest = ends[0].number(-kMost, 0);
  p.highest = ends[1].number(0, kMost);
}

FitParameter read_parameter(Reader r) {
  FitParameter p;
  p.name = r.at("name").text();
  p.document = r.at("of").choice<FitDocument>();
  p.in = texts(r.at("in"));
  for (const Reader& path : r.at("paths").items()) p.fields.push_back(find_field(path, p.document));
  if (p.fields.empty()) r.at("paths").fail("nothing", "at least one path");
  if (auto v = r.find("change")) p.kind = v->choice<ChangeKind>();
  p.spread = r.at("spread").number(1e-6, kMost);
  if (auto v = r.find("fitted")) p.fitted = v->number(-kMost, kMost);
  read_bounds(r, p);
  static_cast<void>(r.at("source").text());
  r.reject_unknown();
  return p;
}

std::string_view name_of(const FitParameter& p, const Run& run) {
  switch (p.document) {
    case FitDocument::device:
      return run.cluster.device.name.view();
    case FitDocument::framework:
      return run.framework.name.view();
    case FitDocument::node:
      break;
  }
  return run.cluster.node.view();
}

}  // namespace

FitParameters read_parameters(std::string_view text, const std::string& file) {
  FitParameters out;
  out.file = file;
  out.document = parse_json(text, file);
  Reader root(out.document, file);
  std::set<std::string> names;
  for (const Reader& r : root.at("parameters").items()) {
    out.parameters.push_back(read_parameter(r));
    if (!names.insert(out.parameters.back().name).second) {
      Reader(r).at("name").fail("\"" + out.parameters.back().name + "\" a second time",
                                "a name of its own");
    }
  }
  if (auto v = root.find("never_fit")) {
    for (const Reader& item : v->items()) out.never_fit.push_back(item.text());
  }
  Reader noise = root.at("noise");
  for (std::size_t t = 0; t < out.noise.size(); ++t) {
    out.noise[t] = noise.at(std::string(kNamesOf<RowTier>[t])).number(1e-3, 1);
  }
  noise.reject_unknown();
  out.level_spread = root.at("level_spread").number(1e-3, 1);
  out.rows_per_source = root.at("rows_per_source").number(1, 1e6);
  out.identified_below = root.at("identified_below").number(0, 1);
  root.allow("source");
  root.reject_unknown();
  return out;
}

bool concerns(const FitParameter& p, const Run& run) {
  return std::find(p.in.begin(), p.in.end(), name_of(p, run)) != p.in.end();
}

void apply(const FitParameter& p, double change, Run& run) {
  for (const FitField* f : p.fields) f->apply(run, {p.kind, change, f->lowest, f->highest});
}

}  // namespace orrery
