// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"
#include "report/estimate_json.h"
#include "report/simulate_report.h"

namespace orrery {
namespace {

Json stage_json(const StageUse& s, std::size_t stage) {
  Json j;
  j["stage"] = stage;
  j["first_pass_s"] = s.first_pass.si();
  j["finished_s"] = s.finished.si();
  j["reduced_s"] = s.reduced.si();
  j["end_s"] = s.end.si();
  j["bubble_s"] = s.bubble.si();
  for (std::size_t i = 0; i < kStreams; ++i) {
    j["streams"][std::string(kStreamNames[i])] = {{"busy_s", s.streams[i].busy.si()},
                                                  {"exposed_s", s.streams[i].exposed.si()}};
  }
  return j;
}

Json links_json(const SimulationReport& r) {
  Json list = Json::array();
  const double step = r.simulation.played.times.step;
  for (const LinkUse& l : r.simulation.played.links) {
    const Tier& tier = r.run.resolved.run.cluster.tiers[l.tier];
    list.push_back({{"stage", l.stage},
                    {"tier", std::string(tier.name.view())},
                    {"direction", l.out ? "out" : "in"},
                    {"busy_s", l.busy},
                    {"utilisation", l.busy / step}});
  }
  return list;
}

Json chain_json(const Simulation& s) {
  Json list = Json::array();
  for (const ChainItem& item : s.chain) {
    Json j{{"what", std::string(kLinkOfChainNames[static_cast<std::size_t>(item.kind)])}};
    if (item.stage >= 0) j["stage"] = item.stage;
    j["count"] = item.count;
    j["time_s"] = item.time.si();
    list.push_back(j);
  }
  return list;
}

Json gains_json(const Simulation& s) {
  Json list = Json::array();
  for (const Gain& g : s.gains) {
    list.push_back({{"what", std::string(kShortenedNames[static_cast<std::size_t>(g.what)])},
                    {"gain_if_10_percent_less_s", g.tenth.si()},
                    {"gain_if_free_s", g.all.si()}});
  }
  return list;
}

Json differences_json(const Simulation& s) {
  Json list = Json::array();
  for (const Difference& d : s.differences) {
    const auto i = static_cast<std::size_t>(d.cause);
    list.push_back({{"cause", std::string(kCauseNames[i])},
                    {"time_s", d.time.si()},
                    {"meaning", std::string(kCauseMeanings[i])}});
  }
  return list;
}

Json timeline_json(const SimulationReport& r) {
  const Simulation& s = r.simulation;
  Json j;
  j["passes"] = s.graph.nodes.size();
  j["events"] = s.played.events;
  j["estimate_step_time_s"] = s.closed.step_time.si();
  j["differences"] = differences_json(s);
  j["stages"] = Json::array();
  for (std::size_t i = 0; i < s.stages.size(); ++i) {
    j["stages"].push_back(stage_json(s.stages[i], i));
  }
  j["links"] = links_json(r);
  j["critical_path"] = chain_json(s);
  j["gains"] = gains_json(s);
  return j;
}

}  // namespace

Json simulation_json(const SimulationReport& r) {
  Json j = estimate_json(r.run);
  j["timeline"] = timeline_json(r);
  return j;
}

std::string simulation_csv(const SimulationReport& r) {
  std::string text = "stage,first_pass_s,finished_s,reduced_s,end_s,bubble_s";
  for (const std::string_view name : kStreamNames) {
    text += "," + std::string(name) + "_busy_s," + std::string(name) + "_exposed_s";
  }
  text += "\n";
  for (std::size_t i = 0; i < r.simulation.stages.size(); ++i) {
    const StageUse& s = r.simulation.stages[i];
    text += std::to_string(i);
    for (const Seconds t : {s.first_pass, s.finished, s.reduced, s.end, s.bubble}) {
      text += "," + shortest(t.si());
    }
    for (const StreamUse& u : s.streams) {
      text += "," + shortest(u.busy.si()) + "," + shortest(u.exposed.si());
    }
    text += "\n";
  }
  return text;
}

}  // namespace orrery
