// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/json.h"
#include "estimate/risk.h"
#include "estimate/run.h"
#include "insight/metrics.h"
#include "insight/mixed_report.h"
#include "parallel/stages.h"
#include "report/estimate.h"
#include "report/frame_json.h"
#include "report/mixed.h"

namespace orrery {
namespace {

// a.b to the place of that path.
Json& at_path(Json& document, std::string_view path) {
  std::string pointer = "/" + std::string(path);
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  return document[Json::json_pointer(pointer)];
}

Json groups_json(const MixedReport& r) {
  Json all = Json::array();
  for (std::size_t k = 0; k < r.resolved.names.size(); ++k) {
    const Run& run = r.resolved.run.kinds[k];
    const Cluster& own = r.resolved.nodes[k].cluster;
    all.push_back({{"name", name_of_kind(r, k)},
                   {"node", own.node.view()},
                   {"device", own.device.name.view()},
                   {"gpus", r.resolved.run.gpus[k]},
                   {"nodes", node_count(own)},
                   {"tp", run.strategy.tp},
                   {"micro_batch", run.strategy.micro_batch},
                   {"recompute", name_of(run.strategy.recompute)}});
    if (!r.resolved.run.state_share.empty()) {
      all.back()["state_share"] = r.resolved.run.state_share[k];
    }
  }
  return all;
}

Json links_json(const MixedReport& r) {
  Json all = Json::array();
  const std::size_t n = r.resolved.names.size();
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const GroupLink& l = link_of(r.resolved.run, a, b);
      all.push_back({{"between", {name_of_kind(r, a), name_of_kind(r, b)}},
                     {"bandwidth", l.bandwidth.si()},
                     {"latency", l.latency.si()},
                     {"given", l.given}});
    }
  }
  return all;
}

Json seat_json(const MixedReport& r, const StageSeat& s) {
  return {{"stage", s.stage},
          {"group", name_of_kind(r, s.kind)},
          {"layers", layers_of_stage(r, s.stage)},
          {"ranks", s.ranks},
          {"forward_s", s.forward.si()},
          {"backward_s", s.backward.si()},
          {"busy_s", s.busy.si()},
          {"end_s", s.end.si()},
          {"peak_gib", gib(s.peak)},
          {"capacity_gib", gib(s.capacity)}};
}

Json replicas_json(const MixedReport& r) {
  Json all = Json::array();
  for (std::size_t c = 0; c < r.resolved.run.replicas.size(); ++c) {
    const ReplicaClass& one = r.resolved.run.replicas[c];
    Json groups = Json::array();
    for (const std::size_t k : one.kind_of_stage) groups.push_back(name_of_kind(r, k));
    all.push_back({{"count", one.count},
                   {"groups", groups},
                   {"micro_batches", one.micro_batches},
                   {"pipeline_s", r.answer.replicas[c].pipeline.si()},
                   {"busy_stage", r.answer.replicas[c].busy_stage}});
  }
  return all;
}

Json memory_by_stage_json(const MixedReport& r) {
  Json all = Json::array();
  for (const StageSeat& s : r.answer.seats) {
    Json j = {{"stage", s.stage},
              {"group", name_of_kind(r, s.kind)},
              {"peak_gib", gib(s.peak)},
              {"needed_gib", gib(s.needed)},
              {"capacity_gib", gib(s.capacity)},
              {"in_flight", s.in_flight}};
    for (const MemoryLine l : kAllOf<MemoryLine>) {
      j[std::string(name_of(l)) + "_gib"] = gib(s.lines[l]);
    }
    all.push_back(std::move(j));
  }
  return all;
}

void add_memory(const MixedReport& r, Json& j) {
  const Answer& a = r.answer.answer;
  Json& memory = j["memory"];
  memory["capacity_gib"] = gib(a.capacity);
  memory["stage"] = a.memory_stage;
  memory["group"] = name_of_kind(r, r.answer.memory_kind);
  memory["fit"] = fit_words(r.whole.resolved.run, a);
  memory["by_stage"] = memory_by_stage_json(r);
}

Json verdict_json(const MixedReport& r) {
  return {{"feasible", is_feasible(r.whole)}, {"reasons", reasons_of(r)}};
}

}  // namespace

Json mixed_layout_json(const MixedReport& r) {
  return {
      {"groups", groups_json(r)},
      {"links", links_json(r)},
      {"stages", json_list(r.answer.seats, [&](const StageSeat& s) { return seat_json(r, s); })},
      {"replicas", replicas_json(r)}};
}

Json mixed_json(const MixedReport& r) {
  const Run& run = r.whole.resolved.run;
  Json j = verdict_json(r);
  for (const Metric& m : metrics()) at_path(j, m.key) = m.value({run, r.whole.answer});
  j["flops_convention"] = name_of(run.convention);
  add_memory(r, j);
  j["communication"] = communication_json(r.whole);
  for (const Metric& m : metrics()) {
    if (m.group == MetricGroup::speed) {
      at_path(j["interval_80"], m.key) = interval_80(m, run, r.whole.answer);
    }
  }
  j["busy_stage"] = r.whole.answer.busy_stage;
  j["busy_group"] = name_of_kind(r, r.answer.busy_kind);
  j["end_stage"] = r.whole.answer.end_stage;
  j["end_group"] = name_of_kind(r, r.answer.end_kind);
  j["mixed"] = mixed_layout_json(r);
  add_frame(r.whole, j);
  return j;
}

Json mixed_memory_json(const MixedReport& r) {
  Json j = verdict_json(r);
  for (const Metric& m : metrics()) {
    if (m.key.starts_with("memory.")) {
      at_path(j, m.key) = m.value({r.whole.resolved.run, r.whole.answer});
    }
  }
  add_memory(r, j);
  j["mixed"] = mixed_layout_json(r);
  add_frame(r.whole, j);
  return j;
}

Json mixed_comm_json(const MixedReport& r) {
  Json j = verdict_json(r);
  j["communication"] = communication_json(r.whole);
  j["busy_stage"] = r.whole.answer.busy_stage;
  j["busy_group"] = name_of_kind(r, r.answer.busy_kind);
  j["end_stage"] = r.whole.answer.end_stage;
  j["end_group"] = name_of_kind(r, r.answer.end_kind);
  j["mixed"] = mixed_layout_json(r);
  add_frame(r.whole, j);
  return j;
}

}  // namespace orrery
