// SPDX-License-Identifier: Apache-2.0
#include "exchange/plain_yaml.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"
#include "exchange/yaml_text.h"

namespace orrery {
namespace {

constexpr int kYamlDepth = 64;
constexpr int kYamlValues = 200'000;
// Of one value in quotes or brackets, which is looked through anew with each of its lines.
constexpr std::size_t kYamlSize = 100'000;
constexpr std::size_t kYamlLines = 1'000;

struct YamlLine {
  std::size_t number = 0;
  std::size_t indent = 0;
  std::string_view text;  // without its indentation
  std::string_view whole;
};

bool is_dash(std::string_view text) {
  return text == "-" || begins_with(text, "- ") || begins_with(text, "-\t");
}

class PlainYaml {
 public:
  PlainYaml(std::string_view text, const std::string& file) : file_(file) {
    std::size_t number = 0;
    for (const std::string_view line : lines_of(text)) {
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      lines_.push_back({++number, indent, line.substr(indent), line});
    }
  }

  Json document() {
    while (next() && (begins_with(here().whole, "%") || is_mark("---"))) {
      if (is_mark("---") && !without_comment(here().text.substr(3)).empty()) {
        set_text(here().text.find_first_not_of(kYamlSpaces, 3));
        here().whole = here().text;
        break;
      }
      const bool is_start = is_mark("---");
      ++at_;
      if (is_start) break;
    }
    if (!next() || is_end()) return {};
    Json value = node(0);
    if (next() && !is_end()) fail("a text that belongs to nothing");
    return value;
  }

 private:
  YamlLine& here() { return lines_[at_]; }

  [[noreturn]] void fail(const std::string& found) {
    const std::size_t line = at_ < lines_.size() ? here().number : lines_.size();
    throw InputError(ErrorCode::malformed, file_, "line " + std::to_string(line), found, "YAML");
  }

  // To the next line that holds more than a comment.
  bool next() {
    while (at_ < lines_.size()) {
      const std::string_view text = trimmed(here().text);
      if (!text.empty() && text.front() != '#') {
        if (here().text.front() == '\t') fail("a tab as indentation");
        return true;
      }
      ++at_;
    }
    return false;
  }

  bool is_mark(std::string_view mark) {
    return here().whole.substr(0, 3) == mark && is_blank_at(here().whole, 3);
  }
  bool is_end() { return is_mark("---") || is_mark("..."); }

  // The rest of this line from `by`, as a line that begins there.
  void set_text(std::size_t by) {
    here().indent += by;
    here().text.remove_prefix(by);
  }

  void count(int depth) {
    if (depth > kYamlDepth) fail("more than 64 levels");
    if (++values_ > kYamlValues) fail("more than 200,000 values");
  }

  Json node(int depth) {
    count(depth);
    const std::size_t indent = here().indent;
    if (is_dash(here().text)) return list(indent, depth);
    if (begins_with(here().text, "? ")) fail("a key that is no text");
    if (colon_of(here().text) != std::string_view::npos) return mapping(indent, depth);
    // An indented value may stand at any column.
    return value(here().text, indent == 0 ? -1 : static_cast<std::int64_t>(indent) - 1, depth);
  }

  Json list(std::size_t indent, int depth) {
    Json values = Json::array();
    while (next() && !is_end() && here().indent == indent && is_dash(here().text)) {
      const std::size_t by = here().text.find_first_not_of(kYamlSpaces, 1);
      const bool empty = by == std::string_view::npos || here().text[by] == '#';
      if (!empty) set_text(by);
      const bool block =
          !empty && (is_dash(here().text) || colon_of(here().text) != std::string_view::npos);
      values.push_back(
          block ? node(depth + 1)
                : value(empty ? "" : here().text, static_cast<std::int64_t>(indent), depth + 1));
    }
    if (next() && !is_end() && here().indent > indent) fail("an indentation that fits nowhere");
    return values;
  }

  Json mapping(std::size_t indent, int depth) {
    Json own = Json::object();
    Json merged = Json::object();
    while (next() && !is_end() && here().indent == indent && !is_dash(here().text)) {
      const std::size_t colon = colon_of(here().text);
      if (colon == std::string_view::npos) fail("a line without a key");
      const std::string key = key_of(trimmed(here().text.substr(0, colon)));
      const Json member =
          value(here().text.substr(colon + 1), static_cast<std::int64_t>(indent), depth + 1, true);
      add_member(key, member, own, merged);
    }
    if (next() && !is_end() && here().indent > indent) fail("an indentation that fits nowhere");
    merged.update(own);
    return merged;
  }

  static void add_member(const std::string& key, const Json& member, Json& own, Json& merged) {
    if (key == "<<") {
      merge(member, merged);
    } else {
      own[key] = member;
    }
  }

  // Of several the first one counts.
  static void merge(const Json& from, Json& into) {
    if (from.is_array()) {
      for (const Json& each : from) merge(each, into);
    } else if (from.is_object()) {
      for (const auto& [key, member] : from.items()) {
        if (!into.contains(key)) into[key] = member;
      }
    }
  }

  std::string key_of(std::string_view text) {
    if (!text.empty() && is_quote(text.front())) return unquoted(text);
    return std::string(text);
  }

  // What stands behind a key, a dash or alone; `parent`: lines of it stand further right.
  Json value(std::string_view text, std::int64_t parent, int depth, bool in_mapping = false) {
    count(depth);
    std::string_view rest = trimmed(text);
    std::string anchor;
    bool is_text = false;
    while (!rest.empty() && (rest.front() == '&' || rest.front() == '!')) {
      const std::string_view word = rest.substr(0, rest.find_first_of(kYamlSpaces));
      if (word.front() == '&') anchor = word.substr(1);
      is_text = is_text || word == "!" || word == "!!str";
      rest = trimmed(rest.substr(word.size()));
    }
    const int before = values_;
    Json found = untagged(rest, parent, depth, in_mapping, is_text);
    if (!anchor.empty()) anchors_[anchor] = {found, values_ - before};
    return found;
  }

  Json untagged(std::string_view rest, std::int64_t parent, int depth, bool in_mapping,
                bool is_text) {
    if (without_comment(rest).empty()) return below(parent, depth, in_mapping);
    if (rest.front() == '|' || rest.front() == '>') return block_text(rest, parent);
    if (rest.front() == '*') return alias(without_comment(rest).substr(1));
    if (rest.front() == '[' || rest.front() == '{') return flow(rest, depth);
    if (is_quote(rest.front())) return quoted(rest);
    if (contains("@%`,]}", rest.substr(0, 1)) || is_dash(rest)) fail("a text that begins so");
    if (colon_of(rest) != std::string_view::npos) fail("a key within a text");
    const std::string plain = plain_text(rest, parent);
    return is_text ? Json(plain) : yaml_scalar(plain);
  }

  // A value on the lines below its key or dash.
  Json below(std::int64_t parent, int depth, bool in_mapping) {
    ++at_;
    if (!next() || is_end()) return {};
    const auto indent = static_cast<std::int64_t>(here().indent);
    const bool flush_list = in_mapping && indent == parent && is_dash(here().text);
    return indent > parent || flush_list ? node(depth) : Json();
  }

  Json alias(std::string_view name) {
    const auto known = anchors_.find(std::string(name));
    if (known == anchors_.end()) fail("*" + std::string(name) + ", which nothing before it names");
    ++at_;
    values_ += known->second.values;
    count(0);
    return known->second.value;
  }

  // Goes on over lines that stand further right.
  std::string plain_text(std::string_view rest, std::int64_t parent) {
    std::string text(without_comment(rest));
    bool ends = text.size() < rest.size();  // a comment ends it
    for (++at_; !ends && at_ < lines_.size(); ++at_) {
      const std::string_view line = trimmed(here().text);
      if (!line.empty() &&
          (line.front() == '#' || is_end() || static_cast<std::int64_t>(here().indent) <= parent)) {
        break;
      }
      if (colon_of(line) != std::string_view::npos) fail("a key within a text");
      const std::string_view more = without_comment(line);
      ends = more.size() < line.size();
      text += "\n" + std::string(more);
    }
    return folded(text);
  }

  // This line from `rest` and the lines below, to where `end` says; the rest of that line is a
  // comment.
  template <class End>
  std::string gathered(std::string_view rest, const End& end, const char* open) {
    std::string text(rest);
    const std::size_t from = at_;
    for (;;) {
      if (text.size() > kYamlSize || at_ - from > kYamlLines) fail("a value that is too long");
      const std::size_t behind = end(text);
      if (behind != std::string::npos) {
        if (!without_comment(std::string_view(text).substr(behind)).empty()) {
          fail("a text behind a value");
        }
        ++at_;
        return text.substr(0, behind);
      }
      if (++at_ == lines_.size()) fail(open);
      text += "\n" + std::string(here().text);
    }
  }

  std::string quoted(std::string_view rest) {
    return unquoted(gathered(
        rest, [](std::string_view text) { return behind_quoted(text); },
        "a quote without its end"));
  }

  std::string unquoted(std::string_view text) {
    const std::optional<std::string> inside = yaml_unquoted(text);
    if (!inside) fail("an escape that is none");
    return *inside;
  }

  // "|", "|-", ">+", "|2".
  std::string block_text(std::string_view rest, std::int64_t parent) {
    const std::string_view head = without_comment(rest);
    const std::size_t digit = head.find_first_of("123456789");
    const auto base = static_cast<std::size_t>(std::max<std::int64_t>(parent, 0));
    std::size_t indent =
        digit == std::string_view::npos ? 0 : base + static_cast<std::size_t>(head[digit] - '0');
    std::vector<std::string_view> lines;
    for (++at_; at_ < lines_.size(); ++at_) {
      const bool blank = trimmed(here().whole).empty();
      if (!blank && static_cast<std::int64_t>(here().indent) <= parent) break;
      if (!blank && indent == 0) indent = here().indent;
      if (!blank && here().indent < indent) break;
      lines.push_back(here().whole.substr(std::min(indent, here().whole.size())));
    }
    std::size_t size = lines.size();
    while (size > 0 && trimmed(lines[size - 1]).empty()) --size;
    std::string text = yaml_block({lines.data(), size}, head.front() == '>');
    if (!contains(head, "-") && size > 0) text += '\n';
    if (contains(head, "+")) text.append(lines.size() - size, '\n');
    return text;
  }

  // ---- flow form: the text from its bracket to the matching one

  Json flow(std::string_view rest, int depth) {
    const std::string text = gathered(
        rest, [](std::string_view t) { return behind_brackets(t); }, "a bracket left open");
    std::string_view left = text;
    return flow_value(left, depth);
  }

  static void skip(std::string_view& left) {
    for (;;) {
      left.remove_prefix(std::min(left.find_first_not_of(" \t\n"), left.size()));
      if (left.empty() || left.front() != '#') return;
      left.remove_prefix(std::min(left.find('\n'), left.size()));
    }
  }

  bool takes(std::string_view& left, char c) {
    skip(left);
    if (left.empty() || left.front() != c) return false;
    left.remove_prefix(1);
    return true;
  }

  Json flow_value(std::string_view& left, int depth) {
    count(depth);
    skip(left);
    if (left.empty()) fail("a value that is missing");
    if (takes(left, '[')) return flow_list(left, depth);
    if (takes(left, '{')) return flow_mapping(left, depth);
    const bool is_text = is_quote(left.front());
    const std::string text = flow_word(left);
    if (!is_text && begins_with(text, "*")) {
      --at_;  // alias() leaves a line behind it
      return alias(std::string_view(text).substr(1));
    }
    return is_text ? Json(text) : yaml_scalar(text);
  }

  std::string flow_word(std::string_view& left) {
    skip(left);
    if (!left.empty() && is_quote(left.front())) {
      const std::size_t behind = behind_quoted(left);
      if (behind == std::string_view::npos) fail("a quote without its end");
      const std::string text = unquoted(left.substr(0, behind));
      left.remove_prefix(behind);
      return text;
    }
    std::size_t end = 0;
    for (; end < left.size() && !contains(",[]{}", left.substr(end, 1)); ++end) {
      if (left[end] == ':' &&
          (is_blank_at(left, end + 1) || contains(",[]{}", left.substr(end + 1, 1)))) {
        break;
      }
      if (left[end] == '#' && end > 0 && is_blank_at(left, end - 1)) break;
    }
    const std::string text = folded(left.substr(0, end));
    left.remove_prefix(end);
    return text;
  }

  Json flow_list(std::string_view& left, int depth) {
    Json values = Json::array();
    while (!takes(left, ']')) {
      values.push_back(flow_value(left, depth + 1));
      if (!takes(left, ',') && (skip(left), left.substr(0, 1) != "]"))
        fail("a list without commas");
    }
    return values;
  }

  Json flow_mapping(std::string_view& left, int depth) {
    Json own = Json::object();
    Json merged = Json::object();
    while (!takes(left, '}')) {
      const std::string key = flow_word(left);
      const bool has_value = takes(left, ':') && (skip(left), !contains(",}", left.substr(0, 1)));
      add_member(key, has_value ? flow_value(left, depth + 1) : Json(), own, merged);
      if (!takes(left, ',') && (skip(left), left.substr(0, 1) != "}")) {
        fail("a mapping without commas");
      }
    }
    merged.update(own);
    return merged;
  }

  struct Anchor {
    Json value;
    int values = 0;
  };

  const std::string& file_;
  std::vector<YamlLine> lines_;
  std::size_t at_ = 0;
  std::map<std::string, Anchor> anchors_;
  int values_ = 0;
};

}  // namespace

Json read_plain_yaml(std::string_view text, const std::string& file) {
  return PlainYaml(text, file).document();
}

}  // namespace orrery
