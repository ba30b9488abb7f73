// SPDX-License-Identifier: Apache-2.0
#include "insight/rl_search_report.h"

#include <algorithm>
#include <stdexcept>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/one_line.h"
#include "estimate/rl_keys.h"
#include "estimate/run_keys.h"
#include "explore/space_json.h"
#include "insight/rl_conditions.h"
#include "rl/resolve_learner.h"

namespace orrery {
namespace {

constexpr const char* kRisk = key_path<&RunRequest::risk>;
constexpr const char* kAsLikelyAsNot = "0.5";

std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// A key of placement or generator that --keep names: a path, an object, or the last part of a
// placement's ("tp" alone is the learner's).
std::vector<std::string> rl_paths_of(const std::string& name) {
  std::vector<std::string> out;
  for (const std::string& path : rl_free_paths()) {
    const bool is_short = last_of(path) == name && !lies_at(path, kRolloutKeys.path);
    if (lies_at(path, name) || is_short || (name == "memory_share" && last_of(path) == name)) {
      out.push_back(path);
    }
  }
  return out;
}

class RlHeldKeys {
 public:
  RlHeldKeys(const Json& run, const std::vector<Fact>& changes,
             const std::vector<std::string>& keep)
      : strategy_(run, changes, of_strategy(run, keep)), held_(strategy_.all()) {
    for (const Fact& change : changes) {
      if (change.known != Known::tool_default) hold(run, change.path, change.where);
    }
    for (const std::string& name : keep) {
      for (const std::string& path : rl_paths_of(name)) hold(run, path, "--keep");
    }
  }

  bool holds(std::string_view path) const {
    return std::find(paths_.begin(), paths_.end(), path) != paths_.end();
  }

  const std::vector<HeldKey>& all() const { return held_; }

  Json freed(const Json& run) const {
    Json free = strategy_.freed(run);
    for (const std::string& path : rl_free_paths()) {
      if (!holds(path)) erase_at(free, path);
    }
    return free;
  }

 private:
  static std::vector<std::string> of_strategy(const Json& /*run*/,
                                              const std::vector<std::string>& keep) {
    std::vector<std::string> out;
    for (const std::string& name : keep) {
      if (rl_paths_of(name).empty()) out.push_back(name);
    }
    return out;
  }

  void hold(const Json& run, const std::string& path, const std::string& by) {
    for (const std::string& free : rl_free_paths()) {
      if (!lies_at(free, path) || holds(free)) continue;
      const Json& value = value_at(run, free);
      paths_.push_back(free);
      if (!value.is_null()) held_.push_back({free, bare_text(value), by});
    }
  }

  HeldKeys strategy_;
  std::vector<HeldKey> held_;
  std::vector<std::string> paths_;
};

class Reporter {
 public:
  Reporter(const Json& run, const std::string& file, const ConfigLookup& lookup)
      : run_(run), file_(file), lookup_(lookup) {}

  RlFoundStep played(Json changed) const {
    RlFoundStep out{std::move(changed), {}, {}, {}};
    out.learner = resolve_learner(*out.run, file_, lookup_);
    out.step = rl_step_alone(out.learner);
    out.settings = settings_between(run_, *out.run);
    return out;
  }

  RlFoundStep found(const Json& freed, const RlSpace& space, const RlFound& f) const {
    RlFoundStep out = played(with_found(freed, space, f));
    const double off = out.step.step.value / f.step - 1;
    constexpr double kRounding = 1e-9;
    if (!out.step.fits || off > kRounding || off < -kRounding) {
      throw std::logic_error("search and estimate disagree on a step of reinforcement learning");
    }
    return out;
  }

  void add_own(RlSearchReport& r) const {
    try {
      r.own = played(run_);
    } catch (const InputError& e) {
      r.own_refusal = e.what();
    }
  }

 private:
  const Json& run_;
  const std::string& file_;
  const ConfigLookup& lookup_;
};

void refuse_search_keys(const Json& search, const std::string& file) {
  for (const auto& [key, value] : search.items()) {
    if (key == "top") continue;
    throw InputError(ErrorCode::not_allowed, file, "search." + one_line(key),
                     "a search of a step of reinforcement learning",
                     "search.top alone; --where, --minimize and --prices say what is looked for, "
                     "and --keep or flags hold keys of it");
  }
}

}  // namespace

namespace {

const Cluster* learner_cluster(const RlSpace& space) {
  for (const RlLearners& l : space.learners) {
    if (!l.layouts.empty()) return &l.layouts.front().bases.front().run.cluster;
  }
  return nullptr;
}

std::optional<PricedGpus> priced_gpus(const std::optional<PriceBook>& book, const RlSpace& space) {
  const Cluster* learner = learner_cluster(space);
  if (!book || space.choices.empty() || learner == nullptr) return {};
  RentsFound found = rents_of(*book, *learner, space.choices.front().rl.generator.cluster);
  if (found.priced) return std::move(found.priced);
  throw InputError(ErrorCode::missing_key, "the prices", "gpus." + found.missing + ".rent",
                   "nothing", "the rent of each device of the run: --rent MONEY for all of them");
}

}  // namespace

namespace {

// A generator that runs ahead answers with older weights: that trains otherwise, so it is offered
// and not recommended unless the user has it or asks for it.
bool keeps_algorithm(const Json& run, const RlHeldKeys& held) {
  constexpr const char* kKind = key_path<&PlacementRequest::kind>;
  return !held.holds(kKind) && value_at(run, kKind) != name_of(PlacementKind::async);
}

// Takes asynchronous placements out of the best, where others are found. True if one led them.
bool set_apart(const RlSpace& space, RlSearchAnswer& answer) {
  const auto kind = [&](const RlFound& f) { return space.choices[f.choice].rl.placement.kind; };
  std::vector<RlFound> others;
  for (const RlFound& f : answer.best) {
    if (kind(f) != PlacementKind::async) others.push_back(f);
  }
  if (answer.best.empty()) return false;
  if (others.empty()) {
    for (const auto& f : answer.of_kind) {
      if (!f || kind(*f) == PlacementKind::async) continue;
      if (others.empty() || f->aim < others[0].aim) others = {*f};
    }
  }
  if (others.empty()) return false;
  const bool led = kind(answer.best.front()) == PlacementKind::async;
  answer.best = std::move(others);
  return led;
}

}  // namespace

RlSearchReport report_on_rl_search(const Json& run_file, const std::string& file,
                                   const ConfigLookup& lookup, const std::vector<Fact>& changes,
                                   const RlSearchQuestion& question) {
  const SearchQuestion asked = taken_apart(run_file);
  if (asked.search.is_object()) refuse_search_keys(asked.search, file);
  const RlHeldKeys held(asked.run, changes, question.keep);
  const Json freed = held.freed(asked.run);
  const HoldsKey holds = [&](std::string_view path) { return held.holds(path); };
  RlSpace space = rl_space(freed, file, lookup, holds);
  SearchOptions options;
  question.adjust(options);
  RlSearchReport r;
  r.prices = priced_gpus(question.prices, space);
  r.cheapest = question.cheapest;
  r.where = question.where;
  r.held = held.all();
  r.top = options.top;
  if (value_at(asked.run, kRisk).is_null()) r.less_sure = {{kRisk, kAsLikelyAsNot}};
  const auto rents = r.prices ? std::optional(r.prices->rents) : std::nullopt;
  const RlSearchAims aims{question.cheapest ? rents : std::nullopt,
                          rl_conditions(question.where, rents, "orrery search")};
  r.answer = rl_search(space, options, aims);
  if (r.answer.best.empty() && !r.answer.is_stopped) {
    space = rl_space(freed, file, lookup, holds, RlDegrees::all);
    r.answer = rl_search(space, options, aims);
    r.beyond_framework = !r.answer.best.empty();
  }
  r.choices = std::ssize(space.choices);
  r.rollouts = std::ssize(space.rollouts);
  const Reporter reporter(asked.run, file, lookup);
  if (keeps_algorithm(asked.run, held)) r.other_algorithm = set_apart(space, r.answer);
  for (const RlFound& f : r.answer.best) r.best.push_back(reporter.found(freed, space, f));
  for (const auto& f : r.answer.of_kind) {
    if (!f || f->aim == r.answer.best.front().aim) continue;
    r.of_kind.push_back(reporter.found(freed, space, *f));
  }
  reporter.add_own(r);
  return r;
}

std::optional<Money> cost_of(const RlSearchReport& r, const RlFoundStep& f) {
  if (!r.prices) return {};
  return cost_of_step(*f.learner.rl, f.step.step.value, r.prices->rents);
}

}  // namespace orrery
