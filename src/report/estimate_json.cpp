// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "core/units.h"
#include "estimate/resolve.h"
#include "estimate/risk.h"
#include "insight/advice.h"
#include "insight/limiter.h"
#include "insight/metrics.h"
#include "insight/remedy.h"
#include "insight/run_report.h"
#include "report/buckets.h"
#include "report/estimate.h"
#include "report/frame_json.h"
#include "report/json_object.h"
#include "report/sites.h"

namespace orrery {
namespace {

// Room for the keys of one part of an answer.
constexpr std::size_t kKeysOfPart = 24;
constexpr std::size_t kKeysOfAnswer = 32;

Json& place_at(Json& document, std::string_view path) {
  const std::size_t dot = path.find('.');
  Json& child = document[std::string(path.substr(0, dot))];
  if (dot == std::string_view::npos) return child;
  if (child.is_null()) child = object_for(kKeysOfPart);
  return place_at(child, path.substr(dot + 1));
}

Json stage_json(const StageMemory<double>& m, std::size_t stage) {
  Json j = object_for(kKeysOfPart);
  j["stage"] = stage;
  j["peak_gib"] = gib(m.peak);
  j["needed_gib"] = gib(m.needed);
  j["in_flight"] = m.in_flight;
  add_memory_lines(m, j);
  j["bytes_per_parameter"] = m.bytes_per_parameter;
  j["allocated_peak"] = m.allocated.si();
  j["reserved_peak"] = m.reserved.si();
  if (m.host > Bytes()) j["host_gib"] = gib(m.host);
  if (m.drives > Bytes()) j["drives_gib"] = gib(m.drives);
  return j;
}

Json line_json(const CommLine<double>& l, const Cluster& cluster) {
  Json j = object_for(kKeysOfPart);
  j["dimension"] = name_of(l.dimension);
  j["collective"] = name_of(l.collective);
  j["count"] = l.count;
  j["bytes_per_gpu"] = l.sent.si();
  j["group"] = l.ranks;
  j["tier"] = std::string(cluster.tiers[l.tier].name.view());
  j["algorithm"] = name_of(l.algorithm);
  j["time_s"] = l.time.si();
  j["exposed_s"] = l.exposed.si();
  if (l.uncompressed == l.bytes && l.codec == Seconds()) return j;
  j["uncompressed_bytes_per_gpu"] = l.uncompressed.si();
  j["codec_s"] = l.codec.si();
  return j;
}

Json memory_by_stage_json(const RunReport& r) {
  Json stages = Json::array();
  for (std::size_t i = 0; i < r.stages.size(); ++i) stages.push_back(stage_json(r.stages[i], i));
  return stages;
}

Json rests_on_json(const StepInterval& i) {
  return {{"rows", i.rows}, {"sources", i.sources}, {"words", i.words}};
}

void add_memory(const RunReport& r, Json& j) {
  Json& memory = j["memory"];
  memory["capacity_gib"] = gib(r.answer.capacity);
  const StepInterval& i = r.resolved.memory;
  // The capacity is no prediction.
  const StageMemory<double>& m = r.answer.memory;
  const Bytes predicted = is_filled_by_cache(m) ? m.needed : m.peak;
  const double low = gib(predicted * i.low), high = gib(predicted * i.high);
  // Beyond the capacity cached blocks are given back; what is needed is not.
  const double most = std::max(gib(r.answer.capacity), gib(m.needed * i.high));
  memory["peak_gib_80"] = {std::min(low, most), std::min(high, most)};
  memory["filled_by_cached_blocks"] = is_filled_by_cache(r.answer.memory);
  memory["fit"] = fit_words(r.resolved.run, r.answer);
  memory["rests_on"] = rests_on_json(i);
  memory["stage"] = r.answer.memory_stage;
  if (r.answer.host_needed > Bytes()) memory["host_gib_per_node"] = gib(r.answer.host_needed);
  if (const Bytes drives = on_drives(r); drives > Bytes()) {
    memory["drives_gib_per_node"] = gib(drives);
  }
  memory["by_stage"] = memory_by_stage_json(r);
}

Json training_json(const PieceTime& p) {
  return {{"tokens", static_cast<std::int64_t>(p.tokens)},
          {"steps", p.steps},
          {"time_s", p.time.value.si()},
          {"time_s_80", {p.time.low.si(), p.time.high.si()}}};
}

Json remedy_json(const Remedy& m) {
  return {{"gpus", m.gpus},
          {"set", settings_json(m.settings)},
          {"type", typed(m.settings)},
          {"step_time_s", m.step_time.si()},
          {"peak_gib", gib(m.peak)},
          {"fit_probability", m.fit_probability}};
}

Json advice_json(const RunReport& r) {
  return json_list(advice_of(r), [](const Advice& a) -> Json {
    return {{"set", settings_json(a.settings)},
            {"type", typed(a.settings)},
            {"step_time_s", a.step_time.si()},
            {"peak_gib", gib(a.peak)},
            {"feasible", a.fits || a.fit_probability >= 0.5},
            {"fit_probability", a.fit_probability}};
  });
}

}  // namespace

void add_memory_lines(const StageMemory<double>& m, Json& j) {
  for (const MemoryLine l : kAllOf<MemoryLine>) j[std::string(name_of(l)) + "_gib"] = gib(m[l]);
}

Json communication_json(const RunReport& r) {
  Json lines = Json::array();
  for (std::uint8_t i = 0; i < r.answer.comm_count; ++i) {
    lines.push_back(line_json(r.answer.comm[i], r.resolved.run.cluster));
  }
  return lines;
}

Json estimate_json(const RunReport& r) {
  const Run& run = r.resolved.run;
  Json j = object_for(kKeysOfAnswer);
  j["feasible"] = is_feasible(r);
  j["reasons"] = reasons_of(r);
  for (const Metric& m : metrics()) place_at(j, m.key) = m.value({run, r.answer});
  j["flops_convention"] = name_of(run.convention);
  add_memory(r, j);
  j["communication"] = communication_json(r);
  for (const Metric& m : metrics()) {
    if (m.group == MetricGroup::speed)
      place_at(j["interval_80"], m.key) = interval_80(m, run, r.answer);
  }
  j["interval_80"]["rests_on"] = rests_on_json(r.resolved.interval);
  j["interval_80"]["kind"] = stack_json(run);
  if (const auto t = training_time(r)) j["training"] = training_json(*t);
  if (run.sites.count > 1) j["sites"] = sites_json(r);
  if (run.training.buckets.count > 0) j["buckets"] = buckets_json(r);
  j["busy_stage"] = r.answer.busy_stage;
  j["end_stage"] = r.answer.end_stage;
  j["limiter"] = limiter(run, r.answer);
  j["advice"] = advice_json(r);
  if (r.remedy) j["remedy"] = remedy_json(*r.remedy);
  add_frame(r, j);
  return j;
}

Json memory_json(const RunReport& r) {
  Json j = object_for(kKeysOfAnswer);
  j["feasible"] = is_feasible(r);
  j["reasons"] = reasons_of(r);
  for (const Metric& m : metrics()) {
    if (m.key.starts_with("memory.")) place_at(j, m.key) = m.value({r.resolved.run, r.answer});
  }
  add_memory(r, j);
  add_frame(r, j);
  return j;
}

}  // namespace orrery
