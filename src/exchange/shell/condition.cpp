// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/condition.h"

#include <algorithm>

#include "core/units.h"
#include "exchange/shell/expansion.h"

namespace orrery::shell {
namespace {

Truth compared(const std::string& a, const std::string& sign, const std::string& b) {
  const auto x = parse_number(a);
  const auto y = parse_number(b);
  if (!x || !y) return {};
  if (sign == "-eq") return *x == *y;
  if (sign == "-ne") return *x != *y;
  if (sign == "-lt") return *x < *y;
  if (sign == "-le") return *x <= *y;
  if (sign == "-gt") return *x > *y;
  if (sign == "-ge") return *x >= *y;
  return {};
}

class Test {
 public:
  Test(const std::vector<std::string>& words, const ShellVariables& variables)
      : words_(words), variables_(variables) {}

  Truth all() {
    const Truth t = any();
    return at_ == words_.size() ? t : Truth();
  }

 private:
  bool at(std::string_view a, std::string_view b) const {
    return at_ < words_.size() && (words_[at_] == a || words_[at_] == b);
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

  std::string operand() {
    return at_ < words_.size() ? text_of_word(words_[at_++], variables_) : std::string();
  }

  Truth one() {
    if (at_ >= words_.size()) return false;
    if (at("!", "!")) {
      ++at_;
      return negated(one());
    }
    if (at("(", "\\(")) return bracketed();
    const std::string& first = words_[at_];
    const bool alone = at_ + 1 >= words_.size();
    if (!alone && first.size() == 2 && first[0] == '-' && !is_binary(at_ + 1)) return unary();
    const std::string left = operand();
    if (!is_binary(at_)) return is_known(left) ? Truth(!left.empty()) : Truth();
    const std::string sign = words_[at_++];
    const std::string right = operand();
    // [ "$1" == "" ] && … gives a default too.
    if (right.empty() && is_absent(left)) return sign == "!=" ? Truth(false) : Truth(true);
    if (!is_known(left) || !is_known(right)) return {};
    if (sign == "=" || sign == "==") return matches_pattern(left, right);
    if (sign == "!=") return negated(matches_pattern(left, right));
    return compared(left, sign, right);
  }

  bool is_binary(std::size_t i) const {
    if (i + 1 >= words_.size()) return false;
    const std::string& w = words_[i];
    const bool letters = w.size() == 3 && w[0] == '-';
    return letters || w == "=" || w == "==" || w == "!=" || w == "=~" || w == "<" || w == ">";
  }

  Truth bracketed() {
    ++at_;
    const Truth t = any();
    if (at(")", "\\)")) ++at_;
    return t;
  }

  Truth unary() {
    const std::string sign = words_[at_++];
    if (is_of_a_job(name_here())) {
      ++at_;
      return is_a_job() ? Truth(sign == "-n") : Truth();
    }
    if (sign == "-z" && is_never_set(name_here())) return ++at_, Truth(true);
    const std::string value = operand();
    if (is_position(name_in(value)) && is_absent(value)) return sign == "-z";
    if (!is_known(value) || (sign != "-z" && sign != "-n")) return {};
    return value.empty() == (sign == "-z");
  }

  // [ -z "$TP" ] && TP=8 is TP=${TP:-8} written out, so it takes the default too.
  bool is_never_set(std::string_view name) const {
    if (is_position(name)) return variables_.find(std::string_view("@")) == variables_.end();
    return !name.empty() && variables_.find(name) == variables_.end();
  }

  // $1, $2, …: a script that no other one starts has none.
  static bool is_position(std::string_view name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  }

  bool is_absent(std::string_view value) const {
    const std::string_view name = name_in(value);
    return is_never_set(name) && !is_of_a_job(name);
  }

  std::string_view name_here() const {
    return at_ < words_.size() ? name_in(words_[at_]) : std::string_view();
  }

  // The name of a variable that is the whole word: $NAME, "${NAME}"; "" of other words.
  static std::string_view name_in(std::string_view word) {
    if (word.size() > 2 && word.front() == '"' && word.back() == '"') {
      word = word.substr(1, word.size() - 2);
    }
    if (word.size() < 2 || word.front() != '$') return {};
    const bool braces = word[1] == '{' && word.back() == '}';
    const auto name = braces ? word.substr(2, word.size() - 3) : word.substr(1);
    return end_of_name(name, 0) == name.size() ? name : std::string_view();
  }

  // Slurm sets these in every job; a script that is started by hand has none of them.
  bool is_of_a_job(std::string_view name) const {
    constexpr std::string_view kNames[] = {"SLURM_JOB_ID",   "SLURM_JOBID",  "SLURM_JOB_NODELIST",
                                           "SLURM_NODELIST", "SLURM_PROCID", "SLURM_NODEID"};
    return variables_.find(name) == variables_.end() &&
           std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  }

  // #SBATCH lines set variables.
  bool is_a_job() const {
    const auto first = variables_.lower_bound(std::string_view("SLURM_"));
    return first != variables_.end() && first->first.starts_with("SLURM_");
  }

  const std::vector<std::string>& words_;
  const ShellVariables& variables_;
  std::size_t at_ = 0;
};

bool glob(std::string_view text, std::string_view pattern, int& steps) {
  if (++steps > 10'000) return false;
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (glob(text.substr(i), pattern.substr(1), steps)) return true;
    }
    return false;
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         glob(text.substr(1), pattern.substr(1), steps);
}

}  // namespace

bool is_known(const std::string& text) { return text.find('$') == std::string::npos; }

Truth negated(Truth t) { return t ? Truth(!*t) : t; }

Truth both(Truth a, Truth b) {
  if (a == false || b == false) return false;
  return a && b ? Truth(true) : Truth();
}

Truth either(Truth a, Truth b) {
  if (a == true || b == true) return true;
  return a && b ? Truth(false) : Truth();
}

Truth matches_pattern(const std::string& text, const std::string& pattern) {
  if (!is_known(text) || !is_known(pattern) || pattern.find('[') != std::string::npos) return {};
  int steps = 0;
  return glob(text, pattern, steps);
}

Truth truth_of_test(const std::vector<std::string>& words, const ShellVariables& variables) {
  return Test(words, variables).all();
}

}  // namespace orrery::shell
