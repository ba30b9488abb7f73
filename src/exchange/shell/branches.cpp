// SPDX-License-Identifier: Apache-2.0
//
// Branches in doubt: each evaluated for itself, then joined.
#include <algorithm>
#include <set>

#include "exchange/shell/cursor.h"
#include "exchange/shell/evaluate.h"
#include "exchange/text_lines.h"

namespace orrery::shell {
namespace {

void move_all(std::vector<std::string>& from, std::vector<std::string>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

// The value of a name behind a branch.
const Variable* value_after(const Branch& branch, const std::string& name, const Variable* now) {
  const auto changed = branch.after.find(name);
  if (changed == branch.after.end()) return now;
  return changed->second ? &*changed->second : nullptr;
}

bool same(const Variable* a, const Variable* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

// Sets what a name is behind all of the branches; adds the words in which they differ to those of
// each branch, of which the last is that none is taken.
void join_name(const std::string& name, const std::vector<const Branch*>& all, bool whole,
               std::vector<std::vector<std::string>>& words, Evaluation& state) {
  const Variable* now = state.variables.find(name);
  std::vector<const Variable*> values;
  for (const Branch* b : all) values.push_back(value_after(*b, name, now));
  if (!whole) values.push_back(now);
  if (std::all_of(values.begin(), values.end(),
                  [&](const Variable* v) { return same(v, values[0]); })) {
    if (values[0] != nullptr) state.variables.set(name, *values[0]);
    return;
  }
  const Merged one = merged(now, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<std::string>& own = words[std::min(i, all.size() - 1)];
    own.insert(own.end(), one.words[i].begin(), one.words[i].end());
    if (!one.words[i].empty()) own.emplace_back(";");
  }
  state.out.doubted.push_back(name);
  state.variables.set(name, one.value);
}

}  // namespace

void split_argument(const std::string& word, std::vector<std::string>& out) {
  const std::size_t first = word.find_first_not_of(" \t\r\n");
  const bool argument = first != std::string::npos && word.compare(first, 2, "--") == 0 &&
                        word.find_first_of(" \t\n") != std::string::npos;
  if (!argument) return out.push_back(word);
  for (std::string& w : split_words(word)) out.push_back(std::move(w));
}

void add_doubt(std::size_t line, const char* what, const std::vector<std::string>& words,
               Evaluation& state) {
  std::vector<ShellDoubt>& all = state.out.doubts;
  if (all.empty() || all.back().line != line) all.push_back({line, what, {}});
  for (const std::string& w : words) {
    state.spend(w.size());
    split_argument(w, all.back().words);
  }
  all.back().words.emplace_back(";");
}

Branch in_branch(std::size_t line, const char* what, Evaluation& state,
                 const std::function<Status()>& run) {
  Branch branch{line, what};
  ShellRun before = std::exchange(state.out, {});
  const std::optional<Text> printed = state.printed;
  state.variables.begin();
  branch.status = run();
  branch.after = state.variables.end();
  if (state.printed != printed) append(*state.printed, unknown(""));
  ShellRun inside = std::exchange(state.out, std::move(before));
  if (!inside.words.empty()) {
    inside.words.pop_back();
    add_doubt(line, what, inside.words, state);
  }
  for (ShellDoubt& d : inside.doubts) {
    d.words.pop_back();
    add_doubt(line, what, d.words, state);
  }
  move_all(inside.doubted, state.out.doubted);
  move_all(inside.sources, state.out.sources);
  move_all(inside.included, state.out.included);
  return branch;
}

Status join(const std::vector<Branch>& branches, bool whole, Evaluation& state) {
  std::vector<const Branch*> all;
  std::set<std::string> names;
  Status status{true};
  for (const Branch& b : branches) {
    if (b.status.leave == Leave::script && !b.status.perhaps) continue;
    if (b.status.truth != true) status.truth = Truth();
    if (b.status.leave != Leave::nothing) status = {{}, b.status.leave, true};
    all.push_back(&b);
    for (const auto& change : b.after) names.insert(change.first);
  }
  if (all.empty()) return status;
  std::vector<std::vector<std::string>> words(all.size());
  for (const std::string& name : names) join_name(name, all, whole, words, state);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (words[i].empty()) continue;
    words[i].pop_back();
    add_doubt(all[i]->line, all[i]->what, words[i], state);
  }
  return status;
}

}  // namespace orrery::shell
