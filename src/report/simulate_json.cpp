// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "document/rows.h"
#include "report/estimate.h"
#include "report/frame_json.h"
#include "report/simulate.h"
#include "report/stage_times.h"

namespace orrery {
namespace {

Json stage_json(const StageUse& s, std::size_t stage) {
  Json j;
  j["stage"] = stage;
  for (const StageTime& t : kStageTimes) j[std::string(t.key)] = (s.*t.time).si();
  for (const Stream i : kAllOf<Stream>) {
    j["streams"][std::string(name_of(i))] = {{"busy_s", s.streams[i].busy.si()},
                                             {"exposed_s", s.streams[i].exposed.si()}};
  }
  return j;
}

Json memory_json_of(const MemoryCurve& m, std::size_t stage) {
  Json j = {{"stage", stage},
            {"peak_gib", gib(m.peak.peak)},
            {"peak_at_s", m.peak_at.si()},
            {"in_flight", m.most_in_flight}};
  add_memory_lines(m.peak, j);
  j["estimate_peak_gib"] = gib(m.closed_peak);
  j["less_held_gib"] = gib(m.less_held);
  j["less_at_work_gib"] = gib(m.less_at_work);
  return j;
}

Json links_json(const SimulationReport& r) {
  return json_list(r.simulation.played.links, [&](const LinkUse& l) -> Json {
    return {{"stage", l.stage},
            {"tier", r.run.resolved.run.cluster.tiers[l.tier].name.view()},
            {"direction", l.out ? "out" : "in"},
            {"busy_s", l.busy.si()},
            {"utilisation", static_cast<double>(l.busy / r.simulation.played.times.step)}};
  });
}

Json chain_json(const Simulation& s) {
  return json_list(s.chain, [](const ChainItem& item) {
    Json j{{"what", name_of(item.kind)}};
    if (item.stage >= 0) j["stage"] = item.stage;
    j["count"] = item.count;
    j["time_s"] = item.time.si();
    return j;
  });
}

Json differences_json(const Simulation& s) {
  return json_list(s.differences, [](const Difference& d) -> Json {
    return {{"cause", name_of(d.cause)}, {"time_s", d.time.si()}, {"meaning", meaning_of(d.cause)}};
  });
}

// The median is one of the values: the lower of two in the middle.
Json spread_json(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return {{"least", x.front()}, {"median", x[(x.size() - 1) / 2]}, {"most", x.back()}};
}

Json gpus_json(const GpuUse& g) {
  Json j;
  j["gpus"] = g.slowness.size();
  j["replicas_played"] = g.replicas_played;
  j["actors"] = g.actors;
  j["gpus_in_step"] = g.ranks_of_actor;
  j["shown_replica"] = g.slowest_replica;
  j["slowness"] = spread_json(g.slowness);
  j["busy_share"] = spread_json(g.busy_share);
  return j;
}

// The part of `inputs` that the step was played with: less where parts have failed.
Json played_json(const Run& run) {
  return {{"gpus", world_size(run.strategy)},
          {"dp", run.strategy.dp},
          {"micro_batches", run.strategy.micro_batches},
          {"global_batch", run.training.global_batch}};
}

Json fetches_json(const Simulation& s) {
  Json list = Json::array();
  const auto add = [&](std::size_t cell, const char* pass, const std::vector<Fetch>& fetches) {
    const std::size_t p = s.plan.stages.size();
    for (const Fetch& f : fetches) {
      list.push_back({{"stage", cell % p},
                      {"chunk", cell / p},
                      {"pass", pass},
                      {"layer", f.layer},
                      {"what", f.gathers ? "gather" : "reduce"},
                      {"begin_s", f.begin.si()},
                      {"end_s", f.end.si()}});
    }
  };
  for (std::size_t cell = 0; cell < s.fetches.size(); ++cell) {
    add(cell, "forward", s.fetches[cell].forward);
    add(cell, "backward", s.fetches[cell].backward);
  }
  return list;
}

Json saved_json(const SavedStates& saved) {
  const CheckpointCost& c = saved.cost;
  return {{"mode", name_of(saved.mode)},
          {"size_bytes", c.size.si()},
          {"copy_s", c.copy.si()},
          {"stall_s", c.stall.si()},
          {"safe_s", (c.stall + c.durable).si()}};
}

Json timeline_json(const SimulationReport& r) {
  const Simulation& s = r.simulation;
  Json j;
  j["played"] = played_json(r.run.resolved.run);
  j["passes"] = s.graph.nodes.size();
  j["events"] = s.played.events;
  if (!s.fetches.empty()) j["fetches"] = fetches_json(s);
  if (r.saved) j["checkpoint"] = saved_json(*r.saved);
  j["estimate_step_time_s"] = s.closed.step_time.si();
  j["differences"] = differences_json(s);
  j["stages"] = Json::array();
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    j["stages"].push_back(stage_json(s.stages[i], i));
  }
  j["memory"] = Json::array();
  for (std::size_t i = 0; i < s.memory.size(); ++i) {
    j["memory"].push_back(memory_json_of(s.memory[i], i));
  }
  if (!s.gpus.slowness.empty()) j["every_gpu"] = gpus_json(s.gpus);
  j["links"] = links_json(r);
  j["critical_path"] = chain_json(s);
  j["gains"] = json_rows(gains_table(s));
  return j;
}

}  // namespace

Json simulation_json(const SimulationReport& r) {
  Json j = estimate_json(r.run);
  j["timeline"] = timeline_json(r);
  return j;
}

}  // namespace orrery
