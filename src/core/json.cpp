// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/json_in.h"
#include "core/limits.h"
#include "core/quote.h"

namespace orrery {
namespace {

// Builds the document as nlohmann does, and watches for what nlohmann lets pass: keys given twice,
// and nesting without end. Its own parser with a callback takes the square of a list's length.
class StrictDocument {
 public:
  StrictDocument(std::string file, Json& document) : file_(std::move(file)), dom_(document, true) {}

  bool null() {
    return value([&] { return dom_.null(); });
  }
  bool boolean(bool x) {
    return value([&] { return dom_.boolean(x); });
  }
  bool number_integer(std::int64_t x) {
    return value([&] { return dom_.number_integer(x); });
  }
  bool number_unsigned(std::uint64_t x) {
    return value([&] { return dom_.number_unsigned(x); });
  }
  bool number_float(double x, const std::string& text) {
    return value([&] { return dom_.number_float(x, text); });
  }
  bool string(std::string& text) {
    return value([&] { return dom_.string(text); });
  }
  bool binary(Json::binary_t& bytes) {
    return value([&] { return dom_.binary(bytes); });
  }

  bool start_object(std::size_t size) {
    check_depth();
    keys_.emplace_back();
    ++depth_;
    return dom_.start_object(size);
  }
  bool key(std::string& name) {
    check_depth();
    note_key(name);
    return dom_.key(name);
  }
  bool end_object() {
    keys_.pop_back();
    --depth_;
    return dom_.end_object();
  }
  bool start_array(std::size_t size) {
    check_depth();
    ++depth_;
    return dom_.start_array(size);
  }
  bool end_array() {
    --depth_;
    return dom_.end_array();
  }
  template <class Exception>
  bool parse_error(std::size_t at, const std::string& token, const Exception& e) {
    return dom_.parse_error(at, token, e);
  }

 private:
  template <class Put>
  bool value(Put&& put) {
    check_depth();
    return put();
  }

  // A value within so many open brackets.
  void check_depth() const {
    if (depth_ < kDeepestNesting) return;
    throw InputError(ErrorCode::malformed, file_, "",
                     "nesting deeper than " + std::to_string(kDeepestNesting) + " levels",
                     "a flat document");
  }

  void note_key(const std::string& key) {
    if (keys_.back().size() >= kMostKeys) {
      throw InputError(ErrorCode::malformed, file_, "",
                       "an object of more than " + std::to_string(kMostKeys) + " keys",
                       "smaller objects");
    }
    if (!keys_.back().insert(key).second) {
      throw InputError(ErrorCode::malformed, file_, key,
                       "the key \"" + key + "\" twice in one object", "each key once");
    }
  }

  std::string file_;
  nlohmann::detail::json_sax_dom_parser<Json> dom_;
  std::vector<std::set<std::string>> keys_;
  int depth_ = 0;
};

// nlohmann's "[json.exception.parse_error.101] parse error at line 2, column 3: …" without its tag.
std::string untagged(const std::string& what) {
  const std::size_t end = what.find("] ");
  return end == std::string::npos ? what : what.substr(end + 2);
}

// Python writes the numbers that JSON lacks as words. In their place none, of the same length where
// it can be, so that positions in messages stay; nothing inside a string changes.
std::string without_python_numbers(std::string_view text) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = in_string && text[i] == '\\' && i + 1 < text.size();
    if (escaped) out += text[i++];
    if (text[i] == '"' && !escaped) in_string = !in_string;
    std::size_t length = 0;
    for (std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (!in_string && length == 0 && text.substr(i, word.size()) == word) length = word.size();
    }
    if (length == 0) {
      out += text[i];
      continue;
    }
    out += "null" + std::string(length - std::min<std::size_t>(4, length), ' ');
    i += length - 1;
  }
  return out;
}

Json parse_strict(std::string_view text, const std::string& file) {
  Json document;
  StrictDocument strict(file, document);
  Json::sax_parse(text.begin(), text.end(), &strict, Json::input_format_t::json, true, true);
  return document;
}

// A model's file of Hugging Face may have such numbers; ours may not.
std::optional<Json> parse_python(std::string_view text, const std::string& file) {
  const bool has_any =
      text.find("Infinity") != std::string_view::npos || text.find("NaN") != std::string_view::npos;
  if (!has_any || text.find("\"model_type\"") == std::string_view::npos) return {};
  try {
    return parse_strict(without_python_numbers(text), file);
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& file) {
  if (text.size() > kLongestDocument) {
    throw InputError(ErrorCode::malformed, file, "",
                     "a document of " + std::to_string(text.size()) + " bytes",
                     "up to " + std::to_string(kLongestDocument) + " bytes");
  }
  try {
    const std::optional<Json> python = parse_python(text, file);
    Json document = python ? *python : parse_strict(text, file);
    if (document.is_object()) document.erase("$schema");
    return document;
  } catch (const Json::exception& e) {
    throw InputError(ErrorCode::malformed, file, "", untagged(e.what()),
                     "JSON (// comments are allowed)");
  }
}

namespace {

// Counts levels and the keys of each open object, as far as brackets and colons show them: a text
// that is no JSON is refused by the parser.
class Bounds {
 public:
  bool hold(std::string_view text) {
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quoted) {
        if (c == '\\') ++i;
        quoted = c != '"';
      } else if (c == '"') {
        quoted = true;
      } else if (!takes(c)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool takes(char c) {
    if (c == '{' || c == '[') {
      if (++depth_ > kDeepestWrapped) return false;
      keys_.at(static_cast<std::size_t>(depth_)) = 0;
    } else if (c == '}' || c == ']') {
      return --depth_ >= 0;
    } else if (c == ':') {
      return ++keys_.at(static_cast<std::size_t>(depth_)) <= kMostKeys;
    }
    return true;
  }

  int depth_ = 0;
  std::array<std::size_t, kDeepestWrapped + 1> keys_{};
};

}  // namespace

std::optional<Json> json_in(std::string_view text) {
  if (!Bounds().hold(text)) return {};
  Json parsed = Json::parse(text.begin(), text.end(), nullptr, false);
  if (parsed.is_discarded()) return {};
  return parsed;
}

Json json_or_text(const std::string& text) {
  try {
    return parse_json(text, "value");
  } catch (const InputError&) {
    return text;
  }
}

namespace {

// 1e12 as people write it, not 1000000000000.0.
std::string without_zeros(std::string number) {
  constexpr std::size_t kMany = 6;
  if (!number.ends_with(".0")) return number;
  const std::size_t last = number.find_last_not_of(".0");
  const std::size_t zeros = number.size() - 3 - last;
  if (last == std::string::npos || zeros < kMany) return number;
  return number.substr(0, last + 1) + "e" + std::to_string(zeros);
}

}  // namespace

constexpr std::size_t kLongestBrief = 60;

std::string brief(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array of " + std::to_string(value.size());
  if (value.is_number_float()) return without_zeros(value.dump());
  // Invalid UTF-8 is shown with replacement characters, never thrown.
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return quote(text, kLongestBrief);
}

namespace {

// Stands in JSON as it is.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

void append_text(const std::string& words, std::string& text) {
  if (is_plain(words)) {
    text.append(1, '"').append(words).append(1, '"');
  } else {
    text += Json(words).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

// The digits are those of dump(), which calls the same function.
void append_float(double x, std::string& text) {
  if (!std::isfinite(x)) {
    text += "null";
    return;
  }
  std::array<char, 64> digits{};
  const char* end = nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), x);
  text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void append_members(const Json& object, std::string& text) {
  char before = '{';
  for (const auto& [key, value] : object.get_ref<const Json::object_t&>()) {
    text += before;
    append_text(key, text);
    text += ':';
    append_json(value, text);
    before = ',';
  }
  text += object.empty() ? "{}" : "}";
}

void append_items(const Json& array, std::string& text) {
  char before = '[';
  for (const Json& item : array) {
    text += before;
    append_json(item, text);
    before = ',';
  }
  text += array.empty() ? "[]" : "]";
}

}  // namespace

void append_json(const Json& value, std::string& text) {
  switch (value.type()) {
    case Json::value_t::object:
      return append_members(value, text);
    case Json::value_t::array:
      return append_items(value, text);
    case Json::value_t::string:
      return append_text(value.get_ref<const std::string&>(), text);
    case Json::value_t::number_float:
      return append_float(value.get<double>(), text);
    case Json::value_t::number_integer:
      text += std::to_string(value.get<std::int64_t>());
      return;
    case Json::value_t::number_unsigned:
      text += std::to_string(value.get<std::uint64_t>());
      return;
    case Json::value_t::null:
    case Json::value_t::boolean:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      text += value.dump();
  }
}

std::string bare_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);  // bytes that are no UTF-8
}

void merge_over(Json& base, const Json& change) {
  if (!base.is_object() || !change.is_object()) {
    base = change;
    return;
  }
  for (auto it = change.begin(); it != change.end(); ++it) {
    if (base.contains(it.key())) {
      merge_over(base[it.key()], it.value());
    } else {
      base[it.key()] = it.value();
    }
  }
}

KeptJson::KeptJson(Json document) : kept_(std::make_shared<const Json>(std::move(document))) {}

const Json& KeptJson::operator*() const {
  static const Json kNull;
  return kept_ ? *kept_ : kNull;
}

}  // namespace orrery
