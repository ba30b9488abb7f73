// SPDX-License-Identifier: Apache-2.0
#include "capacity/option.h"

#include <algorithm>
#include <array>

#include "capacity/bill.h"
#include "capacity/gpu_rents.h"
#include "capacity/layouts_left_out.h"
#include "capacity/rl_training.h"
#include "capacity/what_if.h"
#include "core/error.h"
#include "core/key_access.h"
#include "core/units.h"
#include "estimate/estimate.h"
#include "estimate/outer_steps.h"
#include "estimate/run_keys.h"
#include "explore/rule_error.h"
#include "explore/search.h"
#include "explore/space.h"
#include "explore/space_json.h"
#include "parallel/partition.h"

namespace orrery {
namespace {

constexpr double kWaitingAllowed = 1e-3;
constexpr std::int64_t kMostSpares = 100'000;
// With more failures the spread is negligible; they are not simulated.
constexpr double kMostPlayed = 2e4;
constexpr std::array<std::int64_t, 4> kServedBatches = {1, 8, 32, 128};  // sequences

struct Refused {
  OptionStatus status;
  std::string reason;
};

std::string too_big(const Answer& a) {
  if (a.reason == Reason::host_memory) return "what is offloaded does not fit the host's memory";
  return "needs " + gib_text(a.memory.peak, 1) + " of " + gib_text(a.capacity, 1) + " a GPU";
}

std::string why_never(const Outcome& o) {
  const Recovery& r = o.largest.recovery;
  switch (worst_loss(o.goodput)) {
    case Loss::spares:
      return "nodes fail faster than their repair brings them back, with " +
             std::to_string(r.spares) + (r.spares == 1 ? " spare node" : " spare nodes");
    case Loss::planned:
      return "planned stops take all of the time";
    case Loss::checkpoints:
      return "checkpoints stop training for all of the time";
    case Loss::failures:
      break;
  }
  return "a failure each " + pretty(Seconds(1 / r.failures.si()), 3) +
         " undoes more than is trained in between";
}

std::vector<NotTried> narrow_to(Layouts layouts, Space& space) {
  switch (layouts) {
    case Layouts::all:
      return {};
    case Layouts::wide:
      return narrow_further(space, kWideCells);
    case Layouts::common:
      return narrow_further(space, kCommonCells);
  }
  return {};
}

// The run with the best strategy of its space, and which values that leaves out; throws Refused if
// none fits.
Json with_best(const Json& run, const std::string& file, const Json& axes,
               const PlanContext& context, const TryOptions& how,
               std::vector<NotTried>& not_tried) {
  SearchRequest request = read_search(run, file, context.lookup, axes, context.metrics);
  not_tried = narrow_to(how.layouts, request.space);
  SearchOptions options;
  options.top = 1;
  options.tie = request.tie;
  options.ties = false;
  options.families = false;
  options.counts = false;
  options.conditions = &request.conditions;
  options.workers = context.workers;
  options.parallel = context.parallel;
  options.stopped = context.stopped;
  SearchAnswer found = search(request.space, options);
  if (found.best.empty() && how.layouts == Layouts::common) {
    return with_best(run, file, axes, context, {how.refusals, Layouts::wide}, not_tried);
  }
  if (found.best.empty() && how.layouts == Layouts::wide && how.refusals == Refusals::explained) {
    return with_best(run, file, axes, context, {how.refusals, Layouts::all}, not_tried);
  }
  if (found.best.empty() && how.refusals == Refusals::brief) {
    throw Refused{OptionStatus::does_not_fit, "no strategy fits"};
  }
  if (found.best.empty()) {  // the nearest to fit is wanted
    options.counts = true;
    found = search(request.space, options);
  }
  if (!found.best.empty()) {
    const Found& best = found.recommended;
    return with_strategy(run, request.space, best.place.base, best.strategy);
  }
  if (found.nearest.place.unit < 0) {
    throw Refused{OptionStatus::illegal, "no strategy of the space is legal"};
  }
  throw Refused{
      OptionStatus::does_not_fit,
      "no strategy fits: at least " + gib_text(found.nearest.peak, 1) + " of " +
          gib_text(request.space.bases[found.nearest.place.base].run.cluster.device.memory_capacity,
                   1) +
          " a GPU"};
}

// Replicas that hold all states of the model: what is sharded over all has none.
std::int64_t replicas_of_states(const Strategy& s) {
  return std::min(
      s.dp, replicas(s, ShardedStates::dense) / std::max<std::int64_t>(1, s.partition.optimizer));
}

RecoveryPolicy policy_of(const RecoveryPolicy& p, std::int64_t replicas) {
  if (is_policy_of(p, replicas)) return p;
  throw Refused{OptionStatus::illegal,
                "recovery " + p.name +
                    " restarts one of several replicas, and this strategy has "
                    "one: its states are sharded over all ranks (parallel.zero_shard_group)"};
}

void set_policy(const RecoveryPolicy& p, OutcomeInputs& in) {
  in.recovery = p;
  in.policy_times = beyond_measured(p, working_gpus(in));
}

// A run that fits.
struct Fitting {
  ResolvedRun resolved;
  Answer answer;
};

Fitting fitting(const Json& run, const std::string& file, const PlanContext& context) {
  Fitting f{resolve_chosen(run, file, context.lookup), {}};
  f.answer = estimate(f.resolved.run);
  if (f.answer.reason != Reason::fits) {
    throw Refused{OptionStatus::does_not_fit, too_big(f.answer)};
  }
  return f;
}

// A smaller batch may break a rule that the full batch keeps; the reason names it.
Fitting fitting_at(const Json& run, const std::string& file, std::int64_t batch,
                   const PlanContext& context) {
  const std::string where =
      "at the global batch of " + std::to_string(batch) + " of `batch_ramp`: ";
  try {
    return fitting(run, file, context);
  } catch (const Refused& r) {
    throw Refused{r.status, where + r.reason};
  } catch (const InputError& e) {
    if (!breaks_a_rule(e)) throw;
    throw Refused{OptionStatus::illegal, where + e.what()};
  }
}

double goal_tokens(const PhasePlan& phase, const Run& run, const std::string& file) {
  const double tokens = tokens_of(phase.goal, run);
  if (tokens > 0) return tokens;
  throw InputError(file, "goal", "nothing to train",
                   "`goal`: tokens, flops or tokens_per_parameter, or the run's training.tokens");
}

// Spares that keep the wait for one short, without any given.
std::int64_t spares_advised(const OutcomeInputs& in) {
  return spares_for(outcome_of(in).largest.recovery.losses, kWaitingAllowed, kMostSpares);
}

class Builder {
 public:
  Builder(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
          const PlanContext& context, const TryOptions& how)
      : plan_(plan), option_(option), gpus_(gpus), context_(context), how_(how) {}

  OptionAnswer build() {
    a_.scenario = option_.scenario;
    a_.model = option_.model;
    a_.gpus = gpus_;
    a_.plan = &option_;
    a_.assumptions = option_.assumptions;
    try {
      for (const PhasePlan& phase : option_.phases) {
        has_rl(*phase.run) ? add_rl(phase) : add_phase(phase);
      }
      fill_inputs();
      fill_outcome();
    } catch (const Refused& r) {
      a_.status = r.status;
      a_.reason = r.reason;
    } catch (const InputError& e) {
      if (!breaks_a_rule(e)) throw;
      a_.status = OptionStatus::illegal;
      a_.reason = e.what();
    }
    return std::move(a_);
  }

 private:
  void add_phase(const PhasePlan& phase) {
    Json run = *phase.run;
    at_key<&ClusterRequest::gpus>(at_key<&RunRequest::cluster>(run)) = gpus_;
    if (option_.search) {
      std::vector<NotTried> not_tried;
      run = with_best(run, phase.file, **option_.search, context_, how_, not_tried);
      a_.left_out = std::make_shared<LayoutsLeftOut>(LayoutsLeftOut{std::move(not_tried), {}});
    }
    Fitting full = fitting(run, phase.file, context_);
    take_achieved_rate(full);
    double tokens = goal_tokens(phase, full.resolved.run, plan_.file);
    for (const RampStep& step : phase.ramp) {
      Json small = run;
      at_key<&Training::global_batch>(at_key<&RunRequest::training>(small)) = step.global_batch;
      Fitting f = fitting_at(small, phase.file, step.global_batch, context_);
      take_achieved_rate(f);
      const double part = std::min(step.tokens, tokens);
      if (part > 0) add(phase, f, part);
      tokens -= part;
    }
    if (tokens > 0) add(phase, full, tokens);
    if (a_.run) return;
    a_.run = std::move(full.resolved);
    a_.answer = full.answer;
    a_.document = std::move(run);
  }

  void add_rl(const PhasePlan& phase) {
    RlTrainingTried tried = rl_training(*phase.run, phase.file, option_.search.has_value(),
                                        option_.prices, gpus_, context_);
    if (!tried.found) throw Refused{tried.status, tried.reason};
    const RlTraining& t = *tried.found;
    PieceTime piece = time_of_steps(t, phase.file);
    a_.training = {
        {piece}, piece.time, piece.tokens, flops_of_updates(t), t.learner.run.convention};
    a_.pieces.push_back({t.learner.run, piece.steps});
    a_.inputs.load = load_of_learner(t);
    a_.inputs.beside = generators_beside(t, option_.prices, a_.assumptions);
    a_.run = t.learner;
    a_.answer = piece.answer;
    a_.rl = t.step;
    a_.document = t.document;
  }

  // At the achieved rate, where one is given: the level of the whole step moves.
  void take_achieved_rate(Fitting& fitting) const {
    if (!option_.achieved) return;
    const Ranged<FlopsPerSecond>& rate = *option_.achieved;
    Run& run = fitting.resolved.run;
    Framework& f = run.framework;
    f.level.factor *= fitting.answer.model_flops / rate.value / fitting.answer.step_time;
    f.level.interval_low = rate.value / rate.high;
    f.level.interval_high = rate.value / rate.low;
    fitting.answer = estimate(run);
  }

  void add(const PhasePlan& phase, const Fitting& fitting, double tokens) {
    const Run& run = fitting.resolved.run;
    const PieceTime p = piece_time(phase.name, run, fitting.answer, tokens);
    a_.pieces.push_back({run, p.steps});
    add_piece(a_.training, phase.goal, run, p);
  }

  void fill_inputs() {
    const Run& run = a_.run->run;
    OutcomeInputs& in = a_.inputs;
    in.cluster = run.cluster;
    in.training = a_.training.time;
    in.stretches = stretches();
    if (!a_.rl) in.load = load_of_training();
    in.policy = option_.checkpoint;
    in.stored = (a_.rl ? Bytes() : dataset_bytes(option_.data, a_.training.tokens)) +
                kept_bytes(in.stretches[largest_checkpoint(in)].checkpoint, option_.checkpoint);
    for (const auto& piece : a_.pieces) in.left += sent_between_sites(piece.run, piece.steps);
    in.storage = option_.storage;
    in.interruptions = option_.interruptions;
    in.replicas = a_.rl ? 1 : replicas_of_states(run.strategy);
    if (!option_.recovery.empty()) {
      set_policy(policy_of(option_.recovery.front(), in.replicas), in);
    }
    in.energy = option_.energy;
    in.prices = tariff_of(option_.prices, run.cluster, a_.assumptions);
  }

  std::vector<Stretch> stretches() const {
    std::vector<Stretch> all;
    std::string last;
    for (std::size_t i = 0; i < a_.pieces.size(); ++i) {
      const PieceTime& p = a_.training.pieces[i];
      const Bytes size =
          checkpoint_bytes(a_.pieces[i].run, option_.checkpoint.bytes_per_parameter) *
          models_in_checkpoint(*a_.run);
      const bool goes_on = !all.empty() && all.back().checkpoint == size;
      if (!goes_on) all.push_back({p.phase, 0, size, {}});
      Stretch& s = all.back();
      if (goes_on && p.phase != last) s.phases += ", " + p.phase;
      last = p.phase;
      s.share += p.time.value / a_.training.time.value;
      s.longest_step = std::max(s.longest_step, p.step.value);
    }
    if (all.size() == 1) all.front().share = 1;
    return all;
  }

  StepLoad load_of_training() const {
    std::vector<TimedLoad> parts;
    for (const PieceTime& p : a_.training.pieces)
      parts.push_back({p.time.value, step_load(p.answer)});
    return mean_load(parts);
  }

  void fill_outcome() {
    a_.spares_advised = spares_advised(a_.inputs);
    a_.inputs.spares = option_.spares >= 0 ? option_.spares : a_.spares_advised;
    a_.outcome = outcome_of(a_.inputs);
    if (!never_ends(a_.outcome.goodput)) return;
    throw Refused{OptionStatus::never_ends, why_never(a_.outcome)};
  }

  const CapacityPlan& plan_;
  const OptionPlan& option_;
  std::int64_t gpus_;
  const PlanContext& context_;
  TryOptions how_;
  OptionAnswer a_;
};

SimulatedGoodput played(const CapacityPlan& plan, const OptionAnswer& a) {
  const Outcome& o = a.outcome;
  if (o.failures > kMostPlayed) {
    return {exactly(o.wall), {o.failures, o.failures, o.failures}, 0, plan.seed};
  }
  std::vector<Leg> legs;
  for (const StretchOutcome& s : o.stretches) {
    legs.push_back({s.recovery, s.goodput.interval, s.training});
  }
  return simulate_goodput(legs, plan.simulations, plan.seed);
}

// Each policy of the plan in place of the first, with the spares that it needs.
void compare_policies(OptionAnswer& a) {
  for (const RecoveryPolicy& p : a.plan->recovery) {
    PolicyAnswer answer{p.name, is_policy_of(p, a.inputs.replicas), 0, {}};
    if (answer.applies) {
      OutcomeInputs in = a.inputs;
      set_policy(p, in);
      in.spares = 0;
      answer.spares = a.plan->spares >= 0 ? a.plan->spares : spares_advised(in);
      in.spares = answer.spares;
      answer.outcome = outcome_of(in);
    }
    a.policies.push_back(std::move(answer));
  }
}

DataDemand demand_of(const OptionAnswer& a) {
  const Run& run = a.run->run;
  DataDemand d;
  d.rate = run.model_flops / a.answer.step_time;
  d.tokens_read = PerSecond(static_cast<double>(run.training.global_batch * run.training.sequence) /
                            a.answer.step_time.si());
  d.tokens = a.training.tokens;
  d.nodes = node_count(run.cluster);
  d.vocabulary = run.model.vocab;
  d.replicas = run.strategy.dp;
  d.checkpoint = a.outcome.largest.checkpoint.size;
  return d;
}

// None of these moves the range: they say what would be if the hardware were another.
void add_what_ifs(const CapacityPlan& plan, OptionAnswer& a) {
  for (const Sensitivity& s : bandwidth_what_ifs(a.inputs, a.pieces)) a.sensitivities.push_back(s);
  sort_widest_first(a.sensitivities);
  a.capped = under_power_caps(a.inputs, a.pieces, least_power(plan.requirements));
  a.periodic = periodic_syncs(a.inputs, a.training, a.pieces);
  a.late_gradients = time_with_late_gradients(a.inputs, a.training, a.pieces);
}

void add_needs(OptionAnswer& a) {
  const Run& run = a.run->run;
  a.needs = purchase_needs(a.inputs, a.outcome, a.run->run);
  a.buying_pays_at = utilisation_where_buying_pays(a.inputs);
  for (const std::int64_t batch : kServedBatches) {
    a.inference.push_back(inference_needs(run.model, batch, run.training.sequence));
  }
  a.data = data_needs(a.plan->data, demand_of(a), a.inputs.storage, a.inputs.policy);
}

void add_materials(OptionAnswer& a) {
  if (!a.plan->materials) return;
  MaterialsNeeds needs{
      a.inputs.cluster,     held_nodes(a.inputs), a.inputs.spares,       a.data.total,
      a.needs.write,        a.data.read,          a.outcome.energy.peak, {},
      &a.plan->prices.parts};
  if (a.inputs.prices.node) needs.node = a.inputs.prices.node->value;
  a.materials = materials_of(*a.plan->materials, needs);
}

bool is_sure(const Requirement& q) { return q.sure; }

}  // namespace

void fill_range(const CapacityPlan& plan, OptionAnswer& a) {
  a.sensitivities = sensitivities(a.inputs);
  a.simulated = played(plan, a);
  a.range = range_of(a.outcome, a.sensitivities, a.simulated.wall);
}

OptionAnswer try_option(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
                        const PlanContext& context, const TryOptions& how) {
  OptionAnswer a = Builder(plan, option, gpus, context, how).build();
  const bool asked = std::any_of(plan.requirements.begin(), plan.requirements.end(), is_sure);
  if (asked && a.status == OptionStatus::fits) fill_range(plan, a);
  return a;
}

void complete_option(const CapacityPlan& plan, OptionAnswer& a) {
  if (a.status != OptionStatus::fits) return;
  fill_range(plan, a);
  compare_policies(a);
  if (a.rl) return;  // the rest asks of a training on one stream of tokens
  add_what_ifs(plan, a);
  add_needs(a);
  add_materials(a);
}

OptionAnswer answer_option(const CapacityPlan& plan, const OptionPlan& option, std::int64_t gpus,
                           const PlanContext& context) {
  OptionAnswer a = try_option(plan, option, gpus, context);
  complete_option(plan, a);
  return a;
}

}  // namespace orrery
