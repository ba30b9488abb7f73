// SPDX-License-Identifier: Apache-2.0
#include "insight/against.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "core/units.h"
#include "document/words.h"
#include "estimate/training_keys.h"
#include "hardware/cluster_keys.h"
#include "parallel/strategy_keys.h"
#include "validate/summary.h"

namespace orrery {
namespace {

using Names = std::array<std::string_view, 8>;

struct TimedTerm {
  const char* name;
  Names timers;
  std::array<std::string_view, 5> terms;
  std::string_view without = "";  // a timer that runs inside these and counts elsewhere
};

// Megatron-LM's timers (megatron/training/training.py) by the terms that predict them.
constexpr std::array<TimedTerm, 4> kTimedTerms = {{
    {"forward and backward passes",
     {"forward-compute", "backward-compute"},
     {"compute", "recompute", "tp_exposed", "cp_exposed", "ep_exposed"}},
    {"pipeline: sends and waits",
     {"forward-recv", "forward-send", "backward-recv", "backward-send",
      "forward-send-backward-recv", "backward-send-forward-recv", "forward-send-forward-recv",
      "backward-send-backward-recv"},
     {"pp_exposed", "pp_bubble"}},
    {"data parallel", {"all-grads-sync", "params-all-gather"}, {"dp_exposed"}},
    {"optimizer", {"optimizer"}, {"optimizer"}, "params-all-gather"},
}};

double predicted_term(const Answer& a, const TimedTerm& t) {
  double sum = 0;
  for (const std::string_view name : t.terms) {
    if (const auto term = find_name<Term>(name)) sum += a.breakdown[*term].si();
  }
  return sum;
}

void add_timers(const RunReport& r, const TrainingLog& log, TrainingAgainst& out) {
  std::set<std::string> used;
  for (const TimedTerm& t : kTimedTerms) {
    double measured = 0;
    for (const std::string_view name : t.timers) {
      const auto found = log.timers.find(std::string(name));
      if (name.empty() || found == log.timers.end()) continue;
      measured += found->second.si();
      used.insert(found->first);
    }
    const auto inside = log.timers.find(std::string(t.without));
    if (inside != log.timers.end()) measured -= inside->second.si();
    if (measured > 0) out.lines.push_back({t.name, "s", predicted_term(r.answer, t), measured});
  }
  for (const auto& [name, time] : log.timers) {
    if (used.count(name) == 0) out.unused_timers.push_back(name);
  }
}

struct SettingOfRun {
  std::string_view key;
  std::int64_t (*of)(const Run&);
};
constexpr std::array kSettingsOfRun = {
    SettingOfRun{key_path<&ClusterRequest::gpus>, [](const Run& r) { return r.cluster.gpus; }},
    SettingOfRun{key_path<&Training::sequence>, [](const Run& r) { return r.training.sequence; }},
    SettingOfRun{key_path<&Training::global_batch>,
                 [](const Run& r) { return r.training.global_batch; }},
    SettingOfRun{kTokensOfStep,
                 [](const Run& r) { return r.training.global_batch * r.training.sequence; }},
    SettingOfRun{key_path<&TrainingRequest::micro_batch>,
                 [](const Run& r) { return r.strategy.micro_batch; }},
    SettingOfRun{key_path<&Strategy::tp>, [](const Run& r) { return r.strategy.tp; }},
    SettingOfRun{key_path<&Strategy::pp>, [](const Run& r) { return r.strategy.pp; }},
    SettingOfRun{key_path<&Strategy::cp>, [](const Run& r) { return r.strategy.cp; }},
    SettingOfRun{key_path<&Strategy::ep>, [](const Run& r) { return r.strategy.ep; }},
};

}  // namespace

std::vector<OtherSetting> other_settings(const TrainingLog& log, const Run& run) {
  std::vector<OtherSetting> others;
  for (const LoggedSetting& logged : log.settings) {
    for (const SettingOfRun& s : kSettingsOfRun) {
      if (s.key == logged.key && std::abs(s.of(run) - logged.value) > logged.within)
        others.push_back({s.key, logged.value, s.of(run)});
    }
  }
  return others;
}

std::optional<std::int64_t> tokens_by_flops(const TrainingLog& log, const RunReport& r) {
  if (!log.flops_per_gpu || !log.step_time || !(r.answer.model_flops > Flops())) return {};
  const Training& t = r.resolved.run.training;
  const double share = *log.flops_per_gpu * *log.step_time / r.answer.model_flops;
  return std::llround(share * static_cast<double>(t.global_batch * t.sequence));
}

namespace {

// Tools differ in what they count by less than this factor [judgement].
constexpr double kOtherCount = 1.6;

// To two digits: a derived number has no more.
std::int64_t rounded(std::int64_t n) {
  std::int64_t unit = 1;
  while (n / unit >= 100) unit *= 10;
  return (n + unit / 2) / unit * unit;
}

void add_derived(const RunReport& r, const TrainingLog& log, std::vector<OtherSetting>& others) {
  const auto tokens = tokens_by_flops(log, r);
  if (!tokens || !others.empty()) return;
  const Training& t = r.resolved.run.training;
  const std::int64_t here = t.global_batch * t.sequence;
  const double ratio = static_cast<double>(*tokens) / static_cast<double>(here);
  if (ratio > kOtherCount || ratio * kOtherCount < 1)
    others.push_back({kTokensOfStep, *tokens, here, true});
}

}  // namespace

std::string words_of(const OtherSetting& s) {
  if (s.is_derived) {
    return "its FLOP/s and its step are of about " + grouped(rounded(s.log)) + " tokens a step, " +
           grouped(s.run) + " here: the sequence length or the batch is another";
  }
  return std::string(s.key) + " " + std::to_string(s.log) + " in the log, " +
         std::to_string(s.run) + " here";
}

double error_of(const AgainstPoint& p) { return p.predicted.time / p.measured - 1.0; }

CurveErrors errors_of(std::span<const AgainstCurve> curves) {
  std::vector<double> all;
  std::vector<double> sizes;
  for (const AgainstCurve& c : curves) {
    for (const AgainstPoint& p : c.points) {
      all.push_back(error_of(p));
      sizes.push_back(std::abs(all.back()));
    }
  }
  return {all.size(), interpolated_quantile(sizes, 0.5), interpolated_quantile(sizes, 0.9),
          interpolated_quantile(sizes, 1), interpolated_quantile(all, 0.5)};
}

Seconds step_of(const TrainingLog& log, const Run& run) {
  const auto samples = static_cast<double>(run.training.global_batch);
  if (log.step_time) return *log.step_time;
  if (log.samples_per_s) return Seconds(samples / *log.samples_per_s);
  const double tokens = samples * static_cast<double>(run.training.sequence);
  return Seconds(tokens / (*log.tokens_per_s_per_gpu * static_cast<double>(run.cluster.gpus)));
}

TrainingAgainst against(const RunReport& r, const TrainingLog& log) {
  TrainingAgainst out;
  const double step = step_of(log, r.resolved.run).si();
  out.lines.push_back({"step", "s", r.answer.step_time.si(), step});
  const auto add_rate = [&](const char* name, Flops flops, std::optional<FlopsPerSecond> logged) {
    if (!logged) return;
    const FlopsPerSecond rate = flops / r.answer.step_time;
    out.lines.push_back({name, "FLOP/s", rate.si(), logged->si()});
  };
  add_rate("model FLOP/s a GPU", r.answer.model_flops, log.flops_per_gpu);
  add_rate("executed FLOP/s a GPU", r.answer.hardware_flops, log.hardware_flops_per_gpu);
  if (log.allocated) {
    out.lines.push_back(
        {"memory allocated", "B", r.answer.memory.allocated.si(), log.allocated->si()});
  }
  if (log.reserved) {
    out.lines.push_back(
        {"memory reserved", "B", r.answer.memory.reserved.si(), log.reserved->si()});
  }
  add_timers(r, log, out);
  out.other_settings = other_settings(log, r.resolved.run);
  add_derived(r, log, out.other_settings);
  if (out.other_settings.empty())
    out.causes = out.causes = causes_of(r, Seconds(step), log.allocated, log.nccl);
  return out;
}

}  // namespace orrery
