// SPDX-License-Identifier: Apache-2.0
#include "capacity/rl_training.h"

#include <algorithm>

#include "capacity/gpu_rents.h"
#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/units.h"
#include "estimate/rl_keys.h"
#include "explore/rl_search.h"
#include "hardware/cluster_keys.h"
#include "rl/resolve_learner.h"
#include "rl/step.h"
#include "rl/step_cost.h"

namespace orrery {
namespace {

constexpr StepLoad kDecoding{0, 1, 0};
constexpr StepLoad kWaiting{0, 0, 1};

bool is_apart(const RlRun& rl) { return learner_gpus(rl) < rl.all_gpus; }

// The split of the run in proportion to the GPUs. Errors: InputError where it has no whole part.
Json at_size(Json run, std::int64_t gpus, const std::string& file) {
  constexpr const char* kGpus = key_path<&ClusterRequest::gpus>;
  constexpr const char* kSplit = key_path<&PlacementRequest::rollout_gpus>;
  const Json own = value_at(run, kGpus);
  const Json split = value_at(run, kSplit);
  set_at(run, kGpus, gpus);
  if (!own.is_number_integer() || !split.is_number_integer() || own == gpus) return run;
  const auto all = own.get<std::int64_t>();
  const auto part = split.get<std::int64_t>() * gpus;
  if (part % all != 0 || part / all == 0) {
    throw InputError(ErrorCode::broken_rule, file, kSplit,
                     split.dump() + " of " + own.dump() + " GPUs, which is no whole part of " +
                         std::to_string(gpus),
                     "other sizes, or --search, which looks for the split of each");
  }
  set_at(run, kSplit, part / all);
  return run;
}

std::string why_not(const RlStep& step) {
  std::string text;
  for (const std::string& reason : step.reasons) text += (text.empty() ? "" : "; ") + reason;
  if (!step.remedy.empty()) text += "; would fit:";
  for (const Setting& s : step.remedy) text += " --set " + s.path + "=" + s.value;
  return text;
}

RlTrainingTried own_placement(const Json& run, const std::string& file,
                              const PlanContext& context) {
  RlTraining t{nullptr, resolve_learner(run, file, context.lookup), run};
  t.step = std::make_shared<const RlStep>(rl_step(t.learner));
  if (!t.step->fits) return {{}, OptionStatus::does_not_fit, why_not(*t.step)};
  return {std::move(t)};
}

RlTrainingTried best_placement(Json run, const std::string& file, const PriceBook& prices,
                               const PlanContext& context) {
  for (const std::string& path : rl_free_paths()) erase_at(run, path);
  const RlSpace space =
      rl_space(run, file, context.lookup, [](std::string_view /*path*/) { return false; });
  SearchOptions options;
  options.top = 1;
  options.workers = context.workers;
  options.parallel = context.parallel;
  options.stopped = context.stopped;
  RlSearchAims aims;
  if (!space.choices.empty()) {
    const ResolvedRun any =
        resolve_learner(with_choice(run, space.choices.front()), file, context.lookup);
    const RentsFound rents = rents_of(prices, any.run.cluster, any.rl->generator.cluster);
    if (rents.priced) aims.rents = rents.priced->rents;
  }
  const RlSearchAnswer found = rl_search(space, options, aims);
  if (found.best.empty()) {
    return {{}, OptionStatus::does_not_fit, "no placement fits as surely as asked"};
  }
  return own_placement(with_found(run, space, found.best.front()), file, context);
}

Seconds busy_with(const RlStep& step, std::initializer_list<RlPhase> phases) {
  Seconds sum{};
  for (const RlPhase p : phases) sum += step.phases[p].value;
  return sum;
}

Seconds generating(const RlStep& step) { return busy_with(step, {RlPhase::generate}); }

Seconds learning(const RlStep& step) {
  return busy_with(step,
                   {RlPhase::old_log_probs, RlPhase::reference, RlPhase::values, RlPhase::update});
}

Seconds left_of(const RlStep& step, Seconds busy) {
  return larger(Seconds(), step.step.value - busy);
}

}  // namespace

RlTrainingTried rl_training(const Json& run, const std::string& file, bool searches,
                            const PriceBook& prices, std::int64_t gpus,
                            const PlanContext& context) {
  if (!searches) return own_placement(at_size(run, gpus, file), file, context);
  Json sized = run;
  set_at(sized, key_path<&ClusterRequest::gpus>, gpus);
  return best_placement(std::move(sized), file, prices, context);
}

PieceTime time_of_steps(const RlTraining& t, const std::string& file) {
  const RlRun& rl = *t.learner.rl;
  if (rl.steps == 0) {
    throw InputError(ErrorCode::missing_key, file, key_path<&RlRequest::steps>, "nothing",
                     "steps of the whole training: --rl-steps N");
  }
  const auto n = static_cast<double>(rl.steps);
  const PhaseTime& step = t.step->step;
  PieceTime p;
  p.global_batch = rl.samples;
  p.steps = rl.steps;
  p.tokens = t.step->tokens * n;
  p.answer = t.step->update;
  p.step = {step.value, step.low, step.high};
  p.time = {step.value * n, step.low * n, step.high * n};
  return p;
}

Flops flops_of_updates(const RlTraining& t) {
  const Run& run = t.learner.run;
  const RlRun& rl = *t.learner.rl;
  const Flops one =
      model_flops(run.model, run.convention, counted(run.training, run.training.global_batch));
  return one * (updates_of_step(rl) * models_that_learn(rl) * static_cast<double>(rl.steps));
}

StepLoad load_of_learner(const RlTraining& t) {
  const RlStep& step = *t.step;
  const Seconds generate = is_apart(*t.learner.rl) ? Seconds() : generating(step);
  return mean_load({{learning(step), step_load(step.update)},
                    {generate, kDecoding},
                    {left_of(step, learning(step) + generate), kWaiting}});
}

double models_in_checkpoint(const ResolvedRun& learner) {
  return learner.rl ? models_that_learn(*learner.rl) : 1;
}

std::optional<HeldBeside> generators_beside(const RlTraining& t, const PriceBook& prices,
                                            std::vector<Assumption>& assumptions) {
  const RlRun& rl = *t.learner.rl;
  if (!is_apart(rl)) return {};
  const RlStep& step = *t.step;
  HeldBeside out{rl.generator.cluster, {}, tariff_of(prices, rl.generator.cluster, assumptions)};
  out.load =
      mean_load({{generating(step), kDecoding}, {left_of(step, generating(step)), kWaiting}});
  return out;
}

}  // namespace orrery
