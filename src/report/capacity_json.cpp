// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "capacity/layouts_left_out.h"
#include "core/json.h"
#include "document/words.h"
#include "insight/capacity_chance.h"
#include "insight/value_of_information.h"
#include "parallel/strategy_keys.h"
#include "report/capacity.h"
#include "report/capacity_outcome.h"
#include "report/capacity_words.h"
#include "report/frame_json.h"
#include "report/money_json.h"

namespace orrery {
namespace {

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

Json capped_json(const CapacityReport& r, const OptionAnswer& o) {
  return json_list(o.capped, [&](const PowerCapped& p) -> Json {
    const EnergyUse& e = p.outcome.energy;
    return {{"cap_w", p.cap.si()},
            {"days", in_days(p.outcome.wall)},
            {"facility_kwh", e.facility.si() / kKilowattHour.si()},
            {"gpus_kwh", e.devices.si() / kKilowattHour.si()},
            {"peak_mw", e.peak.si() / 1e6},
            {"advised", cap_that_meets(r.plan.requirements, o) == &p},
            {"tokens_per_kwh", o.training.tokens / (e.facility.si() / kKilowattHour.si())},
            {"cost", money_json(p.outcome.cost)}};
  });
}

// Adds the rest, which a training on one stream of tokens has.
void add_needs(const CapacityReport& r, const OptionAnswer& o, Json& j) {
  j["needs"] = needs_json(o.needs);
  if (!o.materials.empty()) j["materials"] = materials_json(o);
  j["data"] = data_json(o);
  j["power_caps"] = capped_json(r, o);
  j["inference"] = inference_json(o.inference);
  j["replicas_of_the_whole_model"] = o.periodic.replicas;
  j["periodic_data_parallel"] = periodic_json(o);
  j["periodic_memory"] = {{"peak_gib", gib(o.periodic.peak)}, {"fits", o.periodic.fits}};
  j["late_gradients_days"] = json_or_null(o.late_gradients, in_days);
  j["buying_pays_at_utilisation"] = json_or_null(o.buying_pays_at, std::identity());
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
  j["memory"] = memory_json(o);
  const Chance chance = chance_of(r.plan.requirements, o);
  j["chance"] = {{"deadline", json_or_null(chance.deadline, std::identity())},
                 {"budget", json_or_null(chance.budget, std::identity())},
                 {"fits", chance.fits},
                 {"all", chance.all}};
  j["accuracy"] = o.run->interval.words;
  j["rests_on"] = rests_on_json(*o.run);
  add_outcome(r, o, j);
  j["sensitivity"] = sensitivity_json(o);
  if (o.rl) {
    j["rl"] = rl_training_json(o);
  } else {
    add_needs(r, o, j);
  }
  const auto values = [](const NotTried& n) -> Json {
    return {{"axis", key_of(n.axis)}, {"values", n.values}};
  };
  const LayoutsLeftOut layouts = o.left_out ? *o.left_out : LayoutsLeftOut();
  j["layouts_not_tried"] = json_list(layouts.of_answer, values);
  j["layouts_not_compared"] = json_list(layouts.of_sizes, values);
  j["left_out"] = left_out(o);
  j["command"] = command_of(o);
  j["assumptions"] = assumptions_json(o.assumptions);
  return j;
}

Json requirement_json(const CapacityReport& r, const RequirementAnswer& a) {
  const Requirement& q = a.requirement;
  return {{"name", q.name},
          {"deadline_days", json_or_null(q.deadline, in_days)},
          {"budget", money_json(q.budget)},
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
          {"cost", money_json(b.cost)}};
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
          {"beyond_power", t.beyond_power},
          {"other_batch", json_or_null(t.other_batch, other_batch_json)}};
}

Json measurement_json(const StepMeasurement& m) {
  return {{"option", m.option},
          {"worth", m.worth.amount()},
          {"gpus", m.gpus},
          {"rent_of_a_week", money_json(m.of_week)}};
}

Json information_json(const CapacityReport& r) {
  const std::optional<std::size_t> best = best_option(r);
  const auto value = best ? value_of_information(r, *best) : std::nullopt;
  return json_or_null(value, [](const InformationValue& v) -> Json {
    return {{"choice", v.choice},
            {"other", v.other},
            {"expected_loss", v.expected_loss.amount()},
            {"measurements", json_list(v.measurements, measurement_json)}};
  });
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
                    {"break_even_with_best", json_list(r.answer.break_evens, even)},
                    {"value_of_information", information_json(r)}});
}

}  // namespace orrery
