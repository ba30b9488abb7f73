// SPDX-License-Identifier: Apache-2.0
#include "capacity/layouts_left_out.h"
#include "core/units.h"
#include "document/words.h"
#include "report/capacity_lines.h"
#include "report/capacity_words.h"
#include "report/frame.h"
#include "report/power_table.h"
#include "report/rl_words.h"
#include "report/strategy_words.h"

namespace orrery {
namespace {

std::string days_text(const Ranged<Seconds>& r) { return span_text(r, 100); }

Lines phase_lines(const OptionAnswer& o) {
  Lines all;
  for (const PieceTime& p : o.training.pieces) {
    const std::string name = p.phase.empty() ? "steps" : p.phase;
    all += line(name, grouped(p.steps) + " of " + grouped(p.global_batch) + " sequences, " +
                          short_count(p.tokens) + " tokens, " + seconds_text(p.step.value) +
                          " each (" + seconds_text(p.step.low) + " to " +
                          seconds_text(p.step.high) + "): " + days_text(p.time));
  }
  return all;
}

// Layouts that the search for the strategy, and that for the size, left out.
Lines not_tried_line(const OptionAnswer& o) {
  if (!o.left_out) return {};
  const std::vector<NotTried>& of_sizes = o.left_out->of_sizes;
  std::vector<std::string> parts;
  if (!o.left_out->of_answer.empty()) parts.push_back(not_tried_words(o.left_out->of_answer));
  if (of_sizes.size() > o.left_out->of_answer.size()) {
    parts.push_back("sizes were compared without " + not_tried_words(of_sizes));
  }
  if (parts.empty()) return {};
  return line("not tried", joined(parts, "; ") + " (orrery search tries more)");
}

Lines left_out_line(const OptionAnswer& o) {
  const std::vector<std::string> all = left_out(o);
  if (all.empty()) return {};
  return line("left out", joined(all, ", ") + "; these would add time, cost or energy");
}

Lines end_line(const CapacityReport& r, const OptionAnswer& o) {
  if (!r.plan.start) return {};
  return line("end", text_of(after(*r.plan.start, o.outcome.wall)) + " (" +
                         text_of(after(*r.plan.start, o.range.wall.low)) + " to " +
                         text_of(after(*r.plan.start, o.range.wall.high)) + "), from " +
                         text_of(*r.plan.start));
}

Lines periodic_line(const OptionAnswer& o) {
  const PeriodicSyncs& syncs = o.periodic;
  if (syncs.ranks > 1 && syncs.replicas == 1) {
    return line("what if", "no local SGD: all " + grouped(syncs.ranks) +
                               " data parallel ranks share one copy of the model");
  }
  if (!syncs.fits) {
    return line("what if", "no local SGD: each of " + grouped(syncs.replicas) +
                               " replicas would hold all states, and does not fit: " +
                               gib_text(syncs.peak, 1) + " of " + gib_text(o.answer.capacity, 1) +
                               " a GPU");
  }
  if (syncs.at.empty()) return {};
  const Seconds least = syncs.at.back().wall;
  const std::string which = grouped(syncs.replicas) + " replicas synchronised every ";
  if (least > o.outcome.wall * 0.999) {
    return line("what if", which + std::to_string(syncs.at.back().every) +
                               " steps: no measurable gain (< 0.1 %)");
  }
  std::vector<std::string> days;
  for (const PeriodicSync& p : syncs.at) {
    days.push_back(std::to_string(p.every) + " steps " + fixed(in_days(p.wall), 1) + " days");
  }
  const std::string states =
      syncs.states_go_beyond
          ? "; each replica then holds all states that are sharded over several now"
          : "";
  return line("what if", which + joined(days, ", ") + " (effects on convergence are not modelled" +
                             states + ")");
}

Lines late_line(const OptionAnswer& o) {
  if (!o.late_gradients) return {};
  return line("what if", "gradients are reduced during the next step (one step late): " +
                             fixed(in_days(*o.late_gradients), 1) +
                             " days (effects on convergence are not modelled)");
}

// Days, failures, energy and cost: of any training.
Lines training_lines(const CapacityReport& r, const OptionAnswer& o) {
  const Seconds wall = o.outcome.wall;
  const std::string hours = wall < kDay ? "" : ", " + grouped(wall / kHour) + " hours";
  Lines all = line(wall < kDay ? "time" : "days", days_text(o.range.wall) + hours +
                                                      ", effective training time " +
                                                      percent(o.outcome.effective));
  all += end_line(r, o) + left_out_line(o);
  const std::int64_t paid = paid_gpus(o.inputs);
  all += line("GPU-hours",
              grouped(gpu_hours(o.inputs, o.outcome.wall)) +
                  (paid > working_gpus(o.inputs) ? " of " + grouped(paid) + " GPUs paid" : "") +
                  (o.inputs.spares > 0 ? ", spares included" : ""));
  return all +=
         failure_lines(o) + checkpoint_lines(o) + spare_line(o) + energy_lines(o) + cost_lines(o);
}

Lines rl_lines(const OptionAnswer& o) {
  const RlStep& step = *o.rl;
  const RlRun& rl = *o.run->rl;
  std::vector<std::string> phases;
  for (const RlPhase p : kAllOf<RlPhase>) {
    const Seconds t = step.phases[p].value;
    if (t > Seconds()) phases.push_back(std::string(name_of(p)) + " " + pretty(t, 3));
  }
  const RlMoment fullest = fullest_moment(step.memory);
  const MomentMemory& m = step.memory[fullest];
  const PieceTime& piece = o.training.pieces.front();
  Lines all = line("cluster", cluster_words(o.inputs.cluster));
  if (o.inputs.beside) all += line("generate on", cluster_words(o.inputs.beside->cluster));
  all += line("placement", placement_words(rl));
  if (rl.generates) all += line("engines", generator_words(rl));
  all += line("learner", learner_words(o.run->run.strategy));
  all += line("memory", gib_text(m.all(), 1) + " of " + gib_text(m.capacity, 1) +
                            " a GPU in the phase " + std::string(name_of(fullest)) + ", " +
                            fit_text(o));
  all += line("accuracy", accuracy_text(o));
  all +=
      line("steps", grouped(piece.steps) + " of " + grouped(piece.global_batch) + " sequences, " +
                        seconds_text(piece.step.value) + " each (" + seconds_text(piece.step.low) +
                        " to " + seconds_text(piece.step.high) + "): " + days_text(piece.time));
  return all += line("  of it", joined(phases, ", "));
}

Lines option_lines(const CapacityReport& r, const OptionAnswer& o) {
  if (o.rl) return rl_lines(o) + training_lines(r, o);
  Lines all = line("cluster", cluster_words(o.inputs.cluster));
  all += line("strategy", strategy_text(o.run->run.strategy) + ", micro batch " +
                              std::to_string(o.run->run.strategy.micro_batch) + "; MFU " +
                              percent(mfu_of(o.answer)) + "; " + gib_text(o.answer.memory.peak, 1) +
                              " of " + gib_text(o.answer.capacity, 1) + " a GPU, " + fit_text(o));
  all += not_tried_line(o);
  all += line("accuracy", accuracy_text(o));
  const std::string rests_on = calibration_line(*o.run);
  if (!rests_on.empty()) all += line("rests on", rests_on.substr(rests_on.find(": ") + 2));
  return all += phase_lines(o) + training_lines(r, o) + rent_or_buy_line(o) + needs_lines(o) +
                data_lines(o) + host_line(o) + periodic_line(o) + late_line(o);
}

}  // namespace

void add_option_lines(Section& s, const CapacityReport& r, std::size_t option) {
  for (Paragraph& p : option_lines(r, r.answer.options[option]).paragraphs) s.add(std::move(p));
}

Section power_section(const CapacityReport& r, const OptionAnswer& o) {
  if (o.capped.empty()) return {};
  const PowerWork work{cap_of(o.inputs.cluster), o.outcome, o.capped, o.training.tokens,
                       least_power(r.plan.requirements).value_or(Watts())};
  return Section{"Under a power cap (cluster.power_cap)"}.add(
      power_table(work, "days", [](Seconds t) { return fixed(t / kDay, 1); }));
}

}  // namespace orrery
