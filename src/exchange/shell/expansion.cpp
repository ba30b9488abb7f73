// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/expansion.h"

#include <algorithm>
#include <cctype>

#include "core/limits.h"
#include "core/units.h"
#include "document/words.h"
#include "exchange/shell/condition.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::size_t end_of_quote(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (text[at] == quote) return at + 1;
    if (quote == '"' && text[at] == '\\') ++at;
    if (quote == '"' && text[at] == '$') {
      const std::size_t end = end_of_group(text, at);
      if (end == kNone) return kNone;
      at = end - 1;
    }
  }
  return kNone;
}

// "cat <<EOF", its lines, "EOF".
std::optional<std::string> printed_document(std::string_view inside,
                                            const ShellVariables& variables) {
  const std::size_t line = inside.find('\n');
  std::string_view word = trimmed(inside.substr(0, line));
  word.remove_prefix(word.find("<<") + 2);
  const bool unindent = word.substr(0, 1) == "-";
  word = trimmed(word.substr(unindent ? 1 : 0));
  const std::string end = text_of_word(word, {});
  if (line == kNone || end.empty() || end.find(' ') != std::string::npos) return {};
  std::string text;
  for (const std::string_view l : lines_of(inside.substr(line + 1))) {
    const std::string_view plain =
        unindent ? l.substr(std::min(l.find_first_not_of('\t'), l.size())) : l;
    if (plain == end) break;
    text += (text.empty() ? "" : "\n") + std::string(plain);
  }
  return word.find_first_of("'\"\\") == kNone ? text_of_document(text, variables) : text;
}

// The numbers of seq LAST, seq FIRST LAST and seq FIRST STEP LAST.
std::optional<std::string> sequence(std::string_view words, const ShellVariables& variables) {
  constexpr std::int64_t kMostNumbers = 4096;
  std::vector<std::int64_t> n;
  for (const std::string& w : fields_of_word(words, variables)) {
    for (const std::string& part : split_words(w)) {
      const auto x = arithmetic(part, variables);
      if (!x) return {};
      n.push_back(*x);
    }
  }
  if (n.empty() || n.size() > 3) return {};
  const std::int64_t first = n.size() > 1 ? n.front() : 1;
  const std::int64_t step = n.size() > 2 ? n[1] : 1;
  if (step <= 0 || (n.back() - first) / step > kMostNumbers) return {};
  std::string text;
  for (std::int64_t i = first; i <= n.back(); i += step) text += std::to_string(i) + " ";
  return text;
}

// The text that $(…) stands for, where its own text tells.
std::optional<std::string> printed(std::string_view inside, const ShellVariables& variables) {
  inside = trimmed(inside);
  if (inside.empty() || inside.front() == '#') return "";
  if (begins_with(inside, "cat <<") || begins_with(inside, "cat<<"))
    return printed_document(inside, variables);
  if (begins_with(inside, "seq ")) return sequence(inside.substr(4), variables);
  const bool echo = begins_with(inside, "echo ");
  if (!echo && !begins_with(inside, "expr ")) return {};
  inside = trimmed(inside.substr(5));
  const std::size_t pipe = inside.find('|');
  const bool computed = pipe != kNone && trimmed(inside.substr(pipe + 1)) == "bc";
  if (computed) inside = trimmed(inside.substr(0, pipe));
  if (echo && !computed && inside.find_first_of("|;&<>`\n") != kNone) return {};
  if (begins_with(inside, "-n ") || begins_with(inside, "-e ")) inside.remove_prefix(3);
  const std::string text = joined(fields_of_word(inside, variables), " ");
  if (text.find('$') != std::string::npos) return {};
  if (echo && !computed) return text;
  const auto x = arithmetic(text, variables);
  return x ? std::optional(std::to_string(*x)) : std::nullopt;
}

// The value without the shortest or longest part that fits, from its front or its back.
std::optional<std::string> without(const std::string& value, const std::string& pattern, bool front,
                                   bool longest) {
  for (std::size_t i = 0; i <= value.size(); ++i) {
    const std::size_t n = longest ? value.size() - i : i;
    const std::string part = front ? value.substr(0, n) : value.substr(value.size() - n);
    const Truth fits = matches_pattern(part, pattern);
    if (!fits) return {};
    if (*fits) return front ? value.substr(n) : value.substr(0, value.size() - n);
  }
  return value;
}

std::optional<std::string> replaced(std::string value, std::string_view how,
                                    const ShellVariables& variables) {
  const bool all = begins_with(how, "/");
  if (all) how.remove_prefix(1);
  const std::size_t slash = how.find('/');
  const std::string old = text_of_word(how.substr(0, slash), variables);
  const std::string with = slash == kNone ? "" : text_of_word(how.substr(slash + 1), variables);
  if (old.empty() || old.find_first_of("*?[#%$") != std::string::npos) return {};
  for (std::size_t at = value.find(old); at != std::string::npos;
       at = value.find(old, at + with.size())) {
    if (value.size() > kLongestValue) return {};
    value.replace(at, old.size(), with);
    if (!all) break;
  }
  return value;
}

// ${A,,}, ${A^^}, ${A#p}, ${A##p}, ${A%p}, ${A%%p}, ${A/a/b}, ${A//a/b}.
std::optional<std::string> changed(std::string value, std::string_view how,
                                   const ShellVariables& variables) {
  if (value.find('$') != std::string::npos) return {};
  if (how == ",," || how == "^^") {
    for (char& c : value) {
      const auto u = static_cast<unsigned char>(c);
      c = static_cast<char>(how == ",," ? std::tolower(u) : std::toupper(u));
    }
    return value;
  }
  const char sign = how.empty() ? '\0' : how[0];
  if (sign == '/') return replaced(std::move(value), how.substr(1), variables);
  if (sign != '#' && sign != '%') return {};
  const bool twice = how.size() > 1 && how[1] == sign;
  return without(value, text_of_word(how.substr(twice ? 2 : 1), variables), sign == '#', twice);
}

// Builds the fields of a word: text in quotes never splits, other expanded text splits at blanks.
class Fields {
 public:
  Fields(const ShellVariables& variables, bool splits) : variables_(variables), splits_(splits) {}

  std::vector<std::string> of(std::string_view word) {
    text_ = word;
    for (at_ = 0; at_ < text_.size();) step();
    if (open_) out_.push_back(std::move(field_));
    return std::move(out_);
  }

  std::string of_document(std::string_view text) {
    text_ = text;
    quoted_ = true;
    for (at_ = 0; at_ < text_.size();) inside_quotes();
    return std::move(field_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\'') {
      const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
      add(text_.substr(at_ + 1, end - at_ - 1));
      at_ = std::min(end + 1, text_.size());
    } else if (c == '"') {
      double_quoted();
    } else if (c == '\\' && at_ + 1 < text_.size()) {
      if (text_[at_ + 1] != '\n') add(text_.substr(at_ + 1, 1));
      at_ += 2;
    } else if (c == '$' || c == '`') {
      expand();
    } else {
      add(text_.substr(at_++, 1));
    }
  }

  // "${A[@]}" of an empty array is no word, "" is one.
  void double_quoted() {
    const bool open = open_;
    empty_array_ = false;
    quoted_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != '"';) inside_quotes();
    quoted_ = false;
    ++at_;
    open_ = open || !field_.empty() || !empty_array_;
  }

  void inside_quotes() {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '\\' && std::string_view("$`\"\\\n").find(next) != kNone && next != '\0') {
      if (next != '\n') add(text_.substr(at_ + 1, 1));
      at_ += 2;
    } else if (c == '$' || c == '`') {
      expand();
    } else {
      add(text_.substr(at_++, 1));
    }
  }

  void add(std::string_view text) {
    open_ = true;
    if (field_.size() + text.size() <= kLongestValue) field_ += text;
  }

  // A value out of quotes splits at blanks, but for those of a $(…) that is not known.
  void add_value(const std::string& value) {
    if (quoted_ || !splits_) return add(value);
    const std::string_view text = value;
    for (std::size_t at = 0; at < text.size();) {
      if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
        close();
        ++at;
        continue;
      }
      const bool group = text[at] == '$' && at + 1 < text.size() && text[at + 1] == '(';
      const std::size_t end = group ? end_of_group(text, at) : kNone;
      const std::size_t n = end == kNone ? 1 : end - at;
      add(text.substr(at, n));
      at += n;
    }
  }

  void close() {
    if (open_) out_.push_back(std::move(field_));
    field_.clear();
    open_ = false;
  }

  void add_all(const std::vector<std::string>& values, bool apart) {
    empty_array_ = values.empty();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0 && apart && splits_) {
        close();
      } else if (i > 0) {
        add(" ");
      }
      add_value(values[i]);
    }
  }

  void expand() {
    const std::size_t start = at_;
    const std::size_t end = std::min(end_of_group(text_, at_), text_.size());
    at_ = end;
    const std::string_view whole = text_.substr(start, end - start);
    if (whole.size() < 2) return add(whole);
    if (whole.front() == '`') return substituted(whole.substr(1, whole.size() - 2));
    if (whole.substr(0, 3) == "$((") return add(arithmetic_of(whole));
    if (whole[1] == '(') return substituted(whole.substr(2, whole.size() - 3));
    if (whole[1] == '{') return braced(whole);
    named(whole.substr(1), whole);
  }

  void substituted(std::string_view command) {
    const auto text = printed(command, variables_);
    text ? add_value(*text) : add("$(" + std::string(command) + ")");
  }

  void named(std::string_view name, std::string_view whole) {
    const std::vector<std::string>* arguments = find("@");
    if (name == "#") return add(arguments == nullptr ? "0" : std::to_string(arguments->size()));
    const std::vector<std::string>* known = find(name == "*" ? "@" : name);
    if (known == nullptr) return add(whole);
    if (name == "@" || name == "*") return add_all(*known, name == "@" || !quoted_);
    if (!known->empty()) add_value(known->front());
  }

  static bool is_position(std::string_view name) {
    return name.size() <= 2 && !name.empty() &&
           name.find_first_not_of("0123456789") == std::string_view::npos;
  }

  // Null where nobody set it; "1" is the first of a function's words.
  const std::vector<std::string>* find(std::string_view name) {
    const auto known = variables_.find(name);
    if (known != variables_.end()) return &known->second;
    const auto arguments = variables_.find("@");
    const auto number = is_position(name) ? parse_number(name) : std::nullopt;
    if (!number || *number < 1 || arguments == variables_.end()) return nullptr;
    const auto at = static_cast<std::size_t>(*number) - 1;
    argument_.clear();
    if (at < arguments->second.size()) argument_.push_back(arguments->second[at]);
    return &argument_;
  }

  std::string arithmetic_of(std::string_view whole) const {
    const auto x =
        whole.size() < 5 ? std::nullopt : arithmetic(whole.substr(3, whole.size() - 5), variables_);
    return x ? std::to_string(*x) : std::string(whole);
  }

  void braced(std::string_view whole) {
    std::string_view inside = whole.substr(2, whole.size() - 3);
    if (!inside.empty() && inside[0] == '#') return counted(inside.substr(1), whole);
    const std::size_t end = end_of_name(inside, 0);
    const std::string_view name = inside.substr(0, end);
    std::string_view rest = inside.substr(end);
    const bool all = rest.substr(0, 3) == "[@]" || rest.substr(0, 3) == "[*]";
    const std::vector<std::string>* known = find(name);
    if (all) {
      if (known == nullptr) return add_all({}, true);  // no array comes from outside
      return add_all(*known, rest[1] == '@' || !quoted_);
    }
    if (!rest.empty() && rest[0] == '[') return element(name, rest, whole);
    if (rest.empty()) return named(name, whole);
    otherwise(rest, known, whole);
  }

  void counted(std::string_view name, std::string_view whole) {
    const auto known = variables_.find(name.substr(0, end_of_name(name, 0)));
    const bool array = name.find('[') != kNone;
    if (known == variables_.end()) return add(whole);
    const std::size_t size = array                   ? known->second.size()
                             : known->second.empty() ? 0
                                                     : known->second.front().size();
    add(std::to_string(size));
  }

  void element(std::string_view name, std::string_view rest, std::string_view whole) {
    const std::size_t close = rest.find(']');
    if (close == kNone) return add(whole);
    const std::string key = text_of_word(rest.substr(1, close - 1), variables_);
    std::vector<std::string> found;
    const auto member = variables_.find(std::string(name) + "[" + key + "]");
    const auto array = variables_.find(name);
    const auto index = arithmetic(key, variables_);
    if (member != variables_.end()) {
      found = member->second;
    } else if (array != variables_.end() && index && *index >= 0 &&
               *index < static_cast<std::int64_t>(array->second.size())) {
      found = {array->second[static_cast<std::size_t>(*index)]};
    }
    rest.remove_prefix(close + 1);
    if (!rest.empty()) return otherwise(rest, &found, whole);
    if (found.empty()) return add(whole);
    add_value(found.front());
  }

  // ${A:-b}, ${A-b}, ${A:=b}, ${A:+b}, and a set value changed; the rest stays as written.
  void otherwise(std::string_view rest, const std::vector<std::string>* known,
                 std::string_view whole) {
    const bool set = known != nullptr && !known->empty();
    if (set) {
      if (const auto text = changed(known->front(), rest, variables_)) return add_value(*text);
    }
    const bool colon = rest[0] == ':';
    if (colon) rest.remove_prefix(1);
    const bool filled = set && (!colon || !known->front().empty());
    const char sign = rest.empty() ? '\0' : rest[0];
    const std::string_view word = rest.empty() ? rest : rest.substr(1);
    if (sign == '-' || sign == '=') {
      add_value(filled ? known->front() : text_of_word(word, variables_));
    } else if (sign == '+') {
      if (filled) add_value(text_of_word(word, variables_));
    } else if (sign == '?' && filled) {
      add_value(known->front());
    } else {
      add(whole);
    }
  }

  const ShellVariables& variables_;
  bool splits_;
  std::string_view text_;
  std::size_t at_ = 0;
  bool open_ = false;
  bool quoted_ = false;
  bool empty_array_ = false;
  std::string field_;
  std::vector<std::string> out_;
  std::vector<std::string> argument_;
};

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  constexpr std::string_view kBlanks = " \t\r\n";
  for (std::size_t at = text.find_first_not_of(kBlanks); at != kNone;) {
    std::size_t end = at;
    while (end < text.size() && kBlanks.find(text[end]) == kNone) {
      // The words that $(…) prints are not known to have blanks.
      const std::size_t group = text[end] == '$' ? end_of_group(text, end) : kNone;
      end = group == kNone ? end + 1 : group;
    }
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && is_name_character(text[at])) ++at;
  return at;
}

std::size_t closing(std::string_view text, std::size_t at, char open, char close) {
  for (int depth = 1; at < text.size() && depth <= kDeepestNesting; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == open) {
      ++depth;
    } else if (text[at] == close && --depth == 0) {
      return at;
    }
  }
  return kNone;
}

std::size_t end_of_group(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '\'' || c == '"') return end_of_quote(text, at);
  if (c == '`') {
    const std::size_t end = text.find('`', at + 1);
    return end == kNone ? kNone : end + 1;
  }
  if (c != '$' || at + 1 >= text.size()) return at + 1;
  const char next = text[at + 1];
  if (next == '(' || next == '{') {
    const std::size_t end = closing(text, at + 2, next, next == '(' ? ')' : '}');
    return end == kNone ? kNone : end + 1;
  }
  if (std::string_view("#@*?$!-").find(next) != kNone) return at + 2;
  if (std::isdigit(static_cast<unsigned char>(next)) != 0) return at + 2;
  return std::max(end_of_name(text, at + 1), at + 1);
}

std::vector<std::string> fields_of_word(std::string_view word, const ShellVariables& variables) {
  return Fields(variables, true).of(word);
}

std::string text_of_word(std::string_view word, const ShellVariables& variables) {
  const std::vector<std::string> fields = Fields(variables, false).of(word);
  return fields.empty() ? "" : fields.front();
}

std::string text_of_document(std::string_view text, const ShellVariables& variables) {
  return Fields(variables, false).of_document(text);
}

}  // namespace orrery::shell
