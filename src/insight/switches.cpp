// SPDX-License-Identifier: Apache-2.0
#include "insight/switches.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "estimate/fits_at_risk.h"
#include "estimate/resolve.h"
#include "estimate/risk.h"
#include "estimate/training_keys.h"
#include "explore/recommend.h"
#include "hardware/device.h"
#include "insight/shown_bytes.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kAttention = key_path<&TrainingRequest::flash_attention>;
constexpr double kWorthSwitching = 1.001;
constexpr int kMostPasses = 3;

struct Switched {
  Run run;
  Answer answer;
};

std::optional<Switched> tried(const Json& run, const std::string& file,
                              const ConfigLookup& lookup) {
  try {
    Switched t{resolve_for_numbers(run, file, lookup).run, {}};
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

namespace {

constexpr const char* kAttentionKernel = key_path<&TrainingRequest::attention_kernel>;
// The option of stacks whose models are those of transformers, which loads a kernel of attention by
// its name (attn_implementation).
constexpr std::string_view kKernelsOfModels = "kernels";
constexpr const char* kAdamOfOneByte = "adam-8bit";

bool trains_transformers(const ResolvedRun& run) {
  const std::vector<FrameworkOption>& options = run.framework.options;
  return std::any_of(options.begin(), options.end(),
                     [](const FrameworkOption& o) { return o.name == kKernelsOfModels; });
}

// Kernels that a device may have beside the one that its stack takes.
std::vector<Switch> attention_switch(const ResolvedRun& run, const Json& json) {
  if (!trains_transformers(run) || !run.run.training.fused_attention) return {};
  std::vector<std::string> others = {std::string(name_of(AttentionKernel::flash_3)),
                                     std::string(name_of(AttentionKernel::flash_4))};
  const Json& own = value_at(json, kAttentionKernel);
  if (own.is_string()) std::erase(others, own.get<std::string>());
  return {{kAttentionKernel, others}};
}

// Narrower forms of the frozen weights beside an adapter.
std::vector<Switch> base_switch(const ResolvedRun& run) {
  const auto& adapter = run.run.training.adapter;
  if (!adapter || adapter->base > BaseFormat::half) return {};
  const auto name = [](BaseFormat f) { return std::string(name_of(f)); };
  return {
      {key_path<&AdapterRequest::base_precision>, {name(BaseFormat::fp8), name(BaseFormat::nf4)}}};
}

// Adam with moments of one byte, whose optimizers trainers of transformers take by name (optim).
// Its recipe has 10 bytes a parameter: those of 16-bit weights beside a master copy, and of fp32
// weights.
std::vector<Switch> states_switch(const ResolvedRun& run) {
  const Training& t = run.run.training;
  const bool has_moments = t.optimizer == Optimizer::adam && t.recipe.moments >= 8;
  if (!trains_transformers(run) || t.adapter || !has_moments) return {};
  return {{key_path<&TrainingRequest::states>, {kAdamOfOneByte}}};
}

// Changes that people make beside a switch where neither alone lets the run fit.
std::vector<Setting> beside_switches(const ResolvedRun& run) {
  const Strategy& s = run.run.strategy;
  std::vector<Setting> all;
  // Open, it would be chosen again so that the run fits as likely as not.
  if (s.recompute != Recompute::full || run.recompute_open)
    all.push_back({key_path<&StrategyRequest::recompute>, std::string(name_of(Recompute::full))});
  if (s.zero < 3 && s.dp > 1) all.push_back({key_path<&StrategyRequest::zero>, "3"});
  if (s.micro_batch % 2 == 0 && run.run.training.buckets.micro_batch == 0)
    all.push_back({key_path<&TrainingRequest::micro_batch>, std::to_string(s.micro_batch / 2)});
  if (s.offload.optimizer == OffloadTarget::none) {
    all.push_back({key_path<&Offload::optimizer>, std::string(name_of(OffloadTarget::host))});
  }
  if (s.offload.activations == OffloadTarget::none && s.pp == 1) {
    all.push_back({key_path<&Offload::activations>, std::string(name_of(OffloadTarget::host))});
  }
  return all;
}

class SwitchAdviser {
 public:
  SwitchAdviser(const Json& run, const ResolvedRun& resolved, const Answer& answer,
                const ConfigLookup& lookup)
      : run_(run),
        resolved_(resolved),
        answer_(answer),
        lookup_(lookup),
        fits_(answer.reason == Reason::fits),
        sure_(fits_ && fits_at_risk(resolved.run, answer)),
        own_(fit_probability(resolved.run, answer)) {}

  std::vector<Advice> advice() {
    std::vector<Switch> all = switches_of(resolved_);
    std::erase_if(all, [](const Switch& s) { return s.path == kAttention; });  // one of the moves
    for (Switch& s : attention_switch(resolved_, run_)) all.push_back(std::move(s));
    if (!fits_) {
      for (Switch& s : base_switch(resolved_)) all.push_back(std::move(s));
    }
    if (!sure_) {
      for (Switch& s : states_switch(resolved_)) all.push_back(std::move(s));
    }
    for (const Switch& s : all) {
      for (const std::string& value : s.others) consider_held({{s.path, value}});
    }
    if (fits_ || !advice_.empty()) return std::move(advice_);
    const std::vector<Advice> moves = advise(resolved_, answer_);
    if (first_that_fits(moves) != nullptr && !is_full_of_logits()) return {};
    for (const Switch& s : all) {
      for (const std::string& value : s.others) {
        for (const Setting& beside : beside_switches(resolved_))
          consider_held({{s.path, value}, beside});
      }
    }
    return std::move(advice_);
  }

 private:
  // Recompute that the run leaves open is chosen again, with a switch that saves memory the least
  // that fits as likely as not: with the recompute that does not let the run fit, the switch may.
  void consider_held(std::vector<Setting> settings) {
    if (consider(settings) || fits_ || !resolved_.recompute_open) return;
    const Recompute own = resolved_.run.strategy.recompute;
    if (own != Recompute::full || resolved_.run.strategy.recompute_layers > 0) return;
    settings.push_back({key_path<&StrategyRequest::recompute>, std::string(name_of(own))});
    consider(settings);
  }

  // A fused loss is then what people name first, though a layout may fit as well.
  bool is_full_of_logits() const {
    const auto& lines = answer_.memory.lines;
    return std::max_element(lines.begin(), lines.end()) == &lines[MemoryLine::logits];
  }

  // A run that fits less surely than it asks may have what makes it sure, and what is faster and no
  // riskier.
  bool consider(const std::vector<Setting>& settings) {
    const auto t = tried(with_settings(run_, settings), resolved_.file, lookup_);
    if (!t) return false;
    const Answer& a = t->answer;
    const double p = fit_probability(t->run, a);
    const bool fits = fits_at_risk(t->run, a);
    const bool is_faster = a.step_time * kRecommendationBand <= answer_.step_time;
    // More memory is no remedy, though the error of its kind of run be smaller.
    const bool is_surer = fits && !sure_ && a.memory.needed <= answer_.memory.needed;
    const bool is_gain = is_faster && (fits || (fits_ && p >= own_));
    if (!is_surer && !is_gain) return false;
    advice_.push_back({settings, fits, a.step_time, shown_bytes(t->run, a), a.host_needed, p});
    return true;
  }

  const Json& run_;
  const ResolvedRun& resolved_;
  const Answer& answer_;
  const ConfigLookup& lookup_;
  bool fits_;
  bool sure_;
  double own_;
  std::vector<Advice> advice_;
};

}  // namespace

std::vector<Advice> switch_advice(const Json& run, const ResolvedRun& resolved,
                                  const Answer& answer, const ConfigLookup& lookup) {
  return SwitchAdviser(run, resolved, answer, lookup).advice();
}

}  // namespace orrery
