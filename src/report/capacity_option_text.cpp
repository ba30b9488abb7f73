// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/units.h"
#include "report/capacity_option_parts.h"
#include "report/rests_on_text.h"

namespace orrery {
namespace {

constexpr std::size_t kBars = 40;

Details line(const std::string& label, const std::string& text) {
  return capacity_line(label, text);
}

std::string days_text(const Ranged<Seconds>& r) {
  const auto days = [](Seconds t) { return fixed(t / kDay, t / kDay < 100 ? 1 : 0); };
  if (r.is_exact()) return days(r.value) + " days";
  return days(r.value) + " days (" + days(r.low) + " to " + days(r.high) + ")";
}

Details phase_lines(const OptionAnswer& o) {
  Details all;
  for (const PieceTime& p : o.training.pieces) {
    const std::string name = p.phase.empty() ? "steps" : p.phase;
    all += line(name, grouped(p.steps) + " of " + grouped(p.global_batch) + " sequences, " +
                          short_count(p.tokens) + " tokens, " + seconds_text(p.step.value) +
                          " each (" + seconds_text(p.step.low) + " to " +
                          seconds_text(p.step.high) + "): " + days_text(p.time));
  }
  return all;
}

Details end_line(const CapacityReport& r, const OptionAnswer& o) {
  if (!r.plan.start) return {};
  return line("end", text_of(after(*r.plan.start, o.outcome.wall)) + " (" +
                         text_of(after(*r.plan.start, o.range.wall.low)) + " to " +
                         text_of(after(*r.plan.start, o.range.wall.high)) + "), from " +
                         text_of(*r.plan.start));
}

// What a class costs: its share of all failures, in all that a failure costs.
Details class_line(const OptionAnswer& o) {
  const Goodput& g = o.outcome.goodput;
  const std::vector<FailureClass>& classes = o.inputs.interruptions.classes;
  if (classes.size() < 2) return {};
  const double days = (g.detection + g.restart + g.lost_work) * in_days(o.outcome.training);
  constexpr double kWorthNaming = 0.05;  // failures
  std::vector<std::string> parts;
  for (const FailureClass& c : classes) {
    const double share = c.rate / rate_per_gpu(o.inputs.interruptions);
    const double failures = share * o.outcome.failures;
    if (failures < kWorthNaming) continue;
    parts.push_back(c.name + " " + fixed(failures, failures < 10 ? 1 : 0) + " (" +
                    fixed(share * days * 24, 1) + " h)");
  }
  if (parts.empty()) return {};
  return line("  by class", joined(parts, ", "));
}

Details failure_lines(const OptionAnswer& o) {
  const Recovery& rec = o.outcome.recovery;
  if (rec.failures.si() <= 0) {
    return line("failures", "no rates given (`failures`): nothing is lost to them here");
  }
  return line("failures",
              fixed(o.outcome.failures, 0) + " unexpected (" + fixed(o.simulated.failures.p10, 0) +
                  " to " + fixed(o.simulated.failures.p90, 0) + " in " + grouped(o.simulated.runs) +
                  " played runs, seed " + std::to_string(o.simulated.seed) + "), one in " +
                  fixed(1 / rec.failures.si() / kHour.si(), 1) + " h") +
         class_line(o);
}

std::string bound_by_nodes(const OptionAnswer& o) {
  if (!o.outcome.checkpoint.nodes_bound_it) return "";
  const std::string rate = pretty(client_rate(o.inputs.storage, o.inputs.cluster), 3) + " a node";
  return o.inputs.storage.client.si() > 0
             ? ", at the clients' " + rate
             : ", at " + rate + ", the most its links carry (no `client` given)";
}

Details checkpoint_line(const OptionAnswer& o) {
  const Outcome& x = o.outcome;
  std::string text = pretty(x.checkpoint.size) + ", " + std::string(name_of(o.inputs.policy.mode));
  if (!x.checkpoint.storage_known) {
    const bool given = o.inputs.storage.capacity.si() > 0;
    return line("checkpoint", text +
                                  (given ? "; no rate of the storage (`storage.write`)"
                                         : "; no storage given (`storage`)") +
                                  ": writing counts as free");
  }
  text += ": stops training " + seconds_text(x.checkpoint.stall) + ", safe after " +
          seconds_text(x.checkpoint.stall + x.checkpoint.durable) + ", read in " +
          seconds_text(x.checkpoint.read) + bound_by_nodes(o);
  if (x.recovery.failures.si() <= 0) return line("checkpoint", text);
  text += "; every " + seconds_text(x.goodput.interval) +
          (o.inputs.policy.interval.si() <= 0 ? ", the optimum"
           : x.goodput.interval > o.inputs.policy.interval
               ? ", as writing one takes longer than the interval given"
               : " as given") +
          " (Young " + seconds_text(young_interval(x.recovery.stall, x.recovery.failures)) +
          ", Daly " + seconds_text(daly_interval(x.recovery.stall, x.recovery.failures)) +
          "); storage writes " +
          percent(x.checkpoint.write / (x.goodput.interval + x.recovery.stall)) + " of the time";
  return line("checkpoint", text);
}

std::string cause_bar(const std::string& name, double share, const OptionAnswer& o) {
  const double part = share / o.outcome.goodput.total;
  std::string text = "  " + left(name, kLabel) +
                     right(fixed(share * (o.outcome.training / kDay), 2), 8) + " days" +
                     right(percent(part), 9);
  if (o.outcome.cost) text += right(money_text(*o.outcome.cost * part), 14);
  return text + "  " + bar(part, kBars) + "\n";
}

std::string causes(const OptionAnswer& o) {
  std::string text = "\nWhere the time goes\n";
  for (const TimeCause& c : time_causes(o)) text += cause_bar(c.name, c.share, o);
  return text;
}

Details spare_line(const OptionAnswer& o) {
  if (o.outcome.recovery.repair.si() <= 0) return {};
  return line("spare nodes", grouped(o.inputs.spares) + " held, " + grouped(o.spares_advised) +
                                 " keep the wait for one under 0.1 %");
}

std::string assumptions_text(const OptionAnswer& o) {
  std::string text;
  for (const Assumption& a : o.assumptions) {
    text += "  " +
            wrapped(a.what + ": " + a.value + ": " + a.source +
                        (a.date.empty() ? "" : " (" + a.date + ")"),
                    4, 2) +
            "\n";
  }
  return text.empty() ? "" : "\nTaken for given\n" + text;
}

}  // namespace

Details capacity_line(const std::string& label, const std::string& text) {
  return {{{label, text}}};
}

std::string details_text(const Details& details) {
  std::string text;
  for (const DetailLine& d : details.lines) {
    text += left(d.label, kLabel) + wrapped(d.text, kLabel, kLabel) + "\n";
  }
  return text;
}

std::vector<TimeCause> time_causes(const OptionAnswer& o) {
  const Goodput& g = o.outcome.goodput;
  const double ideal = o.training.time.value / o.outcome.training;
  std::vector<TimeCause> causes;
  for (const TimeCause& c :
       {TimeCause{"training", ideal}, TimeCause{"stragglers", 1 - ideal},
        TimeCause{"checkpoints", g.checkpoint}, TimeCause{"lost work", g.lost_work},
        TimeCause{"detection", g.detection}, TimeCause{"restart", g.restart},
        TimeCause{"no spare", g.spares}, TimeCause{"planned stops", g.planned}}) {
    if (c.share > 0) causes.push_back(c);
  }
  return causes;
}

Details option_details(const CapacityReport& r, std::size_t option) {
  const OptionAnswer& o = r.answer.options[option];
  const Cluster& c = o.inputs.cluster;
  Details all =
      line("cluster", grouped(c.gpus) + " GPUs " + std::string(c.device.name.view()) + " in " +
                          grouped(node_count(c)) + (node_count(c) == 1 ? " node " : " nodes ") +
                          std::string(c.node.view()));
  all += line("strategy", strategy_text(o.run->run.strategy) + ", micro batch " +
                              std::to_string(o.run->run.strategy.micro_batch) + "; MFU " +
                              percent(mfu_of(o.answer)) + "; " + gib_text(o.answer.memory.peak, 1) +
                              " of " + gib_text(o.answer.capacity, 1) + " a GPU");
  const std::string rests_on = calibration_line(*o.run);
  if (!rests_on.empty()) all += line("rests on", rests_on.substr(rests_on.find(": ") + 2));
  all += phase_lines(o);
  all += line("days", days_text(o.range.wall) + ", " + grouped(o.outcome.wall / kHour) +
                          " hours, effective training time " + percent(o.outcome.goodput.ratio()));
  all += end_line(r, o);
  all += line("GPU-hours", grouped(gpu_hours(o.inputs, o.outcome.wall)) +
                               (o.inputs.spares > 0 ? ", spares included" : ""));
  all += failure_lines(o) + checkpoint_line(o) + spare_line(o) + energy_lines(o) + cost_lines(o) +
         rent_or_buy_line(o) + data_lines(o) + host_line(o) + periodic_line(o);
  return all;
}

std::string option_tables(const CapacityReport& r, std::size_t option) {
  const OptionAnswer& o = r.answer.options[option];
  return causes(o) + serving_table(o.inference);
}

std::string option_reasons(const CapacityReport& r, std::size_t option) {
  const OptionAnswer& o = r.answer.options[option];
  return what_matters(o) + assumptions_text(o);
}

}  // namespace orrery
