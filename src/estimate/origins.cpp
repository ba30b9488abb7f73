// SPDX-License-Identifier: Apache-2.0
#include "estimate/origins.h"

#include <algorithm>
#include <map>

#include "core/fact_keys.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/key_words.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"

namespace orrery {
namespace {

template <auto Member>
std::vector<Fact> facts_at(Reader& root) {
  const std::optional<Reader> list = find_key<Member>(root);
  std::vector<Fact> facts;
  if (!list) return facts;
  for (const Reader& item : list->items()) facts.push_back(read_keys(kFactKeys, item));
  return facts;
}

bool is_key_of_run(const std::string& path) {
  const std::string first = path_keys(path).front();
  return std::any_of(kRunKeys.keys.begin(), kRunKeys.keys.end(),
                     [&](const Key& k) { return k.name == first; });
}

// A fact about a setting of another tool has no key here to compare with.
bool still_holds(const Fact& fact, const Json& inputs) {
  if (!is_key_of_run(fact.path)) return true;
  const Json& value = value_at(inputs, fact.path);
  return !value.is_null() && (bare_text(value) == fact.value || value == json_or_text(fact.value));
}

bool holds_values(const std::string& key) {
  return key != key_name<&RunRequest::name> && key != key_name<&RunRequest::assumed> &&
         key != key_name<&RunRequest::stated> && key != kSearchKey;
}

void add_leaves(const Json& value, const std::string& path, std::vector<Fact>& out) {
  if (!value.is_object()) {
    if (!value.is_null()) out.push_back({path, bare_text(value), "", Known::stated, ""});
    return;
  }
  for (const auto& [key, below] : value.items()) {
    const std::string name = path.empty() ? key : path + "." + key;
    if (!path.empty() || holds_values(key)) add_leaves(below, name, out);
  }
}

// The last fact about a key, or about what holds it.
const Fact* last_about(std::string_view path, const std::vector<Fact>& facts) {
  const auto found = std::find_if(facts.rbegin(), facts.rend(),
                                  [&](const Fact& f) { return lies_at(path, f.path); });
  return found == facts.rend() ? nullptr : &*found;
}

// The flag of a key or of what holds it, else --set.
std::string flag_above(std::string path) {
  while (true) {
    const std::string flag = flag_of_key(path);
    const std::size_t dot = path.rfind('.');
    if (!flag.empty()) return flag;
    if (dot == std::string::npos) return "--set";
    path.resize(dot);
  }
}

// The file's name, the same wherever the configurations lie. A question without a file reads as
// flags, whoever asks.
std::string place_of(const std::string& path, const std::string& file) {
  if (file == "command line" || file == "request") return flag_above(path);
  return file.substr(file.rfind('/') + 1);
}

// Takes each leaf of the document by who gave it.
void take_leaves(const Json& run, const std::vector<Fact>& places, ResolvedRun& out) {
  std::vector<Fact> leaves;
  add_leaves(run, "", leaves);
  for (Fact& leaf : leaves) {
    if (is_assumed(out.assumed, leaf.path) || is_assumed(out.recorded, leaf.path)) continue;
    leaf.where = place_of(leaf.path, out.file);
    if (const Fact* place = last_about(leaf.path, places)) {
      leaf.known = place->known;
      leaf.why = place->why;
      if (!place->where.empty()) leaf.where = place->where;
    }
    (leaf.known == Known::stated ? out.stated : out.recorded).push_back(std::move(leaf));
  }
  // The same order for a document and for flags.
  std::sort(out.stated.begin(), out.stated.end(),
            [](const Fact& a, const Fact& b) { return a.path < b.path; });
}

// Adds a default for each leaf of the resolved run that no fact is about yet.
class Remaining {
 public:
  explicit Remaining(ResolvedRun& out) : out_(out) {
    for (const std::vector<Fact>* facts : {&out.assumed, &out.recorded, &out.stated}) {
      for (const Fact& f : *facts) known_.push_back(f.path);
    }
    std::sort(known_.begin(), known_.end());
  }

  void take(const Json& value, const std::string& path) {
    if (std::binary_search(known_.begin(), known_.end(), path)) return;
    if (path == "model.trunk" && !out_.model.model_type.empty()) return;  // from its config.json
    if (!value.is_object()) {
      out_.assumed.push_back(
          {path, bare_text(value), "not given", Known::tool_default, kOurDefault});
      return;
    }
    for (const auto& [key, below] : value.items()) {
      take(below, path.empty() ? key : path + "." + key);
    }
  }

 private:
  ResolvedRun& out_;
  std::vector<std::string> known_;
};

}  // namespace

std::string flag_of_key(const std::string& path) {
  static const std::map<std::string, std::string> kFlags = [] {
    std::map<std::string, std::string> flags;
    for (const KeyLine& line : key_lines(kRunKeys)) flags[line.path] = line.key->flag.name;
    return flags;
  }();
  const auto own = kFlags.find(path);
  return own == kFlags.end() ? "" : own->second;
}

void take_origins(const Json& run, const std::vector<Fact>& changes, ResolvedRun& out) {
  Reader root(run, out.file);
  for (Fact& fact : facts_at<&RunRequest::assumed>(root)) {
    const bool changed = last_about(fact.path, changes) != nullptr;
    if (changed || is_assumed(out.assumed, fact.path)) continue;
    if (still_holds(fact, *out.inputs)) out.recorded.push_back(std::move(fact));
  }
  std::vector<Fact> places = facts_at<&RunRequest::stated>(root);
  for (Fact& place : places) place.known = Known::stated;
  places.insert(places.end(), changes.begin(), changes.end());
  take_leaves(run, places, out);
  Remaining(out).take(*out.inputs, "");
}

std::vector<Fact> assumed_facts(const ResolvedRun& r) {
  std::vector<Fact> all = r.recorded;
  all.insert(all.end(), r.assumed.begin(), r.assumed.end());
  return all;
}

const Fact* origin_of(const ResolvedRun& r, std::string_view path) {
  const Fact* best = nullptr;
  for (const std::vector<Fact>* facts : {&r.assumed, &r.recorded, &r.stated}) {
    for (const Fact& f : *facts) {
      const bool closer = best == nullptr || f.path.size() > best->path.size();
      if (lies_at(path, f.path) && closer) best = &f;
    }
  }
  return best;
}

}  // namespace orrery
