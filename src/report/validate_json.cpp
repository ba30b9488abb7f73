// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "report/validate.h"

namespace orrery {
namespace {

double in_gib(Bytes b) { return b / kGiB; }
double in_tera(FlopsPerSecond r) { return r.si() / kTera; }

Json measured_json(const Measured& m) {
  Json j = Json::object();
  if (m.step_time) j["step_time_s"] = m.step_time->si();
  if (m.tokens_per_gpu) j["tokens_per_s_per_gpu"] = m.tokens_per_gpu->si();
  if (m.model_rate) j["model_tflops_per_gpu"] = in_tera(*m.model_rate);
  if (m.hardware_rate) j["hardware_tflops_per_gpu"] = in_tera(*m.hardware_rate);
  if (m.mfu) j["mfu"] = *m.mfu;
  if (m.hfu) j["hfu"] = *m.hfu;
  if (m.peak_memory) {
    j["peak_memory_gib"] = in_gib(*m.peak_memory);
    j["memory_kind"] = name_of(m.memory_kind);
  }
  if (m.out_of_memory) j["out_of_memory"] = true;
  return j;
}

Json predicted_json(const JudgedRow& r) {
  const Answer& a = r.answer;
  Json j;
  j["feasible"] = fits(r);
  j["step_time_s"] = a.step_time.si();
  j["tokens_per_s_per_gpu"] = predicted_tokens(r).si();
  j["model_tflops_per_gpu"] = in_tera(predicted_rate(r, FlopsKind::model));
  j["hardware_tflops_per_gpu"] = in_tera(predicted_rate(r, FlopsKind::hardware));
  j["mfu"] = double(a.model_flops / a.step_time / a.peak_rate);
  j["hfu"] = double(a.hardware_flops / a.step_time / a.peak_rate);
  j["peak_memory_gib"] = in_gib(predicted_memory(r));
  j["device_peak_gib"] = in_gib(a.memory.peak);
  j["capacity_gib"] = in_gib(a.capacity);
  for (std::size_t t = 0; t < kTerms; ++t) {
    j["breakdown_s"][std::string(name_of(static_cast<Term>(t)))] = a.breakdown[t].si();
  }
  j["interval_80"] = {{"step_time_s", {a.interval_low.si(), a.interval_high.si()}}};
  return j;
}

// Time stands under what the row publishes it as; other counts of the same time are left out where
// they rest on another formula.
Json error_json(const JudgedRow& r) {
  Json j = Json::object();
  const Measured& m = r.row.measured;
  const std::optional<double> time = time_error(r);
  const Basis basis = r.published.basis;
  if (time && m.step_time) j["step_time_s"] = *time;
  if (time && m.tokens_per_gpu) {
    j["tokens_per_s_per_gpu"] = predicted_tokens(r) / *m.tokens_per_gpu - 1;
  }
  if (time && basis > Basis::tokens) {
    j[std::string(name_of(basis))] = 1 / (1 + *time) - 1;
  }
  if (const std::optional<double> memory = memory_error(r)) j["peak_memory_gib"] = *memory;
  if (m.out_of_memory) j["out_of_memory_seen"] = !fits(r);
  return j;
}

Json row_json(const JudgedRow& r) {
  Json j;
  j["id"] = r.row.id;
  j["tier"] = name_of(r.row.tier);
  j["source"] = r.row.source.group;
  j["node"] = r.node;
  j["framework"] = r.framework;
  j["unknown"] = r.row.unknown;
  j["measured"] = measured_json(r.row.measured);
  if (!r.row.repeats.empty()) j["repeats"] = r.row.repeats;
  if (!is_estimated(r)) {
    j["refused"] = r.refusal;
    return j;
  }
  j["judged_by"] = name_of(r.published.basis);
  if (time_error(r)) j["published_step_time_s"] = r.published.time.si();
  if (!r.assumed.empty()) j["assumed"] = r.assumed;
  j["predicted"] = predicted_json(r);
  j["error"] = error_json(r);
  if (r.framework_seen) {
    j["framework_seen_elsewhere"] = *r.framework_seen;
    j["elasticity"] = Json::object();
    for (const Elasticity& e : r.elasticities) j["elasticity"][std::string(e.key)] = e.value;
  }
  return j;
}

Json sweep_json(const Sweep& s) {
  return {{"source", s.source},     {"sweep", s.name},    {"rows", s.rows},
          {"spearman", s.spearman}, {"regret", s.regret}, {"regret_of_three", s.regret_of_three}};
}

Json error_summary_json(const ErrorSummary& s) {
  return {{"rows", s.count}, {"median", s.median}, {"p90", s.p90},
          {"mean", s.mean},  {"bias", s.bias},     {"within_10", s.within_10}};
}

Json summary_json(const Summary& s) {
  Json j;
  j["scope"] = s.scope;
  j["quantity"] = s.quantity == Judged::time ? "step_time_s" : "peak_memory_gib";
  j["rows"] = s.rows;
  j["refused"] = s.refused;
  j["error"] = error_summary_json(s.error);
  if (s.quantity == Judged::memory) return j;
  j["after_one_factor_per_source"] = error_summary_json(s.one_factor);
  j["one_constant_per_source"] = error_summary_json(s.one_constant);
  j["within_interval_80"] = s.in_interval;
  return j;
}

}  // namespace

Json validation_json(const ValidationReport& report) {
  Json rows = Json::array();
  for (const JudgedRow& r : report.rows) rows.push_back(row_json(r));
  Json summaries = Json::array();
  for (const Summary& s : report.summaries) summaries.push_back(summary_json(s));
  Json sweeps = Json::array();
  for (const Sweep& s : report.sweeps) sweeps.push_back(sweep_json(s));
  const FitSummary& f = report.fit;
  return {{"left_out", report.left_out},
          {"rows", std::move(rows)},
          {"summaries", std::move(summaries)},
          {"sweeps", std::move(sweeps)},
          {"memory_fit",
           {{"ran", f.ran},
            {"ran_but_predicted_not_to_fit", f.ran_but_refused},
            {"out_of_memory", f.out_of_memory},
            {"out_of_memory_seen", f.out_of_memory_seen}}}};
}

}  // namespace orrery
