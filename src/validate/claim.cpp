// SPDX-License-Identifier: Apache-2.0
#include "validate/claim.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/json_reader.h"

namespace orrery {
namespace {

constexpr double kMostClaimed = 1e30;
constexpr std::size_t kMostPoints = 1000;

std::string text_or(Reader& r, const std::string& key) {
  const std::optional<Reader> found = r.find(key);
  return found ? found->text() : "";
}

std::vector<std::string> texts(Reader& r, const std::string& key) {
  std::vector<std::string> list;
  if (const auto found = r.find(key)) {
    for (const Reader& item : found->items()) list.push_back(item.text());
  }
  return list;
}

Json object_or_none(Reader& r, const std::string& key) {
  const std::optional<Reader> found = r.find(key);
  if (!found) return Json::object();
  found->must_be_object();
  return found->json();
}

// A name that an expression can say.
void must_be_name(const Reader& r, const std::string& name) {
  const auto is_fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool fine = !name.empty() && std::all_of(name.begin(), name.end(), is_fine) &&
                    (name[0] < '0' || name[0] > '9');
  if (!fine) r.fail("name \"" + name + "\"", "small letters, digits and _");
}

ClaimDocument read_document(Reader r, const std::string& name) {
  must_be_name(r, name);
  const std::vector<std::string> kinds = r.keys();
  if (kinds.size() != 1) {
    r.fail(std::to_string(kinds.size()) + " kinds", "one: {\"device\": \"NAME\"}");
  }
  return {name, kinds[0], r.at(kinds[0]).text()};
}

std::vector<ClaimDocument> read_documents(Reader& r) {
  std::vector<ClaimDocument> documents;
  std::optional<Reader> found = r.find("documents");
  if (!found) return documents;
  for (const std::string& name : found->keys()) {
    documents.push_back(read_document(found->at(name), name));
  }
  return documents;
}

ClaimRun read_run(Reader r, const std::string& name, const std::vector<ClaimRun>& before) {
  ClaimRun run;
  run.name = name;
  must_be_name(r, name);
  run.published = text_or(r, "published");
  if (!run.published.empty()) {  // measured as it stands: no change, which is an unknown key here
    r.reject_unknown();
    return run;
  }
  run.like = text_or(r, "like");
  if (run.like.empty()) {
    run.run = r.at("run").json();
    if (!run.run.is_object() && !run.run.is_string()) r.at("run").fail("a run file or its name");
  } else if (std::none_of(before.begin(), before.end(),
                          [&](const ClaimRun& b) { return b.name == run.like; })) {
    r.at("like").fail("\"" + run.like + "\"", "a run that stands before this one");
  }
  run.set = object_or_none(r, "set");
  r.reject_unknown();
  return run;
}

std::vector<ClaimRun> read_runs(Reader& r) {
  std::vector<ClaimRun> runs;
  std::optional<Reader> found = r.find("runs");
  if (!found) return runs;
  for (const std::string& name : found->keys()) {
    runs.push_back(read_run(found->at(name), name, runs));
  }
  return runs;
}

ClaimValue read_value(Reader r) {
  ClaimValue v;
  v.label = r.at("label").text();
  if (auto let = r.find("let")) {
    for (const std::string& name : let->keys()) {
      must_be_name(*let, name);
      v.let.emplace_back(name, let->at(name).number(-kMostClaimed, kMostClaimed));
    }
  }
  v.set = object_or_none(r, "set");
  r.reject_unknown();
  return v;
}

ClaimAxis read_axis(Reader r, const std::vector<ClaimRun>& runs) {
  ClaimAxis axis;
  axis.name = r.at("name").text();
  axis.why = r.at("why").text();
  for (const Reader& item : r.at("values").items()) {
    axis.values.push_back(read_value(item));
    for (const auto& [name, change] : axis.values.back().set.items()) {
      const bool known = std::any_of(runs.begin(), runs.end(), [&n = name](const ClaimRun& run) {
        return run.name == n && run.published.empty();
      });
      if (!known) {
        Reader(item).at("set").fail("run \"" + name + "\"",
                                    "a run of this claim that is not published");
      }
      if (!change.is_object()) Reader(item).at("set").at(name).fail("an object of paths");
    }
  }
  if (axis.values.empty()) r.at("values").fail("no value", "at least one");
  r.reject_unknown();
  return axis;
}

std::vector<ClaimAxis> read_map(Reader& r, const std::vector<ClaimRun>& runs) {
  std::vector<ClaimAxis> axes;
  std::size_t points = 1;
  const std::optional<Reader> found = r.find("map");
  if (!found) return axes;
  for (const Reader& item : found->items()) {
    axes.push_back(read_axis(item, runs));
    points *= axes.back().values.size();
    if (points > kMostPoints) found->fail("a larger map", "at most 1000 points");
  }
  return axes;
}

Expression expression_at(const Reader& r) { return parse_expression(r.text(), r.file(), r.path()); }

ClaimQuantity read_quantity(Reader r, const std::string& name) {
  must_be_name(r, name);
  if (r.json().is_string()) return {name, expression_at(r), "", "", {}};
  ClaimQuantity q{name, expression_at(r.at("is")), text_or(r, "unit"), text_or(r, "meaning"), {}};
  if (auto claimed = r.find("claimed")) q.claimed = claimed->number(-kMostClaimed, kMostClaimed);
  r.reject_unknown();
  return q;
}

ClaimCheck read_check(Reader r) {
  ClaimCheck c;
  c.text = r.at("text").text();
  c.not_checkable = text_or(r, "not_checkable");
  if (c.not_checkable.empty()) {
    c.holds = expression_at(r.at("holds"));
    if (c.holds->kind() == ExpressionKind::number) {
      r.at("holds").fail("a number", "a comparison");
    }
  }
  r.reject_unknown();
  return c;
}

void read_source(Reader r, Claim& c) {
  if (r.json().is_string()) {
    c.source = r.text();
    return;
  }
  c.source = r.at("title").text();
  c.url = text_or(r, "url");
  r.reject_unknown();
}

// Names of documents, runs and quantities are one space.
void check_names(const Reader& r, const Claim& c) {
  std::set<std::string> names;
  for (const ClaimRun& run : c.runs) names.insert(run.name);
  for (const ClaimDocument& d : c.documents) {
    if (!names.insert(d.name).second) r.fail("\"" + d.name + "\" twice", "a name of its own");
  }
  for (const ClaimQuantity& q : c.quantities) {
    if (!names.insert(q.name).second) r.fail("\"" + q.name + "\" twice", "a name of its own");
  }
}

}  // namespace

bool is_claim(const Json& document) { return document.is_object() && document.contains("checks"); }

Claim read_claim(std::string_view text, const std::string& file) {
  const Json document = parse_json(text, file);
  Reader r(document, file);
  r.must_be_object();
  Claim c;
  c.file = file;
  c.title = r.at("title").text();
  c.claim = r.at("claim").text();
  read_source(r.at("source"), c);
  c.assumptions = texts(r, "assumptions");
  c.documents = read_documents(r);
  c.runs = read_runs(r);
  c.axes = read_map(r, c.runs);
  if (auto compute = r.find("compute")) {
    for (const std::string& name : compute->keys()) {
      c.quantities.push_back(read_quantity(compute->at(name), name));
    }
  }
  for (const Reader& item : r.at("checks").items()) c.checks.push_back(read_check(item));
  if (c.checks.empty()) r.at("checks").fail("no check", "at least one");
  c.remarks = texts(r, "remarks");
  r.reject_unknown();
  check_names(r, c);
  return c;
}

}  // namespace orrery
