// SPDX-License-Identifier: Apache-2.0
#include "exchange/shell/value.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace orrery::shell {
namespace {

constexpr std::size_t kMostChoices = 16;

void add_once(std::vector<std::string>& all, std::string one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
}

}  // namespace

bool operator==(const Piece& a, const Piece& b) {
  return a.text == b.text && a.why == b.why && a.choices == b.choices;
}

bool operator==(const Variable& a, const Variable& b) {
  return a.members == b.members && a.keyed == b.keyed;
}

Text known(std::string text) { return text.empty() ? Text() : Text{{std::move(text)}}; }

Text unknown(std::string written, Why why, std::vector<std::string> choices) {
  return {{std::move(written), why, std::move(choices)}};
}

void append(Text& text, std::string_view more) {
  if (more.empty()) return;
  if (text.empty() || text.back().why != Why::known) text.push_back({""});
  text.back().text += more;
}

void append(Text& text, const Text& more) {
  for (const Piece& p : more) {
    p.why == Why::known ? append(text, p.text) : text.push_back(p);
  }
}

bool is_known(const Text& text) {
  return std::all_of(text.begin(), text.end(), [](const Piece& p) { return p.why == Why::known; });
}

bool is_outside(const Text& text) { return text.size() == 1 && text[0].why == Why::outside; }

bool is_filled(const Text& text) {
  return std::any_of(text.begin(), text.end(), [](const Piece& p) {
    const bool chosen =
        !p.choices.empty() && std::none_of(p.choices.begin(), p.choices.end(),
                                           [](const std::string& c) { return c.empty(); });
    return p.why == Why::known || p.why == Why::filled || chosen;
  });
}

bool is_more(const Text& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](const Piece& p) { return p.why == Why::more; });
}

bool is_gap(const Text& text) { return is_more(text) && choices_of(text).has_value(); }

std::string written(const Text& text) {
  std::string all;
  for (const Piece& p : text) {
    if (p.why != Why::more) all += p.text;
  }
  return all;
}

std::optional<std::vector<std::string>> choices_of(const Text& text) {
  std::vector<std::string> all = {""};
  for (const Piece& p : text) {
    const std::vector<std::string> own =
        p.why == Why::known ? std::vector<std::string>{p.text} : p.choices;
    if (own.empty() || all.size() * own.size() > kMostChoices) return {};
    std::vector<std::string> longer;
    for (const std::string& begin : all) {
      for (const std::string& end : own) add_once(longer, begin + end);
    }
    all = std::move(longer);
  }
  return all;
}

Text one_of(std::vector<std::string> values, const std::string& written) {
  std::vector<std::string> all;
  for (std::string& v : values) add_once(all, std::move(v));
  if (all.size() == 1) return known(all.front());
  return unknown(written, all.empty() ? Why::computed : Why::branch, std::move(all));
}

const Variable* Variables::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

void Variables::set(const std::string& name, std::optional<Variable> value) {
  const Variable* old = find(name);
  const bool same = value ? old != nullptr && *old == *value : old == nullptr;
  changes_ += same ? 0 : 1;
  keep(name, old);
  value ? void(all_[name] = std::move(*value)) : void(all_.erase(name));
}

void Variables::extend(const std::string& name, std::vector<Text> members) {
  keep(name, find(name));
  changes_ += members.empty() ? 0 : 1;
  Variable& all = all_[name];
  std::move(members.begin(), members.end(), std::back_inserter(all.members));
}

// The value from before the branch, by its first change there.
void Variables::keep(const std::string& name, const Variable* old) {
  if (before_.empty() || before_.back().count(name) > 0) return;
  before_.back().emplace(name, old == nullptr ? std::nullopt : std::optional(*old));
}

Changes Variables::end() {
  Changes changes = std::move(before_.back());
  before_.pop_back();
  for (auto& [name, value] : changes) {
    const auto now = all_.find(name);
    std::optional<Variable> after;
    if (now != all_.end()) after = std::move(now->second);
    value ? void(all_[name] = std::move(*value)) : void(all_.erase(name));
    value = std::move(after);
  }
  return changes;
}

namespace {

using Alternatives = std::vector<const Variable*>;

bool is_scalar(const Variable* v) {
  return v != nullptr && v->members.size() == 1 && v->keyed.empty();
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t'; }

// The text beside `kept` in `text`, from a blank on; nothing where it is not kept so.
std::optional<std::string> behind(const std::string& text, const std::string& kept) {
  if (!text.starts_with(kept)) return {};
  const std::string rest = text.substr(kept.size());
  const bool apart = rest.empty() || is_blank(rest.front()) || is_blank(kept.back());
  return apart ? std::optional(rest) : std::nullopt;
}

std::optional<std::string> in_front(const std::string& text, const std::string& kept) {
  if (!text.ends_with(kept)) return {};
  const std::string rest = text.substr(0, text.size() - kept.size());
  return rest.empty() || is_blank(rest.back()) ? std::optional(rest) : std::nullopt;
}

std::vector<std::string> words_of(const std::string& text) {
  return text.empty() ? std::vector<std::string>() : std::vector<std::string>{text};
}

// All alternatives keep the value from before and may have more beside it.
template <class Beside>
std::optional<Merged> added(const Text& before, const Alternatives& all, Beside beside) {
  const std::string kept = written(before);
  std::vector<std::string> more;
  bool all_known = true;
  Merged out;
  for (const Variable* a : all) {
    const auto each = kept.empty() ? std::nullopt : beside(written(a->members[0]), kept);
    if (!each) return {};
    all_known = all_known && is_known(a->members[0]);
    out.words.push_back(words_of(*each));
    add_once(more, *each);
  }
  if (!all_known) more.clear();
  out.value.members = {unknown("", Why::more, std::move(more))};
  return out;
}

Merged replaced(const Alternatives& all) {
  Merged out;
  std::vector<std::string> choices;
  bool all_known = true;
  for (const Variable* a : all) {
    const Text text = a == nullptr || a->members.empty() ? Text() : a->members[0];
    out.words.push_back(words_of(written(text)));
    const auto own = a == nullptr ? std::nullopt : choices_of(text);
    all_known = all_known && own.has_value();
    for (const std::string& c : own.value_or(std::vector<std::string>())) add_once(choices, c);
  }
  if (!all_known || choices.size() > kMostChoices) choices.clear();
  out.value.members = {unknown("", Why::branch, std::move(choices))};
  return out;
}

// The members from before that all keep, and the others as words that may be added.
Merged of_arrays(const Variable* before, const Alternatives& all) {
  Merged out;
  const bool keep =
      before != nullptr && std::all_of(all.begin(), all.end(), [&](const Variable* a) {
        return a != nullptr && a->members.size() >= before->members.size() &&
               std::equal(before->members.begin(), before->members.end(), a->members.begin());
      });
  const std::size_t kept = keep ? before->members.size() : 0;
  if (keep) out.value.members = before->members;
  for (const Variable* a : all) {
    out.words.emplace_back();
    for (std::size_t i = kept; a != nullptr && i < a->members.size(); ++i)
      out.words.back().push_back(written(a->members[i]));
  }
  out.value.members.push_back(unknown("", Why::more));
  return out;
}

}  // namespace

Merged merged(const Variable* before, const std::vector<const Variable*>& alternatives) {
  const auto all = [&](const auto& holds) {
    return std::all_of(alternatives.begin(), alternatives.end(), holds);
  };
  if (!all([](const Variable* a) { return a == nullptr || is_scalar(a); }))
    return of_arrays(before, alternatives);
  if (!is_scalar(before) || !all(is_scalar)) return replaced(alternatives);
  const Text& kept = before->members[0];
  if (auto more = added(kept, alternatives, behind)) {
    Text& value = more->value.members[0];
    value.insert(value.begin(), kept.begin(), kept.end());
    return *more;
  }
  if (auto more = added(kept, alternatives, in_front)) {
    append(more->value.members[0], kept);
    return *more;
  }
  return replaced(alternatives);
}

}  // namespace orrery::shell
