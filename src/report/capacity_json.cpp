// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "document/words.h"
#include "orrery/version.h"
#include "report/capacity.h"
#include "report/capacity_words.h"
#include "report/estimate_json.h"
#include "report/rests_on_text.h"

namespace orrery {
namespace {

constexpr double kExa = 1e18;

Json days(const Ranged<Seconds>& r) { return {in_days(r.low), in_days(r.value), in_days(r.high)}; }

Json money(const std::optional<Money>& m) {
  if (!m) return nullptr;
  return m->amount();
}

Json pieces_json(const TrainingTime& t) {
  Json list = Json::array();
  for (const PieceTime& p : t.pieces) {
    list.push_back({{"phase", p.phase},
                    {"global_batch", p.global_batch},
                    {"tokens", p.tokens},
                    {"steps", p.steps},
                    {"step_time_s", {p.step.low.si(), p.step.value.si(), p.step.high.si()}},
                    {"mfu", mfu_of(p.answer)},
                    {"memory_peak_gib", double(p.answer.memory.peak / kGiB)},
                    {"days", days(p.time)}});
  }
  return list;
}

Json classes_json(const OptionAnswer& o) {
  Json list = Json::array();
  const Goodput& g = o.outcome.goodput;
  const double days = (g.detection + g.restart + g.lost_work) * in_days(o.outcome.training);
  const PerSecond all = rate_per_gpu(o.inputs.interruptions);
  for (const FailureClass& c : o.inputs.interruptions.classes) {
    const double share = all.si() > 0 ? double(c.rate / all) : 0;
    list.push_back({{"name", c.name},
                    {"per_gpu_hour", double(c.rate * kHour)},
                    {"failures", share * o.outcome.failures},
                    {"days", share * days}});
  }
  return list;
}

Json goodput_json(const OptionAnswer& o) {
  const Goodput& g = o.outcome.goodput;
  const double whole = in_days(o.outcome.training);
  Json j = {{"effective_training_time_ratio", g.ratio()},
            {"unexpected_failures", o.outcome.failures},
            {"mean_time_between_failures_h", nullptr},
            {"spare_nodes", o.inputs.spares},
            {"spare_nodes_advised", o.spares_advised}};
  if (o.outcome.recovery.failures.si() > 0) {
    j["mean_time_between_failures_h"] = 1 / (o.outcome.recovery.failures * kHour);
  }
  j["days_of"] = {{"training", in_days(o.outcome.training)},
                  {"checkpoints", g.checkpoint * whole},
                  {"lost_work", g.lost_work * whole},
                  {"detection", g.detection * whole},
                  {"restart", g.restart * whole},
                  {"waiting_for_spares", g.spares * whole},
                  {"planned_stops", g.planned * whole}};
  j["classes"] = classes_json(o);
  j["stragglers_days"] = in_days(o.outcome.training - o.training.time.value);
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

Json checkpoint_json(const OptionAnswer& o) {
  const Outcome& x = o.outcome;
  const bool failures = x.recovery.failures.si() > 0;
  Json j = {{"bytes", x.checkpoint.size.si()},
            {"bytes_per_node", x.checkpoint.per_node.si()},
            {"mode", name_of(o.inputs.policy.mode)},
            {"storage_known", x.checkpoint.storage_known},
            {"bound_by_nodes", x.checkpoint.nodes_bound_it},
            {"stall_s", x.checkpoint.stall.si()},
            {"safe_after_s", double((x.checkpoint.stall + x.checkpoint.durable).si())},
            {"read_s", x.checkpoint.read.si()},
            {"interval_s", seconds_or_null(x.goodput.interval)},
            {"interval_young_s", nullptr},
            {"interval_daly_s", nullptr},
            {"interval_optimal_s", nullptr}};
  if (failures) {
    j["interval_young_s"] = young_interval(x.recovery.stall, x.recovery.failures).si();
    j["interval_daly_s"] = daly_interval(x.recovery.stall, x.recovery.failures).si();
    j["interval_optimal_s"] = optimal_interval(x.recovery, o.inputs.longest_step).si();
  }
  return j;
}

Json energy_json(const OptionAnswer& o) {
  const EnergyUse& e = o.outcome.energy;
  Json j = {{"nodes_kwh", e.nodes.si() / kKilowattHour.si()},
            {"facility_kwh",
             {o.range.energy.low / kKilowattHour.si(), e.facility.si() / kKilowattHour.si(),
              o.range.energy.high / kKilowattHour.si()}},
            {"peak_mw", e.peak.si() / 1e6},
            {"average_mw", e.average.si() / 1e6},
            {"pue_known", e.pue_known},
            {"node_power_known", e.node_power_known},
            {"co2e_t", nullptr}};
  if (e.carbon) j["co2e_t"] = e.carbon->kg / 1000;
  return j;
}

Json cost_json(const OptionAnswer& o) {
  const Bill& b = o.outcome.bill;
  Json parts = Json::object();
  for (std::size_t i = 0; i < kCostParts; ++i) {
    parts[std::string(kNamesOf<CostPart>[i])] = money(b.parts[i]);
  }
  Json j = {{"payment", name_of(b.payment)},
            {"total", money(o.outcome.cost)},
            {"range", nullptr},
            {"parts", parts},
            {"not_counted", not_counted(b)},
            {"per_million_tokens", nullptr},
            {"per_eflop", nullptr},
            {"per_gpu_hour", nullptr}};
  if (o.outcome.cost) {
    j["range"] = {o.range.cost.low, o.range.cost.high};
    j["per_million_tokens"] = o.outcome.cost->amount() / (o.training.tokens / 1e6);
    j["per_gpu_hour"] = o.outcome.cost->amount() / gpu_hours(o.inputs, o.outcome.wall);
    j["per_eflop"] = o.outcome.cost->amount() / (o.training.model_flops.si() / kExa);
  }
  return j;
}

Json sensitivity_json(const OptionAnswer& o) {
  Json list = Json::array();
  for (const Sensitivity& s : o.sensitivities) {
    Json row = {{"input", s.what},
                {"what_if", s.what_if},
                {"days", {in_days(s.wall.low), in_days(s.wall.high)}},
                {"cost", nullptr},
                {"kwh", {s.energy.low / kKilowattHour.si(), s.energy.high / kKilowattHour.si()}}};
    if (o.outcome.cost) row["cost"] = {s.cost.low, s.cost.high};
    list.push_back(row);
  }
  return list;
}

Json assumptions_json(const std::vector<Assumption>& all) {
  Json list = Json::array();
  for (const Assumption& a : all) {
    list.push_back({{"what", a.what}, {"value", a.value}, {"source", a.source}, {"date", a.date}});
  }
  return list;
}

Json time_json(const CapacityReport& r, const OptionAnswer& o) {
  Json j = {{"tokens", o.training.tokens},
            {"model_flops", o.training.model_flops.si()},
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
  Json samples = Json::array();
  for (const SampleRate& r : n.samples) {
    samples.push_back({{"name", r.name},
                       {"bytes_per_s", r.all.si()},
                       {"bytes_per_s_per_node", r.node.si()},
                       {"clients_carry_it", r.clients_carry_it}});
  }
  Json j = {{"corpus", o.plan->data.corpora[o.plan->data.corpus].name},
            {"read_bytes_per_s", n.read.si()},
            {"dataset_bytes", n.dataset.si()},
            {"kept_checkpoints_bytes", n.checkpoints.si()},
            {"total_bytes", n.total.si()},
            {"storage_holds_it", n.storage_holds_it},
            {"cpu_cores", nullptr},
            {"host_memory_of_checkpoint_bytes_per_node", o.outcome.checkpoint.per_node.si()},
            {"host_memory_of_offload_bytes_per_node", o.answer.host_needed.si()},
            {"were_it_trained_on", samples}};
  if (n.cores > 0) j["cpu_cores"] = n.cores;
  return j;
}

Json inference_json(const std::vector<InferenceNeeds>& all) {
  Json list = Json::array();
  for (const InferenceNeeds& n : all) {
    list.push_back({{"batch", n.batch},
                    {"context", n.context},
                    {"weights_16bit_bytes", n.weights.si()},
                    {"weights_8bit_bytes", n.weights.si() / 2},
                    {"weights_4bit_bytes", n.weights.si() / 4},
                    {"cache_bytes_per_token", n.cache_a_token.si()},
                    {"cache_bytes", n.cache.si()},
                    {"cache_waste_bytes", n.waste.si()}});
  }
  return list;
}

Json periodic_json(const OptionAnswer& o) {
  Json list = Json::array();
  for (const PeriodicSync& p : o.periodic.at) {
    list.push_back({{"every_steps", p.every}, {"days", in_days(p.wall)}});
  }
  return list;
}

Json option_json(const CapacityReport& r, const OptionAnswer& o) {
  Json j = {{"scenario", o.scenario},
            {"model", o.model},
            {"gpus", o.gpus},
            {"status", name_of(o.status)},
            {"reason", o.reason}};
  if (o.status != OptionStatus::fits) return j;
  j["nodes"] = node_count(o.inputs.cluster);
  j["node"] = o.inputs.cluster.node.view();
  j["device"] = o.inputs.cluster.device.name.view();
  j["strategy"] = o.run->inputs->value("parallel", Json::object());
  j["rests_on"] = rests_on_json(*o.run);
  j["time"] = time_json(r, o);
  j["goodput"] = goodput_json(o);
  j["checkpoint"] = checkpoint_json(o);
  j["energy"] = energy_json(o);
  j["cost"] = cost_json(o);
  j["sensitivity"] = sensitivity_json(o);
  j["data"] = data_json(o);
  j["inference"] = inference_json(o.inference);
  j["replicas_of_the_whole_model"] = o.periodic.replicas;
  j["periodic_data_parallel"] = periodic_json(o);
  j["buying_pays_at_utilisation"] = nullptr;
  if (o.buying_pays_at) j["buying_pays_at_utilisation"] = *o.buying_pays_at;
  j["assumptions"] = assumptions_json(o.assumptions);
  return j;
}

Json index_or_null(const std::optional<std::size_t>& i) {
  if (!i) return nullptr;
  return *i;
}

Json requirement_json(const RequirementAnswer& a) {
  const Requirement& q = a.requirement;
  Json j = {{"name", q.name},
            {"deadline_days", nullptr},
            {"budget", nullptr},
            {"power_mw", nullptr},
            {"sure", q.sure},
            {"met_by", a.met},
            {"met_but_for_a_missing_price", a.unpriced},
            {"smallest", index_or_null(a.smallest)},
            {"nearest", index_or_null(a.nearest)},
            {"nearest_lacks", a.nearest ? a.nearest_text : ""}};
  if (q.deadline) j["deadline_days"] = in_days(*q.deadline);
  if (q.budget) j["budget"] = q.budget->amount();
  if (q.power) j["power_mw"] = q.power->si() / 1e6;
  return j;
}

Json tried_json(const SizesTried& t) {
  return {{"scenario", t.scenario}, {"model", t.model},      {"searched", t.searched},
          {"tried", t.tried},       {"refused", t.refused},  {"least_gpus", t.least},
          {"most_gpus", t.most},    {"left_out", t.left_out}};
}

}  // namespace

Json capacity_json(const CapacityReport& r) {
  Json options = Json::array();
  for (const OptionAnswer& o : r.answer.options) options.push_back(option_json(r, o));
  Json requirements = Json::array();
  for (const RequirementAnswer& a : r.answer.requirements) {
    requirements.push_back(requirement_json(a));
  }
  Json tried = Json::array();
  for (const SizesTried& t : r.answer.sizes_tried) tried.push_back(tried_json(t));
  Json even = Json::array();
  for (const BreakEven& b : r.answer.break_evens) {
    even.push_back({{"option", b.option}, {"rent_per_gpu_hour", (b.rent * kHour).amount()}});
  }
  return {{"schema", kSchemaVersion},
          {"version", kVersion},
          {"name", r.plan.name},
          {"currency", r.plan.currency.text()},
          {"rank", name_of(r.answer.rank)},
          {"options", options},
          {"ranked", r.answer.ranked},
          {"pareto_front", r.answer.front},
          {"requirements", requirements},
          {"sizes_tried", tried},
          {"break_even_with_best", even}};
}

}  // namespace orrery
