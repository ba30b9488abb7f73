// SPDX-License-Identifier: Apache-2.0
#include "report/mixed.h"

#include "core/units.h"
#include "document/words.h"
#include "estimate/run.h"
#include "insight/metrics.h"
#include "insight/mixed_report.h"
#include "insight/settings.h"
#include "model/operators.h"
#include "parallel/stages.h"
#include "report/estimate.h"
#include "report/frame.h"

namespace orrery {
namespace {

Paragraph model_line(const MixedReport& r) {
  const Run& run = r.whole.resolved.run;
  const ParameterCount n = parameter_count(run.model, run.training.sequence);
  return Paragraph{bold(r.whole.resolved.model_name) + ": " +
                       short_count(static_cast<double>(n.total)) + " parameters, " +
                       counted(run.model.layers, "layer") + ", sequences of " +
                       counted(run.training.sequence, "token") + ", " +
                       counted(run.training.global_batch, "sequence") + " a step, " +
                       std::string(name_of(run.training.precision)) + ", framework " +
                       std::string(run.framework.name.view()),
                   2};
}

Paragraph strategy_line(const MixedReport& r) {
  const Strategy& s = r.resolved.run.kinds.front().strategy;
  std::string text = "pp " + grouped(s.pp) +
                     (s.pp > 1 ? " by " + std::string(name_of(s.schedule)) : std::string()) +
                     ", dp " + grouped(s.dp) + ", ZeRO " + grouped(s.zero);
  if (s.cp > 1) text += ", cp " + grouped(s.cp);
  if (s.layers.count > 0) text += ", recompute of layers " + range_words(s.layers);
  if (r.resolved.balanced) text += ", layers balanced over the groups";
  if (r.resolved.run.in_step) {
    text += ", weights or gradients exchanged in every micro batch: replicas keep step";
  }
  return Paragraph{text, 2};
}

Table groups_table(const MixedReport& r) {
  Table t({{"group"}, {"node"}, {"GPUs", true}, {"tp", true}, {"micro batch", true}, {"recompute"}},
          2);
  for (std::size_t k = 0; k < r.resolved.names.size(); ++k) {
    const Strategy& s = r.resolved.run.kinds[k].strategy;
    t.add({name_of_kind(r, k), std::string(r.resolved.nodes[k].cluster.node.view()),
           grouped(r.resolved.run.gpus[k]), grouped(s.tp), grouped(s.micro_batch),
           std::string(name_of(s.recompute))});
  }
  return t;
}

}  // namespace

Section mixed_header(const MixedReport& r) {
  Section s;
  s.add(model_line(r));
  s.add(strategy_line(r));
  s.add(groups_table(r));
  const std::size_t n = r.resolved.names.size();
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const GroupLink& l = link_of(r.resolved.run, a, b);
      s.add(Paragraph{"link " + name_of_kind(r, a) + " – " + name_of_kind(r, b) + ": " +
                          pretty(l.bandwidth) + " of a node, " + pretty(l.latency) +
                          (l.given ? "" : " (assumed: the slower of both nodes' networks)"),
                      2});
    }
  }
  return s;
}

namespace {

Table stages_table(const MixedReport& r) {
  Table t({{"stage", true},
           {"group"},
           {"layers", true},
           {"ranks", true},
           {"forward", true},
           {"backward", true},
           {"busy in a step", true},
           {"end of step", true},
           {"peak GiB", true},
           {"of", true}},
          2);
  for (const StageSeat& s : r.answer.seats) {
    t.add({std::to_string(s.stage), name_of_kind(r, s.kind), grouped(layers_of_stage(r, s.stage)),
           grouped(s.ranks), pretty(s.forward, 3), pretty(s.backward, 3), pretty(s.busy, 3),
           pretty(s.end, 3), fixed(s.peak / kGiB, 2), fixed(s.capacity / kGiB, 1)});
  }
  return t;
}

std::string groups_of(const MixedReport& r, const ReplicaClass& c) {
  std::vector<std::string> names;
  for (const std::size_t k : c.kind_of_stage) names.push_back(name_of_kind(r, k));
  return joined_runs(names, " → ");
}

Table replicas_table(const MixedReport& r) {
  Table t(
      {{"replicas", true}, {"stages on"}, {"micro batches", true}, {"micro batches done", true}},
      2);
  for (std::size_t c = 0; c < r.resolved.run.replicas.size(); ++c) {
    const ReplicaClass& one = r.resolved.run.replicas[c];
    t.add({grouped(one.count), groups_of(r, one), grouped(one.micro_batches),
           pretty(r.answer.replicas[c].pipeline)});
  }
  return t;
}

Table row_of(const MixedReport& r) { return metrics_row(r.whole); }

Table lines_table(const MixedReport& r) {
  Table t({{"dimension"},
           {"collective"},
           {"ranks", true},
           {"count", true},
           {"sent", true},
           {"time", true},
           {"exposed", true}},
          2);
  const Answer& a = r.whole.answer;
  for (std::uint8_t i = 0; i < a.comm_count; ++i) {
    const CommLine<double>& l = a.comm[i];
    t.add({std::string(name_of(l.dimension)), std::string(name_of(l.collective)), grouped(l.ranks),
           grouped(l.count), pretty(l.sent), pretty(l.time, 3), pretty(l.exposed, 3)});
  }
  return t;
}

std::string place_words(const MixedReport& r) {
  return "stage " + std::to_string(r.answer.answer.busy_stage) + " on " +
         name_of_kind(r, r.answer.busy_kind);
}

Section comm_section(const MixedReport& r) {
  return {bold("Communication") + " of one GPU of " + place_words(r) + "; once a step of stage " +
              std::to_string(r.answer.answer.end_stage) + " on " +
              name_of_kind(r, r.answer.end_kind) + ", which ends last",
          {lines_table(r)}};
}

Section verdict_section(const MixedReport& r) {
  Section s;
  for (const std::string& reason : reasons_of(r)) s.add(Paragraph{reason, 2});
  return s;
}

Section stages_section(const MixedReport& r) {
  return {bold("Stages") + " by group, one micro batch forward and backward", {stages_table(r)}};
}

Section replicas_section(const MixedReport& r) {
  return {bold("Replicas") + " and when their micro batches are done", {replicas_table(r)}};
}

}  // namespace

AnswerDocument mixed_document(const MixedReport& r) {
  AnswerDocument d{
      r.whole.resolved.model_name + ": one step on several kinds of node", {}, row_of(r)};
  d.sections = {mixed_header(r), headline_section(r.whole)};
  if (!is_feasible(r.whole)) d.add(verdict_section(r));
  d.add(time_section(r.whole));
  d.add(stages_section(r));
  d.add(replicas_section(r));
  d.add(comm_section(r));
  d.add(run_assumptions(r.whole.resolved));
  return d;
}

AnswerDocument mixed_summary(const MixedReport& r, const TypedRun& run) {
  AnswerDocument d{
      r.whole.resolved.model_name + ": one step on several kinds of node", {}, row_of(r)};
  Section head = brief_headline(r.whole);
  for (const Element& e : parts_section(r.whole).elements) head.add(e);
  d.sections = {mixed_header(r), head};
  if (!is_feasible(r.whole)) d.add(verdict_section(r));
  d.add(run_open_keys(r.whole.resolved));
  Section end;
  end.add(labelled("answer", estimate_words(r.whole)));
  end.add(labelled("next", "orrery search " + typed_with(run)));
  d.add(std::move(end));
  return d;
}

AnswerDocument mixed_memory_document(const MixedReport& r) {
  AnswerDocument d{r.whole.resolved.model_name + ": memory by stage and group", {}, row_of(r)};
  d.sections = {mixed_header(r), {{}, {memory_line(r.whole)}}};
  if (!is_feasible(r.whole)) d.add(verdict_section(r));
  d.add(memory_section(r.whole));
  d.add(stages_section(r));
  d.add(run_assumptions(r.whole.resolved));
  return d;
}

AnswerDocument mixed_comm_document(const MixedReport& r) {
  AnswerDocument d{r.whole.resolved.model_name + ": communication", {}, lines_table(r)};
  d.sections = {mixed_header(r), comm_section(r), stages_section(r)};
  d.add(run_assumptions(r.whole.resolved));
  return d;
}

}  // namespace orrery
