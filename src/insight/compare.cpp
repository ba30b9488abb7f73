// SPDX-License-Identifier: Apache-2.0
#include "insight/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/fact.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "estimate/run_keys.h"
#include "insight/mixed_report.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

// Every leaf of a document by its path; a list is a leaf.
void flatten(const Json& j, const std::string& path, std::map<std::string, Json>& out) {
  if (!j.is_object()) {
    out[path] = j;
    return;
  }
  for (const auto& [key, value] : j.items()) {
    flatten(value, path.empty() ? key : path + "." + key, out);
  }
}

std::map<std::string, Json> leaves_of(const NamedRun& r) {
  std::map<std::string, Json> leaves;
  flatten(*r.report.resolved.inputs, "", leaves);
  leaves.erase("parallel.dp");
  return leaves;
}

// "adapter.rank" of "training.adapter.rank" in "training".
std::optional<std::string> key_in(const std::string& object, const std::string& path) {
  if (path.rfind(object + ".", 0) != 0) return {};
  return path.substr(object.size() + 1);
}

// The key itself, or the object or name that holds it.
bool holds(const std::vector<std::string>& keys, const std::string& key) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& s) { return key == s || key.rfind(s + ".", 0) == 0; });
}

// True if the run's own file sets the key; a default otherwise.
bool is_given(const ResolvedRun& r, const std::string& path) {
  if (is_assumed(r.assumed, path)) return false;
  if (const auto key = key_in(kStrategyKeys.path, path)) return holds(r.parallel_keys, *key);
  if (const auto key = key_in(kTrainingKeys.path, path)) return holds(r.training_keys, *key);
  return true;
}

// Sequence parallelism that the file asks for, and that one tensor-parallel rank leaves without a
// meaning, counts again where the change brings more ranks.
void take_given_switches(const ResolvedRun& r, Json& run) {
  const std::string path = key_path<&Strategy::sequence_parallel>;
  const auto key = key_in(kStrategyKeys.path, path);
  if (is_assumed(r.assumed, path) && holds(r.parallel_keys, *key)) set_at(run, path, true);
}

// The first run with one key changed; what its file leaves open is left to follow.
void try_alone(const NamedRun& first, const ConfigLookup& lookup, ChangedKey& key) {
  Json run = *first.report.resolved.inputs;
  std::map<std::string, Json> leaves;
  flatten(run, "", leaves);
  for (const auto& [path, value] : leaves) {
    if (!is_given(first.report.resolved, path)) erase_at(run, path);
  }
  take_given_switches(first.report.resolved, run);
  if (key.to.is_null()) {
    erase_at(run, key.path);
  } else {
    set_at(run, key.path, key.to);
  }
  try {
    const Answer a = report_on_either(run, first.name, lookup).answer;
    key.possible = true;
    key.step = a.step_time;
    key.peak = a.memory.peak;
  } catch (const InputError& e) {
    key.why_not = e.what();
  }
}

double effect(const ChangedTerm& t) {
  double most = 0;
  for (const double v : t.values) most = std::max(most, std::abs(v - t.values[0]));
  return most;
}

class Comparer {
 public:
  Comparer(std::vector<NamedRun> runs, const ConfigLookup& lookup) : lookup_(lookup) {
    c_.runs = std::move(runs);
  }

  Comparison compared() {
    for (const Metric& m : metrics()) add_term(m);
    sort_by_effect(c_.time);
    sort_by_effect(c_.memory);
    for (std::size_t i = 1; i < c_.runs.size(); ++i) add_keys(i);
    return std::move(c_);
  }

 private:
  void add_term(const Metric& m) {
    ChangedTerm t{&m, {}};
    for (const NamedRun& r : c_.runs) {
      t.values.push_back(m.value({r.report.resolved.run, r.report.answer}));
    }
    if (m.group == MetricGroup::speed || m.key == "memory.peak_gib") c_.numbers.push_back(t);
    if (effect(t) == 0) return;
    if (m.group == MetricGroup::time) c_.time.push_back(t);
    if (m.group == MetricGroup::memory_line) c_.memory.push_back(t);
  }

  static void sort_by_effect(std::vector<ChangedTerm>& terms) {
    std::stable_sort(terms.begin(), terms.end(), [](const ChangedTerm& a, const ChangedTerm& b) {
      return effect(a) > effect(b);
    });
  }

  void add_keys(std::size_t i) {
    const auto from = leaves_of(c_.runs[0]);
    const auto to = leaves_of(c_.runs[i]);
    std::vector<ChangedKey> keys;
    for (const auto& [path, value] : to) {
      const auto known = from.find(path);
      if (known != from.end() && known->second == value) continue;
      keys.push_back(
          {i, path, known == from.end() ? Json() : known->second, value, false, false, "", {}, {}});
    }
    for (const auto& [path, value] : from) {
      if (to.count(path) == 0) keys.push_back({i, path, value, Json(), false, false, "", {}, {}});
    }
    const auto given = [&](std::size_t run, const std::string& path) {
      return is_given(c_.runs[run].report.resolved, path);
    };
    for (ChangedKey& k : keys) {
      k.follows = !given(0, k.path) && !given(i, k.path);
      if (!k.follows) try_alone(c_.runs[0], lookup_, k);
    }
    const Seconds step = c_.runs[0].report.answer.step_time;
    const auto size = [step](const ChangedKey& k) {
      return k.possible ? std::abs((k.step - step).si()) : -1.0;
    };
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const ChangedKey& a, const ChangedKey& b) { return size(a) > size(b); });
    c_.keys.insert(c_.keys.end(), keys.begin(), keys.end());
  }

  const ConfigLookup& lookup_;
  Comparison c_;
};

}  // namespace

Comparison compare(std::vector<NamedRun> runs, const ConfigLookup& lookup) {
  return Comparer(std::move(runs), lookup).compared();
}

}  // namespace orrery
