// SPDX-License-Identifier: Apache-2.0
#include "estimate/framework_document.h"

#include "core/error.h"
#include "core/json_path.h"
#include "core/json_reader.h"
#include "estimate/given_document.h"
#include "parallel/framework_keys.h"

namespace orrery {
namespace {

constexpr int kMostGenerations = 8;
const std::string kInherits(key_name<&FrameworkProfile::inherits>);

void join(const Json& own, Json& inherited, const char* key) {
  if (!own.contains(key) || !own[key].is_object()) return;
  const Json& known = value_at(inherited, key);
  Json joined = known.is_object() ? known : Json::object();
  joined.update(own[key]);
  inherited[key] = std::move(joined);
}

}  // namespace

Json with_inherited(const Json& profile, const std::string& file, const ConfigLookup& lookup) {
  if (!profile.is_object() || !profile.contains(kInherits)) return profile;
  Json own = profile;
  std::string own_file = file;
  std::vector<Json> generations;
  while (own.contains(kInherits)) {
    Reader r(own, own_file);
    const Reader name = r.at(kInherits);
    if (static_cast<int>(generations.size()) == kMostGenerations) {
      name.fail("a profile that does not inherit from itself");
    }
    const GivenDocument parent =
        find_document(name, "framework", lookup.framework, lookup.framework_names);
    generations.push_back(std::move(own));
    own = parent.json;
    own_file = parent.file;
  }
  for (auto child = generations.rbegin(); child != generations.rend(); ++child) {
    Json whole = std::move(own);
    join(*child, whole, "sources");
    join(*child, whole, "options");
    for (const auto& [key, value] : child->items()) {
      if (key != "sources" && key != "options" && key != kInherits) whole[key] = value;
    }
    own = std::move(whole);
  }
  return own;
}

}  // namespace orrery
