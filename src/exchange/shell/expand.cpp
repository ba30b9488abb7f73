// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/expand.h"

#include <algorithm>
#include <utility>

#include "exchange/shell/pattern.h"

namespace orrery::shell {
namespace {

Members value_of(const WordPart& part, Evaluation& state) {
  if (part.kind == WordPart::Kind::literal) return one(known(part.text));
  if (part.kind == WordPart::Kind::parameter) return members_of(part, state);
  if (part.kind == WordPart::Kind::substitution) {
    auto text = part.commands == nullptr ? std::nullopt : printed_by(*part.commands, state);
    return one(text ? std::move(*text) : unknown(part.text));
  }
  std::vector<std::string> values;
  for (const std::int64_t n : expanded_numbers(*part.expression, state))
    values.push_back(std::to_string(n));
  return one(one_of(std::move(values), part.text));
}

// Builds the fields of a word: text in quotes never splits, other expanded text splits at blanks.
class Fields {
 public:
  explicit Fields(Evaluation& state) : state_(state) {}

  std::vector<Text> of(const Word& word) {
    for (const WordPart& part : word.parts) add(part);
    close();
    return std::move(out_);
  }

 private:
  void add(const WordPart& part) {
    const Members members = value_of(part, state_);
    const bool whole = part.quoted || part.kind == WordPart::Kind::literal;
    for (std::size_t i = 0; i < members.all.size(); ++i) {
      if (i > 0) members.apart ? close() : add_whole(known(" "));
      whole ? add_whole(members.all[i]) : add_split(members.all[i]);
    }
  }

  void add_whole(const Text& text) {
    state_.spend(written(text).size());
    append(field_, text);
    open_ = true;
  }

  void add_split(const Text& text) {
    for (const Piece& piece : text) {
      piece.why == Why::known ? add_words(piece.text) : add_whole({piece});
    }
  }

  void add_words(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
      if (end > at) add_whole(known(std::string(text.substr(at, end - at))));
      if (end < text.size()) close();
      at = end + 1;
    }
  }

  void close() {
    if (open_) out_.push_back(std::move(field_));
    field_.clear();
    open_ = false;
  }

  Evaluation& state_;
  Text field_;
  bool open_ = false;
  std::vector<Text> out_;
};

Text joined(const Members& members) {
  Text all;
  for (std::size_t i = 0; i < members.all.size(); ++i) {
    if (i > 0) append(all, " ");
    append(all, members.all[i]);
  }
  return all;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// The numbers of a variable's value.
Numbers numbers_of(const std::string& name, const Evaluation& state) {
  const Variable* v = state.variables.find(name);
  const auto choices =
      v == nullptr || v->members.empty() ? std::nullopt : choices_of(v->members[0]);
  Numbers all;
  for (const std::string& c : choices.value_or(std::vector<std::string>())) {
    const Numbers n = number_in(c);
    if (n.empty()) return {};
    all.push_back(n[0]);
  }
  return all;
}

}  // namespace

std::vector<Text> expanded_fields(const Word& word, Evaluation& state) {
  std::vector<Text> all = Fields(state).of(word);
  std::erase_if(all, is_more);
  return all;
}

Text expanded_text(const Word& word, Evaluation& state) {
  Text all;
  for (const WordPart& part : word.parts) append(all, joined(value_of(part, state)));
  state.spend(written(all).size());
  return all;
}

std::optional<std::string> expanded_pattern(const Word& word, Evaluation& state) {
  std::string all;
  for (const WordPart& part : word.parts) {
    const Text text = joined(value_of(part, state));
    if (!is_known(text)) return {};
    all += part.quoted ? escaped(written(text)) : written(text);
  }
  return all;
}

Numbers expanded_numbers(const Word& word, Evaluation& state) {
  const auto choices = choices_of(expanded_text(word, state));
  Numbers all;
  for (const std::string& c : choices.value_or(std::vector<std::string>())) {
    const Numbers n =
        arithmetic(c, [&](const std::string& name) { return numbers_of(name, state); });
    if (n.empty()) return {};
    for (const std::int64_t x : n) {
      if (std::find(all.begin(), all.end(), x) == all.end()) all.push_back(x);
    }
  }
  return all;
}

Truth fits(const Text& value, const std::vector<Word>& patterns, Evaluation& state) {
  std::vector<std::string> shapes;
  for (const Word& pattern : patterns) {
    auto shape = expanded_pattern(pattern, state);
    if (shape == "*") return true;
    if (shape) shapes.push_back(std::move(*shape));
  }
  const auto choices = choices_of(value);
  if (!choices) return {};
  const auto n = std::count_if(choices->begin(), choices->end(), [&](const std::string& c) {
    return std::any_of(shapes.begin(), shapes.end(),
                       [&](const std::string& shape) { return matches_pattern(c, shape); });
  });
  if (n == std::ssize(*choices)) return true;
  return n == 0 && shapes.size() == patterns.size() ? Truth(false) : Truth();
}

Truth negated(Truth t) { return t ? Truth(!*t) : t; }

Truth both(Truth a, Truth b) {
  if (a == false || b == false) return false;
  return a && b ? Truth(true) : Truth();
}

Truth either(Truth a, Truth b) {
  if (a == true || b == true) return true;
  return a && b ? Truth(false) : Truth();
}

}  // namespace orrery::shell
