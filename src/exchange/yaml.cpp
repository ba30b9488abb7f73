// SPDX-License-Identifier: Apache-2.0
#include "exchange/yaml.h"

#ifdef ORRERY_HAS_YAML
#include <yaml-cpp/yaml.h>
#endif

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <vector>

#include "core/error.h"
#include "core/limits.h"
#include "core/units.h"
#include "exchange/text_lines.h"

namespace orrery {

namespace {

struct Word {
  std::string_view text;
  int value;  // -1: null
};
constexpr std::array kWords = {
    Word{"", -1},    Word{"~", -1},    Word{"null", -1}, Word{"yes", 1}, Word{"no", 0},
    Word{"true", 1}, Word{"false", 0}, Word{"on", 1},    Word{"off", 0},
};

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// The three spellings: no, No, NO.
bool is_spelled(std::string_view text, std::string_view low) {
  const bool capital = text.size() == low.size() && lower(text) == low;
  if (!capital) return false;
  const bool upper =
      std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::islower(c) != 0; });
  const bool rest_low = std::none_of(text.begin() + (text.empty() ? 0 : 1), text.end(),
                                     [](unsigned char c) { return std::isupper(c) != 0; });
  return upper || rest_low;
}

bool all_of(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

Json whole(std::string_view digits, int base, bool negative) {
  std::string plain(digits);
  plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  std::int64_t x = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), x, base);
  if (error != std::errc() || end != plain.data() + plain.size()) return std::string(digits);
  return negative ? -x : x;
}

// Nothing where it is no number of YAML 1.1.
Json number_of(std::string_view text) {
  const bool negative = text.front() == '-';
  std::string_view t = text;
  if (negative || t.front() == '+') t.remove_prefix(1);
  if (t.substr(0, 2) == "0x" && all_of(t.substr(2), "0123456789abcdefABCDEF_")) {
    return whole(t.substr(2), 16, negative);
  }
  if (t.substr(0, 2) == "0b" && all_of(t.substr(2), "01_")) return whole(t.substr(2), 2, negative);
  if (t.size() > 1 && t.front() == '0' && all_of(t, "01234567_")) return whole(t, 8, negative);
  const bool digit = !t.empty() && std::isdigit(static_cast<unsigned char>(t.front())) != 0;
  if (digit && all_of(t, "0123456789_")) return whole(t, 10, negative);
  const std::size_t point = t.find('.');
  const bool fraction =
      point != std::string_view::npos && (digit || t.size() > 1) && all_of(t, "0123456789_.eE+-");
  if (!fraction || t.find_first_of("eE") < point) return {};
  std::string plain(text);
  plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  if (plain.front() == '+') plain.erase(0, 1);
  if (plain.back() == '.') plain += '0';
  const auto x = parse_number(plain);
  return x ? Json(*x) : Json();
}

Json scalar(const std::string& text) {
  for (const Word& w : kWords) {
    if (is_spelled(text, w.text)) return w.value < 0 ? Json() : Json(w.value == 1);
  }
  const Json number = number_of(text);
  return number.is_null() ? Json(text) : number;
}

}  // namespace

Json yaml_scalar(const std::string& text) { return scalar(text); }

#ifdef ORRERY_HAS_YAML
namespace {

class Conversion {
 public:
  explicit Conversion(const std::string& file) : file_(file) {}

  Json of(const YAML::Node& node, int depth) {
    if (depth > kDeepestNesting) fail(node.Mark(), "more than 64 levels", "fewer");
    if (++values_ > kMostValues) fail(node.Mark(), "more than 200,000 values", "fewer");
    if (node.IsSequence()) {
      Json values = Json::array();
      for (const YAML::Node& each : node) values.push_back(of(each, depth + 1));
      return values;
    }
    if (node.IsMap()) return mapping(node, depth);
    if (!node.IsScalar()) return {};
    // A file in place of a value, which the caller may have.
    if (node.Tag() == "!include") return kIncludes + node.Scalar();
    // "!" is the tag of a quoted text.
    const bool plain = node.Tag() != "!" && node.Tag() != "tag:yaml.org,2002:str";
    return plain ? scalar(node.Scalar()) : Json(node.Scalar());
  }

  // A document; a mapping of it that others merge (<<) is marked, since it may be there for them.
  Json document(const YAML::Node& node) {
    Json all = of(node, 0);
    if (!node.IsMap()) return all;
    for (const auto& pair : node) {
      const bool merged = std::any_of(merged_.begin(), merged_.end(),
                                      [&](const YAML::Node& m) { return m.is(pair.second); });
      if (merged && pair.first.IsScalar()) all[pair.first.Scalar()]["<<"] = "";
    }
    return all;
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& found,
                         const char* allowed = "YAML") const {
    throw InputError(ErrorCode::malformed, file_, "line " + std::to_string(mark.line + 1), found,
                     allowed);
  }

 private:
  Json mapping(const YAML::Node& node, int depth) {
    Json own = Json::object();
    Json merged = Json::object();
    for (const auto& pair : node) {
      const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "?";
      const Json value = of(pair.second, depth + 1);
      if (own.size() + merged_.size() >= kMostKeys) {
        fail(pair.first.Mark(), "a mapping of more than 4,096 keys", "smaller mappings");
      }
      if (key == "<<") {
        merge(value, merged);
        if (pair.second.IsMap()) merged_.push_back(pair.second);
      } else if (own.contains(key)) {
        fail(pair.first.Mark(), "the key \"" + key + "\" twice", "each key once");
      } else {
        own[key] = value;
      }
    }
    for (const auto& [key, value] : own.items()) merged[key] = value;
    return merged;
  }

  // The first of several mappings wins.
  static void merge(const Json& value, Json& into) {
    if (value.is_array()) {
      for (const Json& each : value) merge(each, into);
    } else if (value.is_object()) {
      for (const auto& [key, member] : value.items()) {
        if (!into.contains(key)) into[key] = member;
      }
    }
  }

  const std::string& file_;
  std::vector<YAML::Node> merged_;
  std::size_t values_ = 0;
};

}  // namespace

Json read_yaml(std::string_view text, const std::string& file) {
  Conversion conversion(file);
  if (text.size() > kLongestDocument) {
    throw InputError(ErrorCode::malformed, file, "",
                     "a document of " + std::to_string(text.size()) + " bytes", "up to 32 MiB");
  }
  // yaml-cpp takes it for the sign of an escape.
  if (text.find('\0') != std::string_view::npos) {
    throw InputError(ErrorCode::malformed, file, "", "a byte of value 0", "text");
  }
  try {
    return conversion.document(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& e) {
    conversion.fail(e.mark, e.msg.empty() ? "text that is no YAML" : e.msg);
  }
}
#else
namespace {

// {"": "no"} stands for the plain word `no`.
Json with_plain_words(const Json& value) {
  if (value.is_object() && value.size() == 1 && value.begin().key().empty()) {
    return scalar(value.begin()->get<std::string>());
  }
  Json out = value;
  for (Json& each : out) {
    if (out.is_structured()) each = with_plain_words(each);
  }
  return out;
}

// Reads what write_yaml() and the page's script write: `key: value`, or `key:` and deeper lines.
class Blocks {
 public:
  Blocks(std::string_view text, const std::string& file) : file_(file) {
    for (const std::string_view line : lines_of(text)) {
      if (!trimmed(line).empty()) lines_.push_back(line);
    }
  }

  Json mapping(std::size_t indent) {
    Json members = Json::object();
    while (next_ < lines_.size() && indent_of(lines_[next_]) == indent) {
      const std::string_view line = lines_[next_++].substr(indent);
      const bool block = line.back() == ':';
      const std::size_t colon = block ? line.size() - 1 : line.find(": ", end_of_quoted(line));
      if (colon == std::string_view::npos) refuse();
      const std::string key(line.substr(0, colon));
      Json& value = members[key.front() == '"' ? parse_json(key, file_).get<std::string>() : key];
      value = block ? deeper(indent) : value_of(line.substr(colon + 2));
    }
    if (indent == 0 && next_ < lines_.size()) refuse();
    return members;
  }

 private:
  // The end of the quoted text that a line begins with; 0 of another line.
  static std::size_t end_of_quoted(std::string_view line) {
    if (line.front() != '"') return 0;
    std::size_t at = 1;
    while (at < line.size() && line[at] != '"') at += line[at] == '\\' ? 2 : 1;
    return at;
  }

  static std::size_t indent_of(std::string_view line) { return line.find_first_not_of(' '); }

  Json deeper(std::size_t indent) {
    if (next_ == lines_.size() || indent_of(lines_[next_]) <= indent) refuse();
    return mapping(indent_of(lines_[next_]));
  }

  Json value_of(std::string_view text) const {
    const bool flow = text.find_first_of("\"[{") == 0;
    return flow ? with_plain_words(parse_json(text, file_)) : scalar(std::string(text));
  }

  [[noreturn]] void refuse() const {
    throw InputError(file_, "", "YAML", "JSON, TOML or a script: this build has no yaml-cpp");
  }

  const std::string& file_;
  std::vector<std::string_view> lines_;
  std::size_t next_ = 0;
};

}  // namespace

Json read_yaml(std::string_view text, const std::string& file) {
  return Blocks(text, file).mapping(0);
}
#endif

namespace {

// A number with an exponent has a point, without which YAML 1.1 takes it for text.
std::string written_number(const Json& value) {
  std::string text = value.dump();
  const std::size_t exponent = text.find('e');
  const bool bare = exponent != std::string::npos && text.find('.') == std::string::npos;
  return bare ? text.insert(exponent, ".0") : text;
}

std::string in_flow(const Json& value) {
  if (value.is_number_float()) return written_number(value);
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, each] : value.items()) {
    if (!text.empty()) text += ",";
    if (value.is_object()) text += Json(key).dump() + ":";
    text += in_flow(each);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

// Text stays plain where a reader takes it for nothing else.
std::string written(const Json& value) {
  if (!value.is_string()) return in_flow(value);
  const std::string& text = value.get_ref<const std::string&>();
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string::npos &&
                     std::isalpha(static_cast<unsigned char>(text[0])) != 0;
  return plain && yaml_scalar(text) == value ? text : value.dump();
}

std::string written_key(const std::string& key) {
  const bool plain = !key.empty() && key.find_first_not_of(kPlain) == std::string::npos &&
                     (std::isalnum(static_cast<unsigned char>(key[0])) != 0 || key[0] == '_');
  return plain ? key : Json(key).dump();
}

void write_members(const Json& mapping, const std::string& indent, std::string& text) {
  for (const auto& [key, value] : mapping.items()) {
    const bool block = value.is_object() && !value.empty();
    text += indent + written_key(key) + (block ? ":\n" : ": " + written(value) + "\n");
    if (block) write_members(value, indent + "  ", text);
  }
}

}  // namespace

std::string write_yaml(const Json& mapping) {
  std::string text;
  write_members(mapping, "", text);
  return text;
}

bool begins_as_yaml(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    const std::string_view t = trimmed(line);
    if (t.empty() || t.front() == '#' || t.substr(0, 3) == "---" || t.front() == '%') continue;
    if (line.front() == '\t') return false;
    const std::size_t colon = t.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    const bool ends = colon + 1 == t.size() || t[colon + 1] == ' ' || t[colon + 1] == '\t';
    const std::string_view key = t.substr(0, colon);
    return ends && key.find_first_of(" \t;|&()$=[]<>,") == std::string_view::npos;
  }
  return false;
}

}  // namespace orrery
