// SPDX-License-Identifier: Apache-2.0
#include "estimate/framework_document.h"

#include <utility>

#include "core/error.h"
#include "core/json_reader.h"
#include "estimate/given_document.h"
#include "parallel/framework_former.h"
#include "parallel/framework_keys.h"

namespace orrery {
namespace {

constexpr int kMostGenerations = 8;
const std::string kInherits(key_name<&FrameworkProfile::inherits>);

// Objects whose keys are taken one by one: groups of keys, `sources`, `options`.
bool is_joined(const std::string& name) {
  if (name == "sources" || name == "options") return true;
  for (const Key& k : kFrameworkKeys.keys) {
    if (k.name == name) return k.forms.front().kind == FormKind::object;
  }
  return false;
}

bool are_objects(const Json& value, const Json& whole, const std::string& key) {
  return value.is_object() && whole.contains(key) && whole[key].is_object();
}

// The keys of a group; a map among them, such as `host.forward`, is joined name by name.
void lay_group_over(const Json& child, Json& whole) {
  for (const auto& [key, value] : child.items()) {
    if (are_objects(value, whole, key)) {
      whole[key].update(value);
    } else {
      whole[key] = value;
    }
  }
}

void lay_over(const Json& child, Json& whole) {
  for (const auto& [key, value] : child.items()) {
    if (key == kInherits) continue;
    const bool joined = is_joined(key) && are_objects(value, whole, key);
    if (!joined) {
      whole[key] = value;
    } else if (key == "sources" || key == "options") {
      whole[key].update(value);
    } else {
      lay_group_over(value, whole[key]);
    }
  }
}

}  // namespace

Json with_inherited(const Json& profile, const std::string& file, const ConfigLookup& lookup,
                    std::vector<std::string>& notes) {
  Json own = profile;
  std::string own_file = file;
  std::vector<std::pair<Json, std::string>> generations;
  while (own.is_object() && own.contains(kInherits)) {
    Reader r(own, own_file);
    const Reader name = r.at(kInherits);
    if (static_cast<int>(generations.size()) == kMostGenerations) {
      name.fail("a profile that does not inherit from itself");
    }
    const GivenDocument parent =
        find_document(name, "framework", lookup.framework, lookup.framework_names);
    generations.emplace_back(std::move(own), std::move(own_file));
    own = parent.json;
    own_file = parent.file;
  }
  own = with_groups(own, own_file, notes);
  for (auto child = generations.rbegin(); child != generations.rend(); ++child) {
    lay_over(child->first, own);
    own = with_groups(own, child->second, notes);
  }
  return own;
}

Json with_inherited(const Json& profile, const std::string& file, const ConfigLookup& lookup) {
  std::vector<std::string> notes;
  return with_inherited(profile, file, lookup, notes);
}

}  // namespace orrery
