// SPDX-License-Identifier: Apache-2.0
#include "core/json_path.h"

namespace orrery {

std::vector<std::string> path_keys(const std::string& path) {
  std::vector<std::string> keys(1);
  for (const char c : path) {
    if (c == '.') {
      keys.emplace_back();
    } else {
      keys.back() += c;
    }
  }
  return keys;
}

bool set_at(Json& document, const std::string& path, const Json& value) {
  Json* at = &document;
  for (const std::string& key : path_keys(path)) {
    if (at->is_null()) *at = Json::object();
    if (!at->is_object()) return false;
    at = &(*at)[key];
  }
  *at = value;
  return true;
}

}  // namespace orrery
