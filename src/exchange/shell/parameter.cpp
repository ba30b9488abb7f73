// SPDX-License-Identifier: Apache-2.0
//
// $NAME and ${…}.
#include <algorithm>
#include <cctype>
#include <functional>
#include <utility>

#include "exchange/shell/expand.h"
#include "exchange/shell/pattern.h"

namespace orrery::shell {
namespace {

using Change = std::function<std::optional<std::string>(const std::string&)>;

// Slurm sets these in every job; a script that is started by hand has none of them.
Why why_unset(std::string_view name, const Variables& variables) {
  constexpr std::string_view kOfJobs[] = {"SLURM_JOB_ID",   "SLURM_JOBID",  "SLURM_JOB_NODELIST",
                                          "SLURM_NODELIST", "SLURM_PROCID", "SLURM_NODEID"};
  if (name == "0" || (name.size() == 1 && std::string_view("?$!-").find(name) != std::string::npos))
    return Why::computed;
  if (std::find(std::begin(kOfJobs), std::end(kOfJobs), name) == std::end(kOfJobs))
    return Why::outside;
  const auto first = variables.all().lower_bound(std::string_view("SLURM_"));
  const bool job = first != variables.all().end() && first->first.starts_with("SLURM_");
  return job ? Why::filled : Why::computed;
}

std::vector<Text> all_of(const Variable& v) {
  std::vector<Text> all = v.members;
  for (const auto& member : v.keyed) all.push_back(member.second);
  return all;
}

// A value that a branch sets is written as the word that names it.
void name_branches(Text& text, const std::string& written) {
  for (Piece& piece : text) {
    if (piece.why == Why::branch && piece.text.empty()) piece.text = written;
  }
}

// The argument of its number, "1" the first; nothing of other names, and where there are none.
std::optional<Variable> argument(std::string_view name, const Variable* arguments) {
  const bool position = !name.empty() && name.size() <= 2 &&
                        name.find_first_not_of("0123456789") == std::string_view::npos;
  const std::size_t n = position ? std::stoul(std::string(name)) : 0;
  if (n == 0 || arguments == nullptr) return {};
  if (n > arguments->members.size()) return Variable{};
  return Variable{{arguments->members[n - 1]}};
}

// Nothing where nobody set it.
std::optional<Variable> lookup(std::string_view name, const Variables& variables) {
  const Variable* arguments = variables.find(kArguments);
  if (name == "*" || name == "@") return arguments ? std::optional(*arguments) : std::nullopt;
  if (name == "#")
    return Variable{{known(std::to_string(arguments ? arguments->members.size() : 0))}};
  if (const Variable* v = variables.find(name)) return *v;
  return argument(name, arguments);
}

std::string with_case(std::string text, bool upper) {
  for (char& c : text) {
    const auto u = static_cast<unsigned char>(c);
    c = static_cast<char>(upper ? std::toupper(u) : std::tolower(u));
  }
  return text;
}

bool is_absent(const Text& text, bool set, bool colon) {
  return !set || is_outside(text) || (colon && text.empty());
}

class Expansion {
 public:
  Expansion(const WordPart& part, Evaluation& state)
      : part_(part),
        p_(*part.parameter),
        state_(state),
        variable_(lookup(p_.name, state.variables)) {}

  Members value() {
    if (p_.keys) return keys();
    if (p_.counts) return counted();
    const bool all = p_.members == Parameter::Members::apart ||
                     p_.members == Parameter::Members::joined || p_.name == "@" || p_.name == "*";
    if (all && (variable_ || p_.members != Parameter::Members::none)) return members();
    std::optional<Text> own = scalar();
    const bool set = own.has_value();
    Text text = own ? std::move(*own) : unset();
    name_branches(text, part_.text);
    return one(p_.sign.empty() ? text : changed(std::move(text), set));
  }

 private:
  Text unset() const { return unknown(part_.text, why_unset(p_.name, state_.variables)); }

  Members members() {
    std::vector<Text> all = variable_ ? all_of(*variable_) : std::vector<Text>();
    for (Text& text : all) name_branches(text, part_.text);
    const bool apart = p_.members == Parameter::Members::apart || p_.name == "@" || !part_.quoted;
    if (p_.sign == ":") return {slice(std::move(all)), apart};
    if (!p_.sign.empty() && !all.empty()) {
      for (Text& text : all) text = changed(std::move(text), true);
    } else if (!p_.sign.empty()) {
      return one(changed({}, false));
    }
    return {std::move(all), apart};
  }

  Members keys() const {
    if (p_.members == Parameter::Members::none) return indirect();
    Members all{{}, true};
    if (!variable_) return all;
    for (std::size_t i = 0; i < variable_->members.size(); ++i) {
      if (!is_gap(variable_->members[i])) all.all.push_back(known(std::to_string(i)));
    }
    for (const auto& member : variable_->keyed) all.all.push_back(known(member.first));
    return all;
  }

  Members indirect() const {
    const bool named = variable_ && !variable_->members.empty() && is_known(variable_->members[0]);
    const auto value =
        named ? lookup(written(variable_->members[0]), state_.variables) : std::nullopt;
    if (!value || value->members.empty()) return one(unknown(part_.text));
    return one(value->members[0]);
  }

  Members counted() const {
    if (!variable_) return one(unset());
    if (p_.members != Parameter::Members::none) {
      std::vector<Text> all = all_of(*variable_);
      std::erase_if(all, is_gap);
      if (std::any_of(all.begin(), all.end(), is_more)) return one(unknown(part_.text));
      return one(known(std::to_string(all.size())));
    }
    const Text text = variable_->members.empty() ? Text() : variable_->members[0];
    return one(mapped(text, [](const std::string& s) { return std::to_string(s.size()); }));
  }

  std::optional<Text> scalar() {
    if (p_.members == Parameter::Members::one) return element();
    if (!variable_) return {};
    return variable_->members.empty() ? Text() : variable_->members[0];
  }

  std::optional<Text> element() {
    if (!variable_) return {};
    const std::string key = written(expanded_text(p_.key, state_));
    const auto keyed = variable_->keyed.find(key);
    if (keyed != variable_->keyed.end()) return keyed->second;
    const Numbers index = expanded_numbers(p_.key, state_);
    const auto size = static_cast<std::int64_t>(variable_->members.size());
    if (index.size() != 1) return {};
    const std::int64_t at = index[0] < 0 ? size + index[0] : index[0];
    const bool open = std::any_of(variable_->members.begin(), variable_->members.end(), is_more);
    if (at < 0 || at >= size) return open ? std::nullopt : std::optional(Text());
    const Text& own = variable_->members[static_cast<std::size_t>(at)];
    return is_gap(own) ? Text() : own;
  }

  // The change of each value that it may be.
  Text mapped(const Text& text, const Change& change) const {
    const auto choices = choices_of(text);
    std::vector<std::string> values;
    for (const std::string& c : choices.value_or(std::vector<std::string>())) {
      auto changed = change(c);
      if (!changed) return unknown(part_.text);
      values.push_back(std::move(*changed));
    }
    return one_of(std::move(values), part_.text);
  }

  Text changed(Text text, bool set) {
    const std::string& sign = p_.sign;
    const char last = sign.back();
    if (last == '-' || last == '=') return otherwise(std::move(text), set);
    if (last == '+') return if_filled(text, set);
    if (last == '?') return is_absent(text, set, true) ? unknown(part_.text) : text;
    if (sign == ":") return part_of(text);
    if (sign == ",," || sign == "^^")
      return mapped(text, [&](const std::string& s) { return with_case(s, sign == "^^"); });
    const auto pattern = expanded_pattern(p_.operand, state_);
    if (!pattern || sign == "[") return unknown(part_.text);
    if (sign[0] != '/')
      return mapped(text, [&](const std::string& s) { return without_part(s, *pattern, sign); });
    const Text with = expanded_text(p_.second, state_);
    if (!is_known(with)) return unknown(part_.text);
    return mapped(text, [&](const std::string& s) {
      return with_replaced(s, *pattern, written(with), sign);
    });
  }

  // ${A:-b}, ${A:=b}
  Text otherwise(Text text, bool set) {
    const bool colon = p_.sign[0] == ':';
    const auto choices = choices_of(text);
    const bool doubtful = colon && choices && choices->size() > 1 &&
                          std::find(choices->begin(), choices->end(), "") != choices->end();
    if (!is_absent(text, set, colon) && !doubtful) return text;
    Text other = expanded_text(p_.operand, state_);
    if (doubtful) {
      const std::string value = written(other);
      return !is_known(other)
                 ? unknown(part_.text)
                 : mapped(text, [&](const std::string& s) { return s.empty() ? value : s; });
    }
    if (p_.sign.back() == '=') state_.variables.set(p_.name, other);
    return other;
  }

  // ${A:+b}; what a program prints is taken as something.
  Text if_filled(const Text& text, bool set) {
    if (is_absent(text, set, p_.sign[0] == ':')) return {};
    const bool maybe = !is_filled(text) && text[0].why == Why::branch;
    return maybe ? unknown(part_.text) : expanded_text(p_.operand, state_);
  }

  // ${A:2:3}
  Text part_of(const Text& text) {
    const Numbers begin = expanded_numbers(p_.operand, state_);
    const Numbers length = expanded_numbers(p_.second, state_);
    if (begin.size() != 1 || (length.empty() && !p_.second.written.empty()))
      return unknown(part_.text);
    return mapped(text, [&](const std::string& s) -> std::optional<std::string> {
      const auto size = static_cast<std::int64_t>(s.size());
      const std::int64_t from =
          begin[0] < 0 ? std::max<std::int64_t>(size + begin[0], 0) : begin[0];
      if (from >= size) return "";
      const std::int64_t n = length.empty() ? size : length[0];
      return n < 0 ? std::nullopt
                   : std::optional(
                         s.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(n)));
    });
  }

  // ${A[@]:1:2}; "$@" counts from 1.
  std::vector<Text> slice(std::vector<Text> all) {
    const Numbers begin = expanded_numbers(p_.operand, state_);
    const Numbers length = expanded_numbers(p_.second, state_);
    if (begin.size() != 1 || begin[0] < 0 || (length.empty() && !p_.second.written.empty()))
      return {unknown(part_.text)};
    const std::int64_t first = p_.name == "@" || p_.name == "*" ? 1 : 0;
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t from = std::clamp<std::int64_t>(begin[0] - first, 0, size);
    const std::int64_t n = length.empty() ? size : std::max<std::int64_t>(length[0], 0);
    all.erase(all.begin() + std::min(from + n, size), all.end());
    all.erase(all.begin(), all.begin() + std::min<std::int64_t>(from, std::ssize(all)));
    return all;
  }

  const WordPart& part_;
  const Parameter& p_;
  Evaluation& state_;
  std::optional<Variable> variable_;
};

}  // namespace

Members members_of(const WordPart& part, Evaluation& state) {
  return Expansion(part, state).value();
}

}  // namespace orrery::shell
