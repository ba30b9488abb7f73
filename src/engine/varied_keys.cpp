// SPDX-License-Identifier: Apache-2.0
#include "engine/varied_keys.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "engine/overrides.h"

namespace orrery {
namespace {

constexpr const char* kAllowed = "KEY=VALUE,VALUE,… of a path or a flag of a run: tp=1,2,4";

std::string path_of_key(const std::string& key) {
  if (key.find('.') != std::string::npos || key == "model" || key == "framework") return key;
  std::string flag = key.starts_with("--") ? key : "--" + key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  std::vector<std::string> names;
  for (const RunFlag& f : run_flags()) {
    if (f.name == flag) return f.path;
    names.push_back(std::string(f.name).substr(2));
  }
  throw InputError(ErrorCode::unknown_key, "--vary " + key, "", "the key \"" + key + "\"",
                   "a path of a run file or a flag of a run", nearest_name(key, names));
}

std::optional<std::int64_t> whole_in(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && n > 0 ? std::optional(n) : std::nullopt;
}

// "64..512": 64, 128, 256, 512.
bool add_doublings(std::string_view text, Json& values) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return false;
  const auto from = whole_in(text.substr(0, dots));
  const auto to = whole_in(text.substr(dots + 2));
  if (!from || !to || *from > *to) return false;
  for (std::int64_t n = *from; n <= *to; n *= 2) {
    values.push_back(n);
    if (n > *to / 2) break;
  }
  return true;
}

Json values_of(const std::string& path, const std::string& text) {
  if (text.starts_with('[')) return parse_json(text, "--vary " + path);
  Json values = Json::array();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string value = text.substr(begin, end - begin);
    if (value.empty()) throw InputError("--vary " + path, "", "an empty value", kAllowed);
    if (!add_doublings(value, values))
      values.push_back(make_override("--vary " + path, path, value).value);
    begin = end + 1;
  }
  return values;
}

}  // namespace

Json varied_axes(const std::vector<std::string>& varied) {
  Json axes = Json::object();
  for (const std::string& text : varied) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("--vary", "", "\"" + text + "\"", kAllowed);
    const std::string path = path_of_key(text.substr(0, equals));
    if (axes.contains(path)) throw InputError("--vary", path, "a key that is varied twice", "once");
    axes[path] = values_of(path, text.substr(equals + 1));
  }
  return axes;
}

}  // namespace orrery
