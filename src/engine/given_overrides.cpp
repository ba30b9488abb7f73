// SPDX-License-Identifier: Apache-2.0
#include "engine/given_overrides.h"

namespace orrery {
namespace {

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::optional<Override> given_override(Request& request, const std::string& key,
                                       const std::string& path) {
  const auto value = request.find(key);
  if (!value) return {};
  if (request.asker() == Asker::flags && value->json().is_string()) {
    return make_override(request.named(key), path, value->text());
  }
  return Override{request.named(key) + " " + text_of(value->json()), path, value->json()};
}

std::vector<Override> given_sets(Request& request) {
  const auto sets = request.find("set");
  std::vector<Override> list;
  if (!sets) return list;
  if (!sets->json().is_object()) {
    for (const std::string& text : request.texts("set")) list.push_back(parse_set(text));
    return list;
  }
  for (const auto& [path, value] : sets->json().items()) {
    Override o = parse_set(path + "=" + text_of(value));
    o.value = value;
    list.push_back(std::move(o));
  }
  return list;
}

}  // namespace orrery
