// SPDX-License-Identifier: Apache-2.0
#include "report/mixed_simulation.h"

#include "core/json.h"
#include "core/units.h"
#include "document/words.h"
#include "insight/mixed_simulation.h"
#include "report/frame.h"
#include "report/frame_json.h"
#include "report/mixed.h"

namespace orrery {
namespace {

// One stage of one class of replicas.
struct PlayedSeat {
  std::size_t replica_class = 0;
  std::size_t stage = 0;
  const std::string& group;
  const StageTimes& times;
  Seconds passes{};  // in forward and backward passes
};

template <class Visit>
void for_each_seat(const PlayedMixed& p, Visit&& visit) {
  const MixedRun& run = p.report.resolved.run;
  const auto stages = static_cast<std::size_t>(stages_of(run));
  for (std::size_t c = 0; c < run.replicas.size(); ++c) {
    const PlayedClass& played = p.simulation.classes[c];
    for (std::size_t i = 0; i < stages; ++i) {
      visit(PlayedSeat{c, i, p.report.resolved.names[run.replicas[c].kind_of_stage[i]],
                       p.simulation.times.stages[c * stages + i],
                       time_in_passes(played.graph, played.played.times, i)});
    }
  }
}

Table seats_table(const PlayedMixed& p) {
  Table t({{"replicas", true},
           {"stage", true},
           {"group"},
           {"in passes", true},
           {"waits", true},
           {"last pass ends", true},
           {"gradients summed", true},
           {"updated", true}},
          2);
  for_each_seat(p, [&](const PlayedSeat& s) {
    t.add({grouped(p.report.resolved.run.replicas[s.replica_class].count), std::to_string(s.stage),
           s.group, pretty(s.passes, 3), pretty(s.times.finished - s.passes, 3),
           pretty(s.times.finished), pretty(s.times.reduced), pretty(s.times.updated)});
  });
  return t;
}

Table differences_table(const PlayedMixed& p) {
  Table t({{"difference"}, {"time", true}, {"meaning"}}, 2);
  for (const Difference& d : p.simulation.differences) {
    t.add({name_of(d.cause), pretty(d.time, 3), meaning_of(d.cause)});
  }
  return t;
}

Section step_section(const PlayedMixed& p) {
  const Seconds closed = p.simulation.closed.answer.step_time;
  Section s;
  s.add(labelled("step", bold(pretty(p.simulation.step)) + ", played as " +
                             grouped(static_cast<std::int64_t>(p.simulation.events)) + " events"));
  s.add(labelled("closed form", pretty(closed) + " (played " +
                                    signed_percent(p.simulation.step / closed - 1) + ")"));
  if (!p.simulation.differences.empty()) s.add(differences_table(p).untitled());
  return s;
}

}  // namespace

AnswerDocument mixed_simulation_document(const PlayedMixed& p) {
  AnswerDocument d = mixed_document(p.report);
  AnswerDocument out{p.report.whole.resolved.model_name + ": one step played", {}, seats_table(p)};
  out.sections = {
      d.sections.front(), step_section(p), {bold("Stages") + " over the step", {seats_table(p)}}};
  out.add(run_assumptions(p.report.whole.resolved));
  return out;
}

Json mixed_simulation_json(const PlayedMixed& p) {
  Json j = mixed_json(p.report);
  const double gpus = static_cast<double>(gpus_of(p.report.resolved.run));
  const Training& t = p.report.whole.resolved.run.training;
  const double step = p.simulation.step.si();
  const double samples = static_cast<double>(t.global_batch);
  j["closed_form"] = {{"step_time_s", p.simulation.closed.answer.step_time.si()}};
  j["step_time_s"] = step;
  j["samples_per_s"] = samples / step;
  j["tokens_per_s"] = samples * static_cast<double>(t.sequence) / step;
  j["tokens_per_s_per_gpu"] = samples * static_cast<double>(t.sequence) / step / gpus;
  j["events"] = p.simulation.events;
  j["differences"] = json_list(p.simulation.differences, [](const Difference& d) -> Json {
    return {{"cause", name_of(d.cause)}, {"time_s", d.time.si()}};
  });
  Json seats = Json::array();
  for_each_seat(p, [&](const PlayedSeat& s) {
    seats.push_back({{"class", s.replica_class},
                     {"stage", s.stage},
                     {"group", s.group},
                     {"passes_s", s.passes.si()},
                     {"finished_s", s.times.finished.si()},
                     {"reduced_s", s.times.reduced.si()},
                     {"updated_s", s.times.updated.si()}});
  });
  j["played"] = std::move(seats);
  for (const char* key : {"breakdown_s", "interval_80", "mfu", "hfu", "model_tflops_per_gpu",
                          "hardware_tflops_per_gpu"}) {
    j["closed_form"][key] = j[key];
    j.erase(key);
  }
  return j;
}

}  // namespace orrery
