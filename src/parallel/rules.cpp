// SPDX-License-Identifier: Apache-2.0
#include "parallel/rules.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/error.h"
#include "parallel/rules_facts.h"
#include "parallel/rules_table.h"

namespace orrery {
namespace {

using legality::kEntries;

const legality::Entry& entry_of(RuleId id) { return kEntries[static_cast<std::size_t>(id) - 1]; }

template <std::size_t I>
bool is_broken(const RuleCase& c) {
  constexpr auto kBroken = kEntries[I].broken;
  return kBroken(c);
}

// Unrolled, with every rule inlined: a search asks this of each candidate.
template <std::size_t... I>
[[gnu::flatten]] RuleId first_broken_of(const RuleCase& c, std::index_sequence<I...> /*all*/) {
  RuleId id = RuleId::none;
  static_cast<void>(((is_broken<I>(c) && (id = kEntries[I].rule.id, true)) || ...));
  return id;
}

// The indices of a part's rules, which follow one another.
template <RulePart Part>
constexpr auto rules_in() {
  constexpr auto first = std::find_if(kEntries.begin(), kEntries.end(),
                                      [](const auto& e) { return rule_part(e.rule.id) == Part; });
  constexpr auto count = std::count_if(kEntries.begin(), kEntries.end(),
                                       [](const auto& e) { return rule_part(e.rule.id) == Part; });
  constexpr auto start = static_cast<std::size_t>(first - kEntries.begin());
  return []<std::size_t... I>(std::index_sequence<I...> /*all*/) {
    return std::index_sequence<start + I...>();
  }
  (std::make_index_sequence<static_cast<std::size_t>(count)>());
}

}  // namespace

const Rule& rule_of(RuleId id) { return entry_of(id).rule; }

bool is_of_degrees_alone(RuleId id) { return id != RuleId::none && entry_of(id).of_degrees_alone; }

RuleId first_broken(const Strategy& s, const Architecture& a, const RunShape& run) {
  return first_broken_of(RuleCase{s, a, run}, std::make_index_sequence<kRules>());
}

RuleId first_broken(RulePart part, const Strategy& s, const Architecture& a, const RunShape& run) {
  const RuleCase c = {s, a, run};
  switch (part) {
    case RulePart::degrees:
      return first_broken_of(c, rules_in<RulePart::degrees>());
    case RulePart::sharding:
      return first_broken_of(c, rules_in<RulePart::sharding>());
    case RulePart::recompute:
      return first_broken_of(c, rules_in<RulePart::recompute>());
  }
  return RuleId::none;
}

std::string found_text(RuleId id, const Strategy& s, const Architecture& a, const RunShape& run) {
  std::string text;
  for (const RuleFact fact : entry_of(id).facts) {
    if (fact == RuleFact::none) break;
    text += (text.empty() ? "" : ", ") + fact_text(fact, RuleCase{s, a, run});
  }
  return text;
}

void check(const Strategy& s, const Architecture& a, const RunShape& run, const std::string& file) {
  const RuleId id = first_broken(s, a, run);
  if (id == RuleId::none) return;
  const Rule& rule = rule_of(id);
  throw InputError(ErrorCode::broken_rule, file, std::string(rule.path), found_text(id, s, a, run),
                   std::string(rule.allowed));
}

}  // namespace orrery
