// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/json_text.h"
#include "estimate/rl_keys.h"
#include "insight/rl_report.h"

namespace orrery {
namespace {

using Settings = std::vector<Setting>;

constexpr double kWorthATry = 0.97;  // of the step: what a prediction tells apart from another
constexpr std::size_t kMostShown = 5;

// The learner yields nothing on GPUs of its own.
Settings apart(std::int64_t rollout_gpus) {
  using P = PlacementRequest;
  return {{key_path<&P::kind>, "async"},
          {key_path<&P::rollout_gpus>, std::to_string(rollout_gpus)},
          {key_path<&P::offload_weights>, "null"},
          {key_path<&P::offload_optimizer>, "null"},
          {key_path<&P::sleep_level>, "null"}};
}

Settings together() {
  using P = PlacementRequest;
  return {{key_path<&P::kind>, "colocated"},       {key_path<&P::rollout_gpus>, "null"},
          {key_path<&P::staleness>, "null"},       {key_path<&P::partial>, "null"},
          {key_path<&P::offload_weights>, "true"}, {key_path<&P::offload_optimizer>, "true"}};
}

// GPUs that generate, in quarters of all, whole engines each.
std::vector<Settings> splits(const RlRun& rl) {
  const std::int64_t engine = gpus_of(rl.generator.layout);
  const bool colocated = rl.placement.kind == PlacementKind::colocated;
  std::set<std::int64_t> tried = {rl.all_gpus};
  if (!colocated) tried.insert(rl.placement.rollout_gpus);
  std::vector<Settings> out;
  for (const std::int64_t quarters : {1, 2, 3}) {
    const std::int64_t gpus = rl.all_gpus * quarters / 4 / engine * engine;
    if (gpus == 0 || !tried.insert(gpus).second) continue;
    if (colocated) {
      out.push_back(apart(gpus));
    } else {
      out.push_back({{key_path<&PlacementRequest::rollout_gpus>, std::to_string(gpus)}});
    }
  }
  return out;
}

std::vector<Settings> engines(const RlRun& rl) {
  const char* tp = key_path<&RolloutRequest::tp>;
  std::vector<Settings> out;
  if (rl.generator.layout.ep > 1) return out;
  if (rl.work.engines > 1) out.push_back({{tp, std::to_string(rl.generator.layout.tp * 2)}});
  if (rl.generator.layout.tp > 1) out.push_back({{tp, std::to_string(rl.generator.layout.tp / 2)}});
  return out;
}

std::vector<Settings> placements(const RlRun& rl) {
  std::vector<Settings> out = splits(rl);
  const RlPlacement& p = rl.placement;
  if (p.kind != PlacementKind::colocated) out.push_back(together());
  if (p.kind == PlacementKind::split) out.push_back({{key_path<&PlacementRequest::kind>, "async"}});
  if (p.kind == PlacementKind::async && !p.partial) {
    out.push_back({{key_path<&PlacementRequest::partial>, "true"}});
  }
  return out;
}

Json changed(Json run, const Settings& settings) {
  for (const Setting& s : settings) {
    s.value == "null" ? erase_at(run, s.path)
                      : static_cast<void>(set_at(run, s.path, json_or_text(s.value)));
  }
  return run;
}

class Alternatives {
 public:
  Alternatives(const Json& run, const std::string& file, const ConfigLookup& lookup)
      : run_(run), file_(file), lookup_(lookup) {}

  std::vector<RlAlternative> of(const RlReport& r) const {
    const RlRun& rl = *r.learner.resolved.rl;
    std::vector<RlAlternative> out;
    if (!rl.generates) return out;
    for (const auto& list : {engines(rl), placements(rl)}) {
      for (const Settings& s : list) {
        if (const auto step = step_with(s)) out.push_back({given(s), *step});
      }
    }
    const Seconds enough = r.step.step.value * kWorthATry;
    if (r.step.fits) {
      std::erase_if(out, [&](const RlAlternative& a) { return a.step > enough; });
    }
    std::stable_sort(out.begin(), out.end(), [](const RlAlternative& a, const RlAlternative& b) {
      return a.step < b.step;
    });
    if (out.size() > kMostShown) out.resize(kMostShown);
    return out;
  }

 private:
  // Keys that the run does not have need not be taken away.
  Settings given(Settings settings) const {
    std::erase_if(settings, [&](const Setting& s) {
      return s.value == "null" && value_at(run_, s.path).is_null();
    });
    return settings;
  }

  // Nothing where the change breaks a rule or does not fit.
  std::optional<Seconds> step_with(const Settings& s) const {
    try {
      const RlStep step = rl_step_alone(resolve_with_rl(changed(run_, s), file_, lookup_));
      if (step.fits) return step.step.value;
    } catch (const InputError&) {
    }
    return {};
  }

  const Json& run_;
  const std::string& file_;
  const ConfigLookup& lookup_;
};

}  // namespace

RlReport rl_report_with_alternatives(const Json& run, const std::string& file,
                                     const ConfigLookup& lookup, const std::vector<Fact>& changes) {
  RlReport r = rl_report_on(resolve_with_rl(run, file, lookup, changes));
  r.faster = Alternatives(run, file, lookup).of(r);
  return r;
}

}  // namespace orrery
