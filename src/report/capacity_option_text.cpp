// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/units.h"
#include "report/capacity_report.h"

namespace orrery {
namespace {

constexpr std::size_t kLabel = 18;
constexpr std::size_t kBars = 40;

std::string line(const std::string& label, const std::string& text) {
  return left(label, kLabel) + wrapped(text, kLabel, kLabel) + "\n";
}

std::string days_text(const Ranged<Seconds>& r) {
  const auto days = [](Seconds t) { return fixed(t / kDay, t / kDay < 100 ? 1 : 0); };
  if (r.is_exact()) return days(r.value) + " days";
  return days(r.value) + " days (" + days(r.low) + " to " + days(r.high) + ")";
}

std::string cost_text(const OptionAnswer& o) {
  if (!o.outcome.cost) return "–";
  const Currency c = o.outcome.cost->currency();
  const Ranged<double>& r = o.range.cost;
  std::string text = money_text(r.value, c);
  if (!r.is_exact()) text += " (" + money_text(r.low, c) + " to " + money_text(r.high, c) + ")";
  return text;
}

std::string utilisation(const OptionAnswer& o) { return percent(mfu_of(o.answer)); }

std::string phases_text(const OptionAnswer& o) {
  std::string text;
  for (const PieceTime& p : o.training.pieces) {
    const std::string name = p.phase.empty() ? "steps" : p.phase;
    text += line(name, grouped(p.steps) + " of " + grouped(p.global_batch) + " sequences, " +
                           short_count(p.tokens) + " tokens, " + seconds_text(p.step.value) +
                           " each (" + seconds_text(p.step.low) + " to " +
                           seconds_text(p.step.high) + "): " + days_text(p.time));
  }
  return text;
}

std::string when(const CapacityReport& r, const OptionAnswer& o) {
  if (!r.plan.start) return "";
  return line("end", text_of(after(*r.plan.start, o.outcome.wall)) + " (" +
                         text_of(after(*r.plan.start, o.range.wall.low)) + " to " +
                         text_of(after(*r.plan.start, o.range.wall.high)) + "), from " +
                         text_of(*r.plan.start));
}

// What a class costs: its share of all failures, in all that a failure costs.
std::string by_class(const OptionAnswer& o) {
  const Goodput& g = o.outcome.goodput;
  const std::vector<FailureClass>& classes = o.inputs.interruptions.classes;
  if (classes.size() < 2) return "";
  const double days = (g.detection + g.restart + g.lost_work) * in_days(o.outcome.training);
  std::string text;
  for (const FailureClass& c : classes) {
    const double share = c.rate / rate_per_gpu(o.inputs.interruptions);
    text += (text.empty() ? "" : ", ") + c.name + " " + fixed(share * o.outcome.failures, 0) +
            " (" + fixed(share * days, 2) + " days)";
  }
  return line("  by class", text);
}

std::string failures_text(const OptionAnswer& o) {
  const Recovery& rec = o.outcome.recovery;
  if (rec.failures.si() <= 0) {
    return line("failures", "no rates given (`failures`): nothing is lost to them here");
  }
  return line("failures",
              fixed(o.outcome.failures, 0) + " unexpected (" + fixed(o.simulated.failures.p10, 0) +
                  " to " + fixed(o.simulated.failures.p90, 0) + " in " + grouped(o.simulated.runs) +
                  " played runs, seed " + std::to_string(o.simulated.seed) + "), one in " +
                  fixed(1 / rec.failures.si() / kHour.si(), 1) + " h") +
         by_class(o);
}

std::string checkpoint_text(const OptionAnswer& o) {
  const Outcome& x = o.outcome;
  std::string text =
      pretty(x.checkpoint.size) + ", " +
      std::string(kCheckpointModeNames[static_cast<std::size_t>(o.inputs.policy.mode)]);
  if (!x.checkpoint.storage_known) {
    return line("checkpoint", text + "; no storage given (`storage`): writing counts as free");
  }
  text += ": stops training " + seconds_text(x.checkpoint.stall) + ", safe after " +
          seconds_text(x.checkpoint.stall + x.checkpoint.durable) + ", read in " +
          seconds_text(x.checkpoint.read);
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
  const Goodput& g = o.outcome.goodput;
  const double ideal = o.training.time.value / o.outcome.training;
  std::string text = "\nWhere the time goes\n";
  const auto add = [&](const char* name, double share) {
    if (share > 0) text += cause_bar(name, share, o);
  };
  add("training", ideal);
  add("stragglers", 1 - ideal);
  add("checkpoints", g.checkpoint);
  add("lost work", g.lost_work);
  add("detection", g.detection);
  add("restart", g.restart);
  add("no spare", g.spares);
  add("planned stops", g.planned);
  return text;
}

std::string energy_line(const OptionAnswer& o) {
  const EnergyUse& e = o.outcome.energy;
  std::string text = energy_text(e.facility) + " (" + energy_text(Joules(o.range.energy.low)) +
                     " to " + energy_text(Joules(o.range.energy.high)) + "), " +
                     pretty(e.average, 3) + " on average, " + pretty(e.peak, 3) + " at most";
  text += e.pue_known ? "; PUE in it" : "; at the nodes, no PUE given";
  if (!e.node_power_known) text += "; only GPUs, the node's power is not known";
  if (e.carbon) text += "; " + grouped(e.carbon->kg / 1000) + " t CO2e";
  return line("energy", text);
}

std::string why_blank(const OptionAnswer& o) {
  const Tariff& t = o.inputs.prices;
  if (t.payment == Payment::purchase && (t.gpu || t.node)) {
    return "a price to buy, and no `lifetime` and `utilisation` to share it out by: left blank";
  }
  return "no price of " + std::string(o.inputs.cluster.device.name.view()) +
         " or its node given (`prices`): left blank";
}

std::string cost_lines(const OptionAnswer& o) {
  const Bill& b = o.outcome.bill;
  if (!o.outcome.cost) return line("cost", why_blank(o));
  std::string text =
      cost_text(o) + " by " + std::string(kPaymentNames[static_cast<std::size_t>(b.payment)]);
  if (const std::string missing = not_counted(b); !missing.empty()) {
    text += "; not counted, no price: " + missing;
  }
  std::string parts;
  for (std::size_t i = 0; i < kCostParts; ++i) {
    if (!b.parts[i]) continue;
    parts += std::string(parts.empty() ? "" : ", ") + std::string(kCostPartNames[i]) + " " +
             money_text(*b.parts[i]);
  }
  constexpr double kExa = 1e18;
  const double amount = o.outcome.cost->amount();
  return line("cost", text) + line("  of it", parts) +
         line("  a unit", fixed(amount / (o.training.tokens / 1e6), 3) + " " +
                              o.outcome.cost->currency().text() + " a million tokens, " +
                              fixed(amount / (o.training.model_flops.si() / kExa), 3) + " " +
                              o.outcome.cost->currency().text() + " an EFLOP");
}

std::string spares_text(const OptionAnswer& o) {
  if (o.outcome.recovery.repair.si() <= 0) return "";
  return line("spare nodes", grouped(o.inputs.spares) + " held, " + grouped(o.spares_advised) +
                                 " keep the wait for one under 0.1 %");
}

std::string data_lines(const OptionAnswer& o) {
  const DataNeeds& n = o.data;
  std::string text = pretty(n.dataset) + " of tokens (" +
                     o.plan->data.corpora[o.plan->data.corpus].name + "), read at " +
                     pretty(n.read) + "; checkpoints kept " + pretty(n.checkpoints) +
                     "; together " + pretty(n.total);
  if (!n.storage_holds_it) text += ", more than the storage holds";
  if (n.cores > 0) text += "; " + grouped(std::ceil(n.cores)) + " CPU cores prepare them";
  std::string rates;
  for (const SampleRate& r : n.samples) {
    rates += (rates.empty() ? "" : ", ") + r.name + " " + pretty(r.all, 3) + " (" +
             pretty(r.node, 3) + " a node" +
             (r.clients_carry_it ? "" : ", more than its client carries") + ")";
  }
  return line("data", text) + line("  on samples", "at this FLOP rate it would read " + rates);
}

std::string host_line(const OptionAnswer& o) {
  const bool copies = o.inputs.policy.mode != CheckpointMode::synchronous;
  if (!copies && o.answer.host_needed.si() <= 0) return "";
  std::string text;
  if (copies) text = gib_text(o.outcome.checkpoint.per_node, 1) + " a node for a checkpoint";
  if (o.answer.host_needed.si() > 0) {
    text += std::string(text.empty() ? "" : ", ") + gib_text(o.answer.host_needed, 1) +
            " for what is offloaded";
  }
  if (o.answer.host_capacity.si() > 0) {
    text += ", of " + gib_text(o.answer.host_capacity, 0);
  }
  return line("host memory", text);
}

std::string serving_line(const InferenceNeeds& n) {
  return line("to serve it",
              gib_text(n.weights, 1) + " of weights in 16 bits, half in 8; a token " +
                  pretty(n.cache_a_token) + " of keys and values: " + gib_text(n.cache, 1) +
                  " for " + grouped(n.batch) + " sequences of " + grouped(n.context) + ", " +
                  gib_text(n.waste, 2) + " of it empty in blocks of " +
                  std::to_string(kCacheBlock));
}

std::string periodic_line(const OptionAnswer& o) {
  if (o.periodic.empty()) return "";
  std::string text;
  for (const PeriodicSync& p : o.periodic) {
    text += (text.empty() ? "" : ", ") + std::to_string(p.every) + " steps " +
            fixed(in_days(p.wall), 1) + " days";
  }
  return line("what if", "replicas synchronised every " + text +
                             " (time alone; whether it converges as well is not asked)");
}

std::string rent_or_buy_line(const OptionAnswer& o) {
  if (!o.buying_pays_at) return "";
  const double u = *o.buying_pays_at;
  return line("rent or buy", u > 1 ? "renting is cheaper at any utilisation"
                                   : "buying is cheaper above a utilisation of " + percent(u));
}

std::string tornado(const OptionAnswer& o) {
  std::string text;
  for (const Sensitivity& s : o.sensitivities) {
    text += "  " + left(std::string(s.what) + (s.what_if ? " (what if)" : ""), 42) +
            right(fixed(s.wall.low / kDay, 1) + " to " + fixed(s.wall.high / kDay, 1), 16) +
            " days";
    if (o.outcome.cost) {
      const Currency c = o.outcome.cost->currency();
      text += right(money_text(s.cost.low, c) + " to " + money_text(s.cost.high, c), 30);
    }
    text += "\n";
  }
  return text.empty() ? "" : "\nWhat matters, each input at the ends of its range\n" + text;
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

std::string capacity_line(const std::string& label, const std::string& text) {
  return line(label, text);
}

std::string option_details(const CapacityReport& r, std::size_t option) {
  const OptionAnswer& o = r.answer.options[option];
  const Cluster& c = o.inputs.cluster;
  std::string text =
      line("cluster", grouped(c.gpus) + " GPUs " + std::string(c.device.name.view()) + " in " +
                          grouped(node_count(c)) + " nodes " + std::string(c.node.view()));
  text += line("strategy", strategy_text(o.run->run.strategy) + ", micro batch " +
                               std::to_string(o.run->run.strategy.micro_batch) + "; MFU " +
                               utilisation(o) + "; " + gib_text(o.answer.memory.peak, 1) + " of " +
                               gib_text(o.answer.capacity, 1) + " a GPU");
  text += phases_text(o);
  text += line("days", days_text(o.range.wall) + ", effective training time " +
                           percent(o.outcome.goodput.ratio()));
  text += when(r, o);
  text += line("GPU-hours", grouped(gpu_hours(o.inputs, o.outcome.wall)) +
                                (o.inputs.spares > 0 ? ", spares included" : ""));
  text += failures_text(o) + checkpoint_text(o) + spares_text(o) + energy_line(o) + cost_lines(o) +
          rent_or_buy_line(o) + data_lines(o) + host_line(o) + serving_line(o.inference) +
          periodic_line(o);
  return text + causes(o);
}

std::string option_reasons(const CapacityReport& r, std::size_t option) {
  const OptionAnswer& o = r.answer.options[option];
  return tornado(o) + assumptions_text(o);
}

}  // namespace orrery
