// SPDX-License-Identifier: Apache-2.0
#include "exchange/torchtitan/toml.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace orrery {
namespace {

class Toml {
 public:
  Toml(std::string_view text, const std::string& file) : text_(text), settings_(file) {}

  Settings read() {
    for (skip_blank(); at_ < text_.size(); skip_blank()) {
      if (text_[at_] == '[') {
        read_table();
      } else {
        read_pair();
      }
      end_line();
    }
    return std::move(settings_);
  }

 private:
  [[noreturn]] void fail(const std::string& found, const std::string& allowed) const {
    const auto line =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw InputError(settings_.file(), "line " + std::to_string(line + 1), found, allowed);
  }

  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_spaces() {
    while (now() == ' ' || now() == '\t' || now() == '\r') ++at_;
  }

  void skip_comment() {
    if (now() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }

  void skip_blank() {
    for (std::size_t before = std::string_view::npos; before != at_;) {
      before = at_;
      skip_spaces();
      skip_comment();
      if (now() == '\n') ++at_;
    }
  }

  void end_line() {
    skip_spaces();
    skip_comment();
    if (at_ < text_.size() && now() != '\n') fail("more text in the line", "one key and its value");
  }

  std::string key() {
    const std::size_t start = at_;
    while (std::isalnum(static_cast<unsigned char>(now())) != 0 || now() == '_' || now() == '-' ||
           now() == '.') {
      ++at_;
    }
    if (at_ == start) fail("no key", "a key of letters, digits, _, - and dots");
    return std::string(text_.substr(start, at_ - start));
  }

  void read_table() {
    ++at_;
    if (now() == '[') fail("an array of tables", "[table]");
    table_ = key() + ".";
    if (now() != ']') fail("a table that does not end", "[table]");
    ++at_;
  }

  void read_pair() {
    const std::string name = table_ + key();
    skip_spaces();
    if (now() != '=') fail("no =", "key = value");
    ++at_;
    skip_spaces();
    if (settings_.has(name)) fail(name + " twice", "each key once");
    settings_.add({name, name, value(true)});
  }

  Json value(bool array_allowed) {
    if (now() == '"' || now() == '\'') return text();
    if (now() == '[') {
      if (!array_allowed) fail("an array in an array", "a list of plain values");
      return array();
    }
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n,]#").find(now()) == std::string_view::npos) {
      ++at_;
    }
    std::string word(text_.substr(start, at_ - start));
    if (word == "true" || word == "false") return word == "true";
    const std::string plain = word;
    word.erase(std::remove(word.begin(), word.end(), '_'), word.end());
    const auto x = parse_number(word);
    if (!x) fail("\"" + plain + "\"", "a text in quotes, a number, true, false or a list of these");
    return *x;
  }

  Json text() {
    const char quote = text_[at_++];
    std::string value;
    for (; now() != quote; ++at_) {
      if (at_ >= text_.size() || now() == '\n')
        fail("a quote that does not end", "text in one line");
      const bool escaped = quote == '"' && now() == '\\';
      if (escaped && ++at_ >= text_.size()) fail("a quote that does not end", "text in one line");
      value += text_[at_];
    }
    ++at_;
    return value;
  }

  Json array() {
    Json values = Json::array();
    ++at_;
    for (skip_blank(); now() != ']'; skip_blank()) {
      if (at_ >= text_.size()) fail("a list that does not end", "]");
      values.push_back(value(false));
      skip_blank();
      if (now() == ',') {
        ++at_;
      } else if (now() != ']') {
        fail("no comma", "values with commas between them, then ]");
      }
    }
    ++at_;
    return values;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string table_;
  Settings settings_;
};

}  // namespace

Settings read_toml(std::string_view text, const std::string& file) {
  return Toml(text, file).read();
}

}  // namespace orrery
