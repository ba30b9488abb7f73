// SPDX-License-Identifier: Apache-2.0
#include "report/capacity_outcome.h"

#include "core/json.h"
#include "insight/recovery_advice.h"
#include "report/capacity_words.h"
#include "report/frame_json.h"
#include "report/money_json.h"

namespace orrery {

namespace {

Json days(const Ranged<Seconds>& r) { return {in_days(r.low), in_days(r.value), in_days(r.high)}; }

Json pieces_json(const OptionAnswer& o) {
  return json_list(o.training.pieces, [&](const PieceTime& p) -> Json {
    return {{"phase", p.phase},
            {"global_batch", p.global_batch},
            {"tokens", p.tokens},
            {"steps", p.steps},
            {"step_time_s", {p.step.low.si(), p.step.value.si(), p.step.high.si()}},
            {"mfu", o.rl ? Json() : Json(mfu_of(p.answer))},
            {"memory_peak_gib", gib(p.answer.memory.peak)},
            {"days", days(p.time)}};
  });
}

Json classes_json(const OptionAnswer& o) {
  return json_list(class_costs(o), [](const ClassCost& c) -> Json {
    return {{"name", c.of->name},
            {"per_gpu_hour", double(c.of->rate * kHour)},
            {"failures", c.failures},
            {"days", c.days}};
  });
}

Json spares_json(const SparesWorth& w) {
  return {{"days_saved", w.ends_without ? Json(in_days(w.saved)) : Json()},
          {"pay_back_days", json_or_null(w.paid_back, in_days)}};
}

Json goodput_json(const OptionAnswer& o) {
  const Goodput& g = o.outcome.goodput;
  const double whole = in_days(o.outcome.training);
  Json j = {{"effective_training_time_ratio", o.outcome.effective},
            {"unexpected_failures", o.outcome.failures},
            {"mean_time_between_failures_h", nullptr},
            {"detection_s", o.outcome.largest.recovery.detection.si()},
            {"restart_s", o.outcome.largest.recovery.restart.si()},
            {"spare_nodes", o.inputs.spares},
            {"spare_nodes_advised", o.spares_advised},
            {"spare_nodes_worth", json_or_null(worth_of_spares(o), spares_json)}};
  if (o.outcome.largest.recovery.failures.si() > 0) {
    j["mean_time_between_failures_h"] = 1 / (o.outcome.largest.recovery.failures * kHour);
  }
  j["days_of"] = {{"training", in_days(o.training.time.value)},
                  {"stragglers", in_days(o.outcome.training - o.training.time.value)},
                  {"checkpoints", g.checkpoint * whole},
                  {"lost_work", g.lost_work * whole},
                  {"detection", g.detection * whole},
                  {"restart", g.restart * whole},
                  {"waiting_for_spares", g.spares * whole},
                  {"without_a_replica", g.away * whole},
                  {"slow_nodes", g.slow * whole},
                  {"planned_stops", g.planned * whole}};
  j["classes"] = classes_json(o);
  j["simulated"] = {
      {"runs", o.simulated.runs},
      {"seed", o.simulated.seed},
      {"mean_days", in_days(o.simulated.wall.value)},
      {"days_p10_p90", {in_days(o.simulated.wall.low), in_days(o.simulated.wall.high)}},
      {"failures_mean", o.simulated.failures.mean},
      {"failures_p10_p90", {o.simulated.failures.p10, o.simulated.failures.p90}}};
  return j;
}

Json seconds_or_null(Seconds t) {
  if (t.si() > 1e300) return nullptr;
  return t.si();
}

// Inputs of the closed form (docs/capacity.md).
Json recovery_json(const StretchOutcome& x) {
  const Recovery& r = x.recovery;
  const CoveredFailures& c = r.covered;
  return {{"failures_per_s", r.failures.si()},
          {"restart_s", r.restart.si()},
          {"interval_s", seconds_or_null(x.goodput.interval)},
          {"stall_s", r.stall.si()},
          {"safe_after_stall_s", r.durable.si()},
          {"stopped_share", r.planned.rate * r.planned.duration + r.slow},
          {"covered_share", c.share},
          {"covered_restart_s", c.restart.si()},
          {"copies_every_s", c.interval.si()},
          {"copy_stall_s", c.stall.si()},
          {"replica_away_s", c.away.si()},
          {"replicas", c.replicas},
          {"waiting_share", waiting_share(r.losses, r.spares)}};
}

Json policies_json(const OptionAnswer& o) {
  return json_list(o.policies, [](const PolicyAnswer& p) -> Json {
    Json j = {{"name", p.name}, {"applies", p.applies}, {"ends", p.applies && ends(p)}};
    if (!p.applies || !ends(p)) return j;
    const Goodput& g = p.outcome.goodput;
    j["days"] = in_days(p.outcome.wall);
    j["effective_training_time_ratio"] = p.outcome.effective;
    j["unexpected_failures"] = p.outcome.failures;
    j["detection_s"] = p.outcome.largest.recovery.detection.si();
    j["lost_to_failures_share"] = (g.lost_work + g.detection + g.restart) / g.total;
    j["checkpoints_share"] = g.checkpoint / g.total;
    j["without_a_replica_share"] = g.away / g.total;
    j["spare_nodes"] = p.spares;
    j["recovery"] = recovery_json(p.outcome.largest);
    j["cost"] = money_json(p.outcome.cost);
    return j;
  });
}

Json advice_json(const BetterPolicy& b) {
  return {{"name", b.policy->name},
          {"days_sooner", in_days(b.sooner)},
          {"cheaper", money_json(b.cheaper)}};
}

Json checkpoint_json(const OptionAnswer& o, const Stretch& s, const StretchOutcome& x) {
  const CheckpointCost& c = x.checkpoint;
  Json j = {{"phases", s.phases},
            {"bytes", c.size.si()},
            {"bytes_per_node", c.per_node.si()},
            {"mode", name_of(o.inputs.policy.mode)},
            {"storage_known", c.storage_known},
            {"bound_by_nodes", c.nodes_bound_it},
            {"overhead_s", o.inputs.policy.overhead.si()},
            {"stall_s", c.stall.si()},
            {"safe_after_s", double((c.stall + c.durable).si())},
            {"read_s", c.read.si()},
            {"interval_s", seconds_or_null(x.goodput.interval)},
            {"interval_bound", name_of(x.bound)},
            {"interval_young_s", nullptr},
            {"interval_daly_s", nullptr},
            {"interval_optimal_s", nullptr}};
  if (const PerSecond rate = rate_while_running(x.recovery); rate.si() > 0) {
    j["interval_young_s"] = young_interval(x.recovery.stall, rate).si();
    j["interval_daly_s"] = daly_interval(x.recovery.stall, rate).si();
    j["interval_optimal_s"] = optimal_interval(x.recovery, s.longest_step).si();
  }
  return j;
}

// The largest; and each, where phases have checkpoints of several sizes.
Json checkpoints_json(const OptionAnswer& o) {
  const auto of = [&](std::size_t i) {
    Json j = checkpoint_json(o, o.inputs.stretches[i], o.outcome.stretches[i]);
    j["training_days"] = in_days(o.outcome.stretches[i].training);
    return j;
  };
  Json j = of(largest_checkpoint(o.inputs));
  j["by_phase"] = Json::array();
  if (o.inputs.stretches.size() == 1) return j;
  for (std::size_t i = 0; i < o.inputs.stretches.size(); ++i) j["by_phase"].push_back(of(i));
  return j;
}

Json energy_json(const OptionAnswer& o) {
  const EnergyUse& e = o.outcome.energy;
  return {
      {"gpus_kwh", e.devices.si() / kKilowattHour.si()},
      {"nodes_kwh", e.nodes.si() / kKilowattHour.si()},
      {"facility_kwh",
       {o.range.energy.low / kKilowattHour.si(), e.facility.si() / kKilowattHour.si(),
        o.range.energy.high / kKilowattHour.si()}},
      {"peak_mw", e.peak.si() / 1e6},
      {"average_mw", e.average.si() / 1e6},
      {"swing_mw", e.swing.si() / 1e6},
      {"tokens_per_kwh", token_yield(o).a_kwh},
      {"tokens_per_day_and_mw", token_yield(o).a_day_and_mw},
      {"pue_known", e.pue_known},
      {"node_power_known", e.node_power_known},
      {"co2e_t", json_or_null(e.carbon, [](Kilograms c) { return c.kg / 1000; })},
      {"co2e_t_by_start", json_or_null(e.by_start, [](const CarbonByStart& by) -> Json {
         return {{"least", by.least.kg / 1000}, {"at_hour", by.at}, {"most", by.most.kg / 1000}};
       })}};
}

Json cost_json(const OptionAnswer& o) {
  const Bill& b = o.outcome.bill;
  Json parts = Json::object();
  for (const CostPart p : kAllOf<CostPart>) {
    parts[std::string(name_of(p))] = money_json(b.parts[p]);
  }
  Json j = {{"payment", name_of(b.payment)},
            {"total", money_json(o.outcome.cost)},
            {"range", nullptr},
            {"parts", parts},
            {"not_counted", not_counted(b)},
            {"up_front", money_json(b.up_front)},
            {"why_blank", o.outcome.cost ? "" : why_blank(o)},
            {"per_million_tokens", nullptr},
            {"per_eflop", nullptr},
            {"per_gpu_hour", nullptr}};
  if (o.outcome.cost) {
    j["range"] = {o.range.cost.low, o.range.cost.high};
    const UnitCosts each = unit_costs_of(o, o.outcome.cost->amount());
    j["per_million_tokens"] = each.million_tokens;
    j["per_gpu_hour"] = each.gpu_hour;
    j["per_eflop"] = each.eflop;
  }
  return j;
}

Json time_json(const CapacityReport& r, const OptionAnswer& o) {
  Json j = {{"tokens", o.training.tokens},
            {"model_flops", o.training.model_flops.si()},
            {"flops_convention", name_of(o.training.convention)},
            {"ideal_days", days(o.training.time)},
            {"days", days(o.range.wall)},
            {"hours", double(o.outcome.wall / kHour)},
            {"gpu_hours", gpu_hours(o.inputs, o.outcome.wall)},
            {"start", nullptr},
            {"end", nullptr},
            {"end_range", nullptr},
            {"phases", pieces_json(o)}};
  if (r.plan.start) {
    j["start"] = text_of(*r.plan.start);
    j["end"] = text_of(after(*r.plan.start, o.outcome.wall));
    j["end_range"] = {text_of(after(*r.plan.start, o.range.wall.low)),
                      text_of(after(*r.plan.start, o.range.wall.high))};
  }
  return j;
}

}  // namespace

void add_outcome(const CapacityReport& r, const OptionAnswer& o, Json& j) {
  j["time"] = time_json(r, o);
  j["goodput"] = goodput_json(o);
  j["recovery_policies"] = policies_json(o);
  j["recovery_advised"] = json_or_null(better_policy(o), advice_json);
  j["recovery_restart_range"] = {o.inputs.policy_times.low, o.inputs.policy_times.high};
  j["checkpoint"] = checkpoints_json(o);
  j["energy"] = energy_json(o);
  j["cost"] = cost_json(o);
}

}  // namespace orrery
