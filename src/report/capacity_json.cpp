// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "core/json.h"
#include "document/words.h"
#include "estimate/risk.h"
#include "parallel/strategy_keys.h"
#include "report/capacity.h"
#include "report/capacity_words.h"
#include "report/frame.h"

namespace orrery {
namespace {

Json days(const Ranged<Seconds>& r) { return {in_days(r.low), in_days(r.value), in_days(r.high)}; }

Json money(const std::optional<Money>& m) {
  return json_or_null(m, [](const Money& x) { return x.amount(); });
}

Json pieces_json(const TrainingTime& t) {
  return json_list(t.pieces, [&](const PieceTime& p) -> Json {
    return {{"phase", p.phase},
            {"global_batch", p.global_batch},
            {"tokens", p.tokens},
            {"steps", p.steps},
            {"step_time_s", {p.step.low.si(), p.step.value.si(), p.step.high.si()}},
            {"mfu", mfu_of(p.answer)},
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

Json goodput_json(const OptionAnswer& o) {
  const Goodput& g = o.outcome.goodput;
  const double whole = in_days(o.outcome.training);
  Json j = {{"effective_training_time_ratio", o.outcome.effective},
            {"unexpected_failures", o.outcome.failures},
            {"mean_time_between_failures_h", nullptr},
            {"detection_s", o.outcome.largest.recovery.detection.si()},
            {"restart_s", o.outcome.largest.recovery.restart.si()},
            {"spare_nodes", o.inputs.spares},
            {"spare_nodes_advised", o.spares_advised}};
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
  return {{"nodes_kwh", e.nodes.si() / kKilowattHour.si()},
          {"facility_kwh",
           {o.range.energy.low / kKilowattHour.si(), e.facility.si() / kKilowattHour.si(),
            o.range.energy.high / kKilowattHour.si()}},
          {"peak_mw", e.peak.si() / 1e6},
          {"average_mw", e.average.si() / 1e6},
          {"pue_known", e.pue_known},
          {"node_power_known", e.node_power_known},
          {"co2e_t", json_or_null(e.carbon, [](Kilograms c) { return c.kg / 1000; })}};
}

Json cost_json(const OptionAnswer& o) {
  const Bill& b = o.outcome.bill;
  Json parts = Json::object();
  for (const CostPart p : kAllOf<CostPart>) {
    parts[std::string(name_of(p))] = money(b.parts[p]);
  }
  Json j = {{"payment", name_of(b.payment)},
            {"total", money(o.outcome.cost)},
            {"range", nullptr},
            {"parts", parts},
            {"not_counted", not_counted(b)},
            {"up_front", money(b.up_front)},
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

Json sensitivity_json(const OptionAnswer& o) {
  return json_list(o.sensitivities, [&](const Sensitivity& s) -> Json {
    const auto ends = [&](const Money&) -> Json { return {s.cost.low, s.cost.high}; };
    return {{"input", s.what},
            {"what_if", s.what_if},
            {"days", {in_days(s.wall.low), in_days(s.wall.high)}},
            {"cost", json_or_null(o.outcome.cost, ends)},
            {"kwh", {s.energy.low / kKilowattHour.si(), s.energy.high / kKilowattHour.si()}}};
  });
}

Json assumptions_json(const std::vector<Assumption>& all) {
  return json_list(all, [&](const Assumption& a) -> Json {
    return {{"what", a.what}, {"value", a.value}, {"source", a.source}, {"date", a.date}};
  });
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
            {"phases", pieces_json(o.training)}};
  if (r.plan.start) {
    j["start"] = text_of(*r.plan.start);
    j["end"] = text_of(after(*r.plan.start, o.outcome.wall));
    j["end_range"] = {text_of(after(*r.plan.start, o.range.wall.low)),
                      text_of(after(*r.plan.start, o.range.wall.high))};
  }
  return j;
}

Json data_json(const OptionAnswer& o) {
  const DataNeeds& n = o.data;
  const auto sample_json = [](const SampleRate& r) -> Json {
    return {{"name", r.name},
            {"bytes_per_s", r.all.si()},
            {"bytes_per_s_per_node", r.node.si()},
            {"clients_carry_it", r.clients_carry_it}};
  };
  return {{"corpus", o.plan->data.corpora[o.plan->data.corpus].name},
          {"read_bytes_per_s", n.read.si()},
          {"dataset_bytes", n.dataset.si()},
          {"token_ids_bytes", n.ids.si()},
          {"token_ids_bytes_per_replica", n.ids_of_rank.si()},
          {"kept_checkpoints_bytes", n.checkpoints.si()},
          {"total_bytes", n.total.si()},
          {"storage_holds_it", n.storage_holds_it},
          {"cpu_cores", n.cores > 0 ? Json(n.cores) : Json()},
          {"host_memory_of_checkpoint_bytes_per_node", o.outcome.largest.checkpoint.per_node.si()},
          {"host_memory_of_offload_bytes_per_node", o.answer.host_needed.si()},
          {"host_memory_holds_it", host_holds_checkpoint(o)},
          {"were_it_trained_on", json_list(n.samples, sample_json)}};
}

Json needs_json(const PurchaseNeeds& n) {
  const auto rate = [](BytesPerSecond r) { return r.si() > 0 ? Json(r.si()) : Json(); };
  return {{"storage_write_bytes_per_s", rate(n.write)},
          {"storage_write_every_s", n.write.si() > 0 ? Json(n.write_every.si()) : Json()},
          {"storage_no_rate_will_do", n.no_rate_will_do},
          {"node_links_too_slow", n.copy_stalls},
          {"network_sent_bytes_per_s_per_node", rate(n.sent)},
          {"network_least_bytes_per_s_per_node", rate(n.least)},
          {"network_has_bytes_per_s_per_node", rate(n.has)}};
}

Json inference_json(const std::vector<InferenceNeeds>& all) {
  return json_list(all, [&](const InferenceNeeds& n) -> Json {
    return {{"batch", n.batch},
            {"context", n.context},
            {"weights_16bit_bytes", n.weights.si()},
            {"weights_8bit_bytes", n.weights.si() / 2},
            {"weights_4bit_bytes", n.weights.si() / 4},
            {"cache_bytes_per_token", n.cache_a_token.si()},
            {"cache_bytes", n.cache.si()},
            {"cache_waste_bytes", n.waste.si()}};
  });
}

Json periodic_json(const OptionAnswer& o) {
  return json_list(o.periodic.at, [&](const PeriodicSync& p) -> Json {
    return {{"every_steps", p.every}, {"days", in_days(p.wall)}};
  });
}

Json option_json(const CapacityReport& r, const OptionAnswer& o) {
  Json j = {{"scenario", o.scenario},
            {"model", o.model},
            {"gpus", o.gpus},
            {"status", name_of(o.status)},
            {"reason", o.reason}};
  if (o.status != OptionStatus::fits) return j;
  j["gpus_paid"] = paid_gpus(o.inputs);
  j["nodes"] = node_count(o.inputs.cluster);
  j["node"] = o.inputs.cluster.node.view();
  j["device"] = o.inputs.cluster.device.name.view();
  j["strategy"] = o.run->inputs->value(kStrategyKeys.path, Json::object());
  j["micro_batch"] = o.run->run.strategy.micro_batch;
  j["memory"] = {{"peak_gib", gib(o.answer.memory.peak)},
                 {"capacity_gib", gib(o.answer.capacity)},
                 {"fit_probability", fit_probability(o.run->run, o.answer)},
                 {"fit", fit_words(o.run->run, o.answer)}};
  j["accuracy"] = o.run->interval.words;
  j["rests_on"] = rests_on_json(*o.run);
  j["time"] = time_json(r, o);
  j["goodput"] = goodput_json(o);
  j["checkpoint"] = checkpoints_json(o);
  j["energy"] = energy_json(o);
  j["cost"] = cost_json(o);
  j["sensitivity"] = sensitivity_json(o);
  j["needs"] = needs_json(o.needs);
  j["data"] = data_json(o);
  j["inference"] = inference_json(o.inference);
  j["replicas_of_the_whole_model"] = o.periodic.replicas;
  j["periodic_data_parallel"] = periodic_json(o);
  j["periodic_memory"] = {{"peak_gib", gib(o.periodic.peak)}, {"fits", o.periodic.fits}};
  j["late_gradients_days"] = json_or_null(o.late_gradients, in_days);
  j["left_out"] = left_out(o);
  j["command"] = command_of(o);
  j["buying_pays_at_utilisation"] = json_or_null(o.buying_pays_at, std::identity());
  j["assumptions"] = assumptions_json(o.assumptions);
  return j;
}

Json requirement_json(const CapacityReport& r, const RequirementAnswer& a) {
  const Requirement& q = a.requirement;
  return {{"name", q.name},
          {"deadline_days", json_or_null(q.deadline, in_days)},
          {"budget", money(q.budget)},
          {"power_mw", json_or_null(q.power, [](Watts w) { return w.si() / 1e6; })},
          {"sure", q.sure},
          {"met_by", a.met},
          {"met_but_for_a_missing_price", a.unpriced},
          {"smallest", json_or_null(a.smallest, std::identity())},
          {"largest_model", json_or_null(largest_model(r, a), std::identity())},
          {"nearest", json_or_null(a.nearest, std::identity())},
          {"nearest_lacks", a.nearest ? a.nearest_text : ""}};
}

Json other_batch_json(const OtherBatch& b) {
  return {{"gpus", b.gpus},
          {"global_batch", b.global_batch},
          {"days", in_days(b.wall)},
          {"cost", money(b.cost)}};
}

Json tried_json(const SizesTried& t) {
  return {{"scenario", t.scenario},
          {"model", t.model},
          {"searched", t.searched},
          {"tried", t.tried},
          {"refused", t.refused},
          {"least_gpus", t.least},
          {"most_gpus", t.most},
          {"left_out", t.left_out},
          {"other_batch", json_or_null(t.other_batch, other_batch_json)}};
}

}  // namespace

Json capacity_json(const CapacityReport& r) {
  const auto option = [&](const OptionAnswer& o) { return option_json(r, o); };
  const auto required = [&](const RequirementAnswer& a) { return requirement_json(r, a); };
  const auto even = [](const BreakEven& b) -> Json {
    return {{"option", b.option}, {"rent_per_gpu_hour", (b.rent * kHour).amount()}};
  };
  return versioned({{"name", r.plan.name},
                    {"currency", r.plan.currency.text()},
                    {"rank", name_of(r.answer.rank)},
                    {"options", json_list(r.answer.options, option)},
                    {"ranked", r.answer.ranked},
                    {"pareto_front", r.answer.front},
                    {"requirements", json_list(r.answer.requirements, required)},
                    {"sizes_tried", json_list(r.answer.sizes_tried, tried_json)},
                    {"break_even_with_best", json_list(r.answer.break_evens, even)}});
}

}  // namespace orrery
