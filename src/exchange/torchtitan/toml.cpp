// SPDX-License-Identifier: Apache-2.0
#include "exchange/torchtitan/toml.h"

// The library's code is compiled here, the only file that sees it, without what writes TOML.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// The library tells the compiler to assume that a key follows "[", and checks it afterwards: a file
// need not hold that, and an assumption that fails is undefined. Its checks alone are left.
#define TOML_ASSERT(expr) static_assert(true)
#if __has_include(<toml++/impl/preprocessor.hpp>)
#include <toml++/impl/preprocessor.hpp>
#else
#include <toml++/impl/preprocessor.h>
#endif
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expr) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "core/error.h"

namespace orrery {
namespace {

struct Leaf {
  toml::source_position at;
  ForeignSetting setting;
};

// A value that JSON has no word for.
template <class Value>
Json as_text(const Value& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

Json json_of(const toml::node& node);

Json json_of(const toml::array& array) {
  Json values = Json::array();
  for (const toml::node& each : array) values.push_back(json_of(each));
  return values;
}

Json json_of(const toml::table& table) {
  Json members = Json::object();
  for (const auto& [key, value] : table) members[std::string(key.str())] = json_of(value);
  return members;
}

Json json_of(const toml::node& node) {
  return node.visit([](const auto& n) -> Json {
    using Node = decltype(n);
    if constexpr (toml::is_array<Node> || toml::is_table<Node>) {
      return json_of(n);
    } else if constexpr (toml::is_floating_point<Node>) {
      return std::isfinite(n.get()) ? Json(n.get()) : as_text(n.get());
    } else if constexpr (toml::is_chronological<Node>) {
      return as_text(n.get());
    } else {
      return n.get();
    }
  });
}

void add_leaves(const toml::table& table, const std::string& prefix, std::vector<Leaf>& out) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      add_leaves(*inner, name + ".", out);
    } else {
      out.push_back({key.source().begin, {name, name, json_of(node)}});
    }
  }
}

// "Error while parsing table header: encountered end-of-file" from the colon's left side on.
std::string plain(std::string_view description) {
  constexpr std::string_view kStart = "Error while parsing ";
  if (description.substr(0, kStart.size()) == kStart) description.remove_prefix(kStart.size());
  return std::string(description);
}

[[noreturn]] void fail(const toml::parse_error& e, const std::string& file) {
  const toml::source_position at = e.source().begin;
  throw InputError(ErrorCode::malformed, file,
                   "line " + std::to_string(at.line) + ", column " + std::to_string(at.column),
                   plain(e.description()), "TOML");
}

}  // namespace

Settings read_toml(std::string_view text, const std::string& file) {
  const toml::parse_result document = toml::parse(text);
  if (!document) fail(document.error(), file);
  std::vector<Leaf> leaves;
  add_leaves(document.table(), "", leaves);
  std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) { return a.at < b.at; });
  Settings settings(file);
  for (Leaf& leaf : leaves) settings.add(std::move(leaf.setting));
  return settings;
}

}  // namespace orrery
