// SPDX-License-Identifier: Apache-2.0
#include "exchange/arguments.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/expression.h"
#include "core/units.h"

namespace orrery {
namespace {

bool is_name(const std::string& word) {
  return word.size() > 2 && word.compare(0, 2, "--") == 0 &&
         std::isalpha(static_cast<unsigned char>(word[2])) != 0;
}

bool ends_values(const std::string& word) {
  static constexpr std::string_view kSigns[] = {";", "|", "&", "<", ">", "do", "done", "fi"};
  const bool program = word.size() > 3 && word.compare(word.size() - 3, 3, ".py") == 0;
  return program || std::find(std::begin(kSigns), std::end(kSigns), word) != std::end(kSigns);
}

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

Json value_of(const std::vector<std::string>& values) {
  if (values.empty()) return nullptr;
  if (values.size() == 1) return values[0];
  return Json(values);
}

void add_variable(const std::string& word, std::span<const std::string_view> variables,
                  Settings& settings) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return;
  const std::string name = word.substr(0, equals);
  if (std::find(variables.begin(), variables.end(), name) == variables.end()) return;
  settings.add({name, name, word.substr(equals + 1)});
}

constexpr std::size_t kLongestValue = 4096;
constexpr int kDeepest = 4;  // arguments within an assigned text within …

using Variables = std::map<std::string, std::string, std::less<>>;

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name(text[at])) ++at;
  return at;
}

// The place of the bracket that closes the one before `at`.
std::size_t closing(std::string_view text, std::size_t at, char open, char close) {
  for (int depth = 1; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at;
  }
  return std::string_view::npos;
}

class Words {
 public:
  Words(const std::string& file, Variables& variables, int depth)
      : file_(file), variables_(variables), depth_(depth) {}

  std::vector<std::string> of(std::string_view text) {
    text_ = text;
    for (at_ = 0; at_ < text_.size();) step();
    finish();
    return std::move(words_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '#' && !open_) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '\\' && at_ + 1 < text_.size()) {
      if (text_[at_ + 1] != '\n') add(text_[at_ + 1]);
      at_ += 2;
    } else if (c == '\'' || c == '"') {
      quoted(c);
    } else if (c == '$') {
      word_ += dollar();
      open_ = true;
    } else if (std::string_view(" \t\r\n()").find(c) != std::string_view::npos) {
      finish();
      if (c == ')') words_.emplace_back(";");
      ++at_;
    } else if (std::string_view(";|&<>").find(c) != std::string_view::npos) {
      if (c == '<' || c == '>') drop_descriptor();
      finish();
      words_.emplace_back(1, c);
      ++at_;
    } else {
      add(c);
      ++at_;
    }
  }

  // The 2 of 2>&1 is no word.
  void drop_descriptor() {
    if (word_.find_first_not_of("0123456789") != std::string::npos) return;
    word_.clear();
    open_ = false;
  }

  void add(char c) {
    word_ += c;
    open_ = true;
  }

  void quoted(char quote) {
    open_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != quote;) {
      const bool escape = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size();
      if (escape) {
        if (text_[at_ + 1] != '\n') word_ += text_[at_ + 1];
        at_ += 2;
      } else if (quote == '"' && text_[at_] == '$') {
        word_ += dollar();
      } else {
        word_ += text_[at_++];
      }
    }
    if (at_ >= text_.size()) {
      throw InputError(file_, "", "a quote that does not end", "a shell script");
    }
    ++at_;
  }

  // Expands the text at a dollar sign if possible, and moves past it.
  std::string dollar() {
    const std::size_t start = at_++;
    const std::string_view rest = text_.substr(at_);
    if (rest.rfind("((", 0) == 0) return arithmetic(start);
    if (rest.rfind('(', 0) == 0) return as_written(start, closing(text_, at_ + 1, '(', ')'));
    if (rest.rfind('{', 0) == 0) return braced(start);
    const std::size_t end = end_of_name(text_, at_);
    const std::string name(text_.substr(at_, end - at_));
    at_ = end;
    const auto known = variables_.find(name);
    return known == variables_.end() ? std::string(text_.substr(start, end - start))
                                     : known->second;
  }

  std::string as_written(std::size_t start, std::size_t last) {
    at_ = last == std::string_view::npos ? text_.size() : last + 1;
    return std::string(text_.substr(start, at_ - start));
  }

  std::string braced(std::size_t start) {
    const std::size_t close = closing(text_, at_ + 1, '{', '}');
    const std::string whole = as_written(start, close);
    if (close == std::string_view::npos) return whole;
    const std::string_view inside = text_.substr(start + 2, close - start - 2);
    const std::size_t end = end_of_name(inside, 0);
    const auto known = variables_.find(inside.substr(0, end));
    const std::string_view rest = inside.substr(end);
    if (rest.empty()) return known == variables_.end() ? whole : known->second;
    if (rest[0] != ':' && rest[0] != '-') return whole;
    if (known != variables_.end()) return known->second;
    const std::size_t minus = rest.find('-');
    return minus > 1 ? whole : std::string(rest.substr(minus + 1));
  }

  std::string arithmetic(std::size_t start) {
    const std::size_t close = closing(text_, at_ + 2, '(', ')');
    const std::string whole =
        as_written(start, close == std::string_view::npos ? close : close + 1);
    if (whole.size() < 5) return whole;
    std::string inside = whole.substr(3, whole.size() - 5);
    inside.erase(std::remove(inside.begin(), inside.end(), '$'), inside.end());
    std::replace(inside.begin(), inside.end(), '{', '(');
    std::replace(inside.begin(), inside.end(), '}', ')');
    const std::optional<double> x = value_of(inside);
    return x && *x == std::floor(*x) && std::abs(*x) < 1e15 ? shortest(*x) : whole;
  }

  std::optional<double> value_of(const std::string& text) const {
    try {
      const Expression e = parse_expression(text, file_, "");
      std::vector<double> values;
      for (const std::string& name : e.paths()) {
        const auto known = variables_.find(name);
        const auto x = known == variables_.end() ? std::nullopt : parse_number(known->second);
        if (!x) return {};
        values.push_back(*x);
      }
      return e.kind() == ExpressionKind::truth ? std::nullopt : std::optional(e.value(values));
    } catch (const InputError&) {
      return {};
    }
  }

  void finish() {
    if (!open_) return;
    open_ = false;
    std::string word;
    word.swap(word_);
    const std::size_t equals = end_of_name(word, 0);
    const bool assigns = equals > 0 && equals < word.size() && word[equals] == '=';
    if (!assigns) {
      words_.push_back(std::move(word));
      return;
    }
    std::string value = word.substr(equals + 1, kLongestValue);
    const std::size_t first = value.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && value.compare(first, 2, "--") == 0) {
      if (depth_ < kDeepest) append(Words(file_, variables_, depth_ + 1).of(value));
      words_.emplace_back(";");
      return;
    }
    words_.push_back(word.substr(0, equals + 1 + value.size()));
    variables_[word.substr(0, equals)] = std::move(value);
  }

  void append(std::vector<std::string> more) {
    words_.insert(words_.end(), more.begin(), more.end());
  }

  const std::string& file_;
  Variables& variables_;
  int depth_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool open_ = false;
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

void ArgumentLines::start() { fresh_ = true; }

void ArgumentLines::add(std::string_view name, const std::string& value) {
  std::string word(name);
  if (style_ == Style::dashes) std::replace(word.begin(), word.end(), '_', '-');
  text_ += (fresh_ ? " \\\n  --" : " --") + word + (value.empty() ? "" : " " + value);
  fresh_ = false;
}

void ArgumentLines::add_row(const NameRow& row, const Json& value) {
  if (value.is_null()) return;
  const bool is_switch = row.kind == NameKind::flag || row.kind == NameKind::negated;
  if (!is_switch)
    return add(row.theirs, value.is_string() ? value.get<std::string>() : value.dump());
  const bool on = value.is_boolean() && value.get<bool>();
  if (on == (row.kind == NameKind::flag)) add(row.theirs);
}

bool is_unknown_to_us(const Json& value) {
  if (value.is_array()) return std::any_of(value.begin(), value.end(), is_unknown_to_us);
  return value.is_string() && value.get_ref<const std::string&>().find('$') != std::string::npos;
}

Settings settings_of_words(const std::vector<std::string>& words, const std::string& file,
                           std::span<const std::string_view> variables) {
  Settings settings(file);
  for (std::size_t i = 0; i < words.size();) {
    const std::string& word = words[i++];
    if (!is_name(word)) {
      add_variable(word, variables, settings);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string written = word.substr(0, equals);
    std::vector<std::string> values;
    if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else {
      while (i < words.size() && !is_name(words[i]) && !ends_values(words[i]) &&
             (values.empty() || !is_unknown_to_us(words[i]))) {
        values.push_back(words[i++]);
      }
    }
    settings.add({with_underscores(written.substr(2)), written, value_of(values)});
  }
  return settings;
}

std::vector<std::string> shell_words(std::string_view text, const std::string& file) {
  Variables variables;
  return Words(file, variables, 0).of(text);
}

}  // namespace orrery
