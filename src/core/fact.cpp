// SPDX-License-Identifier: Apache-2.0
#include "core/fact.h"

#include <algorithm>

#include "core/fact_keys.h"
#include "core/json.h"

namespace orrery {

extern const KeyTable kFactTable;
constinit const KeyTable kFactTable = {"assumed[]", kFactRows.rows};

const Fact* find_fact(const std::vector<Fact>& facts, std::string_view path) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.path == path; });
  return found == facts.end() ? nullptr : &*found;
}

bool is_assumed(const std::vector<Fact>& facts, std::string_view path) {
  const Fact* found = find_fact(facts, path);
  return found != nullptr && found->known != Known::stated;
}

std::string origin_words(const Fact& fact) {
  std::string text(name_of(fact.known));
  if (!fact.why.empty()) text += ": " + fact.why;
  if (!fact.where.empty()) text += " (" + fact.where + ")";
  return text;
}

Json fact_json(const Fact& fact) {
  return {{"path", fact.path},
          {"value", fact.value},
          {"why", fact.why},
          {"known", name_of(fact.known)},
          {"where", fact.where}};
}

}  // namespace orrery
