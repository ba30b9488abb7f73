// SPDX-License-Identifier: Apache-2.0
#include "validate/config_changes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/error.h"
#include "estimate/config_lookup.h"
#include "parallel/framework_kernel_keys.h"
#include "validate/config_text.h"

namespace orrery {
namespace {

constexpr const char* kSources = "sources";
constexpr std::string_view kLevelFactor = key_path<&FrameworkLevel::factor>;
constexpr const char* kUnmoved = "its prior, which no published run moves";
constexpr double kSmallest = 0.005;  // change worth writing: less is lost in the digits

std::string digits(double x, const char* format = "%.3g") {
  char text[32];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

// "40 ms" as "42 ms"; a number as a number.
std::string changed_value(const std::string& raw, const Change& change) {
  if (raw.front() != '"') return digits(change(std::stod(raw)));
  std::size_t used = 0;
  const double value = std::stod(raw.substr(1), &used);
  const Change unbounded{change.kind, change.by, 0, HUGE_VAL};
  return "\"" + digits(unbounded(value)) + raw.substr(1 + used);
}

// A profile without a level of its own gets the one that changes nothing.
void insert_level_factor(std::string& profile) {
  const KeyPath path = dotted_path(std::string(kLevelFactor));
  const std::string& group = path.front();
  if (value_at(profile, {group}).empty()) insert_key(profile, {}, group, "{}");
  insert_key(profile, {group}, path.back(), "1");
}

class Editor {
 public:
  Editor(const FitRuns& runs, const ConstantsFit& fit, const ConfigLookup& lookup)
      : runs_(runs), fit_(fit), lookup_(lookup) {}

  ConfigChanges take(const std::string& parameters_text) {
    out_.parameters = parameters_text;
    for (std::size_t k = 0; k < fit_.constants.size(); ++k) add(k);
    for (auto& [key, text] : texts_) out_.documents.push_back({key.first, key.second, text});
    return std::move(out_);
  }

 private:
  void add(std::size_t k) {
    const FitParameter& p = runs_.parameters.parameters[k];
    const double now = fit_.constants[k].pinned ? fit_.constants[k].change : 0;
    const double rounded = std::stod(digits(now, "%.4f"));
    if (std::abs(rounded - p.fitted) < kSmallest) return;
    for (const std::string& name : p.in) {
      std::string& text = text_of(p.document, name);
      for (const FitField* f : p.fields) {
        change(text, p, *f, name, {p.kind, rounded - p.fitted, f->lowest, f->highest});
        say(text, *f, k, rounded);
      }
    }
    note_fitted(p.name, rounded);
  }

  std::string& text_of(FitDocument kind, const std::string& name) {
    const auto found = texts_.find({kind, name});
    if (found != texts_.end()) return found->second;
    return texts_[{kind, name}] = original(kind, name);
  }

  std::string original(FitDocument kind, const std::string& name) const {
    if (kind != FitDocument::framework) {
      const bool node = kind == FitDocument::node;
      if (auto t = lookup_.hardware.find(node ? HardwareKind::node : HardwareKind::device, name)) {
        return t->text;
      }
    } else if (auto t = lookup_.framework(name)) {
      return t->text;
    }
    throw InputError(runs_.parameters.file, "parameters", "\"" + name + "\"",
                     std::string("a ") + std::string(name_of(kind)));
  }

  // A curve's numbers change together, but for the length they refer to.
  void change(std::string& text, const FitParameter& p, const FitField& f, const std::string& name,
              const Change& by) {
    std::vector<KeyPath> paths;
    const KeyPath path = dotted_path(std::string(f.path));
    const std::string raw = value_at(text, path);
    if (raw.empty() && f.path == kLevelFactor) {
      insert_level_factor(text);
    } else if (raw.empty()) {
      return;  // a device without this precision or kernel
    }
    if (!raw.empty() && raw.front() == '{') {
      for (const char* pass : {"forward", "backward"}) {
        for (const std::int64_t head : kAttentionHeadSizes) {
          KeyPath inner = path;
          inner.insert(inner.end(), {pass, std::to_string(head)});
          paths.push_back(inner);
        }
      }
    } else {
      paths.push_back(path);
    }
    for (const KeyPath& at : paths) change_one(text, p, name, at, by);
  }

  void change_one(std::string& text, const FitParameter& p, const std::string& name,
                  const KeyPath& at, const Change& by) {
    const std::string from = value_at(text, at);
    if (from.empty()) return;
    const std::string to = changed_value(from, by);
    if (from == to) return;
    replace_value(text, at, to);
    std::string path;
    for (const std::string& key : at) path += (path.empty() ? "" : ".") + key;
    const std::string kind(name_of(p.document));
    out_.changes.push_back({kind + " " + name, path, from, to});
  }

  // A source of its own for the path, with that of the value before the first fit.
  void say(std::string& text, const FitField& f, std::size_t k, double change) {
    const std::string path(f.path);
    if (value_at(text, dotted_path(path)).empty()) return;
    const KeyPath own = {kSources, path};
    const std::string before = value_at(text, own);
    const Json source = source_of(k, change, before.empty() ? Json() : Json::parse(before));
    if (!before.empty()) {
      replace_value(text, own, source.dump());
      return;
    }
    if (value_at(text, {kSources}).empty()) insert_key(text, {}, kSources, "{}");
    insert_key(text, {kSources}, path, source.dump());
  }

  Json source_of(std::size_t k, double change, const Json& before) const {
    const bool is_fit = before.is_object() && before.contains("prior");
    const Json prior = is_fit ? Json(before["prior"]) : before;
    Json on = Json::array();
    for (const MovedBy& m : fit_.constants[k].moved_by) {
      if (on.size() == kMovers || m.share < 0.05) break;
      on.push_back(m.source);
    }
    if (change == 0 || on.empty()) {
      return prior.is_null() ? Json{{"kind", "assumed"}, {"source", kUnmoved}} : prior;
    }
    Json source = {{"kind", "fitted"},
                   {"on", on},
                   {"source", "by orrery validate --fit; change of the prior " + digits(change)}};
    if (!prior.is_null()) source["prior"] = prior;
    return source;
  }

  // In the table of parameters, one object a line: the one with this name.
  void note_fitted(const std::string& name, double change) {
    const std::size_t at = out_.parameters.find("\"name\": " + Json(name).dump());
    if (at == std::string::npos) return;
    const std::string key = "\"fitted\": ";
    const std::size_t next = out_.parameters.find("\"name\": ", at + 1);
    const std::size_t begin = out_.parameters.find(key, at);
    if (begin == std::string::npos || begin > next) return;
    const std::size_t end = out_.parameters.find_first_of(",}", begin);
    out_.parameters.replace(begin + key.size(), end - begin - key.size(), digits(change, "%.4g"));
  }

  const FitRuns& runs_;
  const ConstantsFit& fit_;
  const ConfigLookup& lookup_;
  ConfigChanges out_;
  std::map<std::pair<FitDocument, std::string>, std::string> texts_;
};

}  // namespace

ConfigChanges config_changes(const FitRuns& runs, const ConstantsFit& fit,
                             const ConfigLookup& lookup, const std::string& parameters_text) {
  return Editor(runs, fit, lookup).take(parameters_text);
}

}  // namespace orrery
