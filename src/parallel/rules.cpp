// SPDX-License-Identifier: Apache-2.0
#include "parallel/rules.h"

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

}  // namespace

const Rule& rule_of(RuleId id) { return entry_of(id).rule; }

RuleId first_broken(const Strategy& s, const Architecture& a, const RunShape& run) {
  return first_broken_of(RuleCase{s, a, run}, std::make_index_sequence<kRules>());
}

std::string found_text(RuleId id, const Strategy& s, const Architecture& a, const RunShape& run) {
  std::string text;
  for (const Fact fact : entry_of(id).facts) {
    if (fact == Fact::none) break;
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
