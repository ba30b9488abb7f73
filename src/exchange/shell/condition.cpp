// SPDX-License-Identifier: Apache-2.0
//
// [ … ], [[ … ]] and `test`.
#include <algorithm>
#include <string_view>

#include "exchange/shell/expand.h"

namespace orrery::shell {
namespace {

// -eq and its kin, as arithmetic has them.
std::string_view sign_of_numbers(std::string_view sign) {
  constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {"-eq", "=="}, {"-ne", "!="}, {"-lt", "<"}, {"-le", "<="}, {"-gt", ">"}, {"-ge", ">="}};
  for (const auto& [name, same] : kSigns) {
    if (name == sign) return same;
  }
  return {};
}

class Condition {
 public:
  Condition(const std::vector<Word>& words, Evaluation& state) : words_(words), state_(state) {}

  Truth all() {
    const Truth t = any();
    return at_ == words_.size() ? t : Truth();
  }

 private:
  bool at(std::string_view a, std::string_view b) const {
    return at_ < words_.size() && (words_[at_].written == a || words_[at_].written == b);
  }

  Truth any() {
    Truth t = every();
    while (at("||", "-o")) {
      ++at_;
      t = either(t, every());
    }
    return t;
  }

  Truth every() {
    Truth t = one();
    while (at("&&", "-a")) {
      ++at_;
      t = both(t, one());
    }
    return t;
  }

  Truth one() {
    if (at_ >= words_.size()) return false;
    bool negates = false;
    for (; at("!", "!"); ++at_) negates = !negates;
    return negates ? negated(plain()) : plain();
  }

  Truth plain() {
    if (at_ >= words_.size()) return false;
    if (at("(", "\\(")) return bracketed();
    const std::string& first = words_[at_].written;
    const bool alone = at_ + 1 >= words_.size();
    if (!alone && first.size() == 2 && first[0] == '-' && !is_binary(at_ + 1)) return unary();
    const Word& left = words_[at_++];
    if (!is_binary(at_)) return filled(expanded_text(left, state_));
    const std::string& sign = words_[at_].written;
    const Word& right = words_[at_ + 1];
    at_ += 2;
    return compared(left, sign, right);
  }

  bool is_binary(std::size_t i) const {
    if (i + 1 >= words_.size()) return false;
    const std::string& w = words_[i].written;
    const bool letters = w.size() == 3 && w[0] == '-';
    return letters || w == "=" || w == "==" || w == "!=" || w == "=~" || w == "<" || w == ">";
  }

  Truth bracketed() {
    const Level level(state_);
    ++at_;
    const Truth t = any();
    if (at(")", "\\)")) ++at_;
    return t;
  }

  Truth unary() {
    const std::string& sign = words_[at_++].written;
    const Word& word = words_[at_++];
    if (sign != "-z" && sign != "-n") return {};
    const Text text = expanded_text(word, state_);
    // [ -z "$TP" ] && TP=8 is TP=${TP:-8} written out, so it takes the default too.
    const Truth has = is_outside(text)
                          ? (sign == "-z" || is_argument(text) ? Truth(false) : Truth())
                          : filled(text);
    return sign == "-n" ? has : negated(has);
  }

  // "$1": a script that no other one starts has none.
  static bool is_argument(const Text& text) {
    return text[0].text.find_first_not_of("${}0123456789") == std::string::npos;
  }

  static Truth filled(const Text& text) {
    if (text.empty()) return false;
    return is_filled(text) ? Truth(true) : Truth();
  }

  Truth compared(const Word& left, const std::string& sign, const Word& right) {
    const Text a = expanded_text(left, state_);
    // [ "$1" == "" ] && … gives a default too.
    if ((sign == "=" || sign == "==" || sign == "!=") && is_outside(a) &&
        expanded_text(right, state_).empty())
      return sign != "!=";
    if (sign == "=" || sign == "==") return fits(a, {right}, state_);
    if (sign == "!=") return negated(fits(a, {right}, state_));
    const std::string_view numbers = sign_of_numbers(sign);
    return numbers.empty() ? Truth() : ordered(left, numbers, right);
  }

  Truth ordered(const Word& left, std::string_view sign, const Word& right) {
    const Numbers a = expanded_numbers(left, state_);
    const Numbers b = expanded_numbers(right, state_);
    std::vector<bool> all;
    for (const std::int64_t x : a) {
      for (const std::int64_t y : b) {
        const std::string text = std::to_string(x) + std::string(sign) + std::to_string(y);
        all.push_back(arithmetic(text, [](const auto&) { return Numbers(); }).front() != 0);
      }
    }
    const auto yes = std::count(all.begin(), all.end(), true);
    if (all.empty() || (yes > 0 && yes < std::ssize(all))) return {};
    return yes > 0;
  }

  const std::vector<Word>& words_;
  Evaluation& state_;
  std::size_t at_ = 0;
};

}  // namespace

Truth truth_of_test(const std::vector<Word>& words, Evaluation& state) {
  return Condition(words, state).all();
}

}  // namespace orrery::shell
