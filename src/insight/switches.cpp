// SPDX-License-Identifier: Apache-2.0
#include "insight/switches.h"

#include <limits>
#include <optional>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "estimate/fits_at_risk.h"
#include "estimate/resolve.h"
#include "estimate/risk.h"
#include "estimate/training_keys.h"
#include "explore/recommend.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kAttention = key_path<&TrainingRequest::flash_attention>;
constexpr double kWorthSwitching = 1.001;
constexpr int kMostPasses = 3;

struct Tried {
  Run run;
  Answer answer;
};

std::optional<Tried> tried(const Json& run, const std::string& file, const ConfigLookup& lookup) {
  try {
    Tried t{resolve_for_numbers(run, file, lookup).run, {}};
    t.answer = estimate(t.run);
    return t;
  } catch (const InputError&) {
    return {};
  }
}

class Switching {
 public:
  Switching(const Json& run, const std::string& file, const ConfigLookup& lookup)
      : run_(run), file_(file), lookup_(lookup), step_(step_of({})) {}

  BestSwitches best(const std::function<bool(const std::string&)>& is_free) {
    const std::vector<Switch> all = switches_of(resolve_for_numbers(run_, file_, lookup_));
    for (int pass = 0; pass < kMostPasses; ++pass) {
      const Seconds before = step_;
      for (const Switch& s : all) {
        if (is_free(s.path)) improve(s);
      }
      if (!(step_ * kWorthSwitching < before)) break;
    }
    return {settings_, step_};
  }

 private:
  void improve(const Switch& s) {
    for (const std::string& value : s.others) {
      std::vector<Setting> changed = settings_;
      std::erase_if(changed, [&](const Setting& old) { return old.path == s.path; });
      changed.push_back({s.path, value});
      const Seconds step = step_of(changed);
      if (!(step * kWorthSwitching < step_)) continue;
      step_ = step;
      settings_ = std::move(changed);
    }
  }

  Seconds step_of(const std::vector<Setting>& settings) const {
    const auto t = tried(with_settings(run_, settings), file_, lookup_);
    return t && fits_at_risk(t->run, t->answer) ? t->answer.step_time
                                                : Seconds(std::numeric_limits<double>::infinity());
  }

  const Json& run_;
  const std::string& file_;
  const ConfigLookup& lookup_;
  std::vector<Setting> settings_;
  Seconds step_;
};

}  // namespace

std::vector<Switch> switches_of(const ResolvedRun& run) {
  std::vector<Switch> all;
  for (const FrameworkOption& o : run.framework.options) {
    if (o.searched.empty()) continue;
    all.push_back(
        {std::string(key_path<&StrategyRequest::framework_options>) + "." + o.name, o.searched});
    std::erase(all.back().others, o.value);
  }
  if (!run.run.training.fused_attention) all.push_back({kAttention, {"true"}});
  return all;
}

BestSwitches best_switches(const Json& run, const std::string& file, const ConfigLookup& lookup,
                           const std::function<bool(const std::string& path)>& is_free) {
  return Switching(run, file, lookup).best(is_free);
}

Json with_settings(Json run, const std::vector<Setting>& settings) {
  for (const Setting& s : settings) set_at(run, s.path, json_or_text(s.value));
  return run;
}

std::vector<Advice> switch_advice(const Json& run, const ResolvedRun& resolved,
                                  const Answer& answer, const ConfigLookup& lookup) {
  std::vector<Advice> advice;
  const bool fits = answer.reason == Reason::fits;
  for (const Switch& s : switches_of(resolved)) {
    if (s.path == kAttention) continue;  // one of the moves (insight/advice.h)
    for (const std::string& value : s.others) {
      const std::vector<Setting> setting = {{s.path, value}};
      const auto t = tried(with_settings(run, setting), resolved.file, lookup);
      if (!t || !fits_at_risk(t->run, t->answer)) continue;
      const Answer& a = t->answer;
      if (fits && a.step_time * kRecommendationBand > answer.step_time) continue;
      advice.push_back(
          {setting, true, a.step_time, a.memory.peak, a.host_needed, fit_probability(t->run, a)});
    }
  }
  return advice;
}

}  // namespace orrery
