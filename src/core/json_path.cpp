// SPDX-License-Identifier: Apache-2.0
#include "core/json_path.h"

#include <charconv>
#include <system_error>
#include <utility>

#include "core/json.h"

namespace orrery {
namespace {

// The element of a list by its number, or nullptr.
template <class List>
auto* element_at(List& list, const std::string& number) {
  std::size_t i = 0;
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, i);
  const bool is_one = read.ec == std::errc() && read.ptr == end && i < list.size();
  return is_one ? &list[i] : nullptr;
}

}  // namespace

std::vector<std::string> path_keys(std::string_view path) {
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

const Json& value_at(const Json& document, std::string_view path) {
  static const Json kNothing;
  const Json* at = &document;
  for (const std::string& key : path_keys(path)) {
    if (!at->is_object()) return kNothing;
    const auto found = at->find(key);
    if (found == at->end()) return kNothing;
    at = &*found;
  }
  return *at;
}

const Json* find_within(const Json& document, std::string_view path) {
  const Json* at = &document;
  for (const std::string& key : path_keys(path)) {
    if (at->is_array()) {
      at = element_at(*at, key);
      if (at == nullptr) return nullptr;
    } else if (at->is_object() && at->contains(key)) {
      at = &(*at)[key];
    } else {
      return nullptr;
    }
  }
  return at;
}

bool set_at(Json& document, std::string_view path, Json value) {
  Json* at = &document;
  for (const std::string& key : path_keys(path)) {
    if (at->is_null()) *at = Json::object();
    if (!at->is_object() && !at->is_array()) return false;
    at = at->is_array() ? element_at(*at, key) : &(*at)[key];
    if (at == nullptr) return false;
  }
  *at = std::move(value);
  return true;
}

bool lies_at(std::string_view path, std::string_view outer) {
  return path.starts_with(outer) &&
         (path.size() == outer.size() || path[outer.size()] == '.' || path[outer.size()] == '[');
}

void erase_at(Json& document, std::string_view path) {
  Json* at = &document;
  const std::vector<std::string> keys = path_keys(path);
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    if (!at->is_object() || !at->contains(keys[i])) return;
    at = &(*at)[keys[i]];
  }
  if (at->is_object()) at->erase(keys.back());
}

}  // namespace orrery
