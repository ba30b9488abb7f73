// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "document/words.h"
#include "insight/recovery_advice.h"
#include "report/capacity_lines.h"
#include "report/capacity_words.h"
#include "report/frame.h"

namespace orrery {
namespace {

// Failures of each class, and the hours that they cost.
Lines class_line(const OptionAnswer& o) {
  const std::vector<ClassCost> classes = class_costs(o);
  if (classes.size() < 2) return {};
  constexpr double kWorthNaming = 0.05;  // failures
  std::vector<std::string> parts;
  for (const ClassCost& c : classes) {
    if (c.failures < kWorthNaming) continue;
    parts.push_back(c.of->name + " " + fixed(c.failures, c.failures < 10 ? 1 : 0) + " (" +
                    fixed(c.days * 24, 1) + " h)");
  }
  if (parts.empty()) return {};
  return line("  by class", joined(parts, ", "));
}

}  // namespace

Lines failure_lines(const OptionAnswer& o) {
  const Recovery& rec = o.outcome.largest.recovery;
  if (rec.failures.si() <= 0) {
    return line("failures", "no rates given (`failures`): nothing is lost to them here");
  }
  return line("failures",
              fixed(o.outcome.failures, 0) + " unexpected (" + fixed(o.simulated.failures.p10, 0) +
                  " to " + fixed(o.simulated.failures.p90, 0) + " in " + grouped(o.simulated.runs) +
                  " simulated runs, seed " + std::to_string(o.simulated.seed) + "), one in " +
                  fixed(1 / rec.failures.si() / kHour.si(), 1) + " h") +
         class_line(o);
}

namespace {

std::string bound_by_nodes(const OptionAnswer& o, const CheckpointCost& c) {
  if (!c.nodes_bound_it) return "";
  const std::string rate = pretty(client_rate(o.inputs.storage, o.inputs.cluster), 3) + " a node";
  return o.inputs.storage.client.si() > 0
             ? ", at the clients' " + rate
             : ", at " + rate + ", the most its links carry (no `client` given)";
}

std::string bound_text(const OptionAnswer& o, const StretchOutcome& x) {
  const Seconds given = o.inputs.policy.interval;
  switch (x.bound) {
    case IntervalBound::optimum:
      return ", the optimum";
    case IntervalBound::given:
      return x.goodput.interval == given
                 ? " as given"
                 : ", the given " + seconds_text(given) + " up to whole steps";
    case IntervalBound::written:
      return ": a checkpoint starts only when the last one is safe";
    case IntervalBound::a_step:
      return ", a step";
    case IntervalBound::lost_work:
      return ", as a shorter one saves less than " + percent(kLostWorth, 0) + " of the time";
  }
  return "";
}

std::string interval_text(const OptionAnswer& o, const StretchOutcome& x) {
  if (!std::isfinite(x.goodput.interval.si())) return "";
  std::string text = "; every " + seconds_text(x.goodput.interval) + bound_text(o, x);
  if (const PerSecond rate = rate_while_running(x.recovery); rate.si() > 0) {
    text += " (Young " + seconds_text(young_interval(x.recovery.stall, rate)) + ", Daly " +
            seconds_text(daly_interval(x.recovery.stall, rate)) + ")";
  }
  const double writes = x.checkpoint.write / (x.goodput.interval + x.recovery.stall);
  return text + "; storage writes " + percent(writes) + " of the time";
}

std::string checkpoint_text(const OptionAnswer& o, const StretchOutcome& x) {
  const CheckpointCost& c = x.checkpoint;
  const std::string text = pretty(c.size) + ", " + std::string(name_of(o.inputs.policy.mode));
  if (!c.storage_known) {
    const bool given = o.inputs.storage.capacity.si() > 0;
    return text +
           (given ? "; no rate of the storage (`storage.write`)"
                  : "; no storage given (`storage`)") +
           ": writing counts as free";
  }
  return text + ": stops training " + seconds_text(c.stall) + ", safe after " +
         seconds_text(c.stall + c.durable) + ", read in " + seconds_text(c.read) +
         bound_by_nodes(o, c) + interval_text(o, x);
}

}  // namespace

Lines checkpoint_lines(const OptionAnswer& o) {
  const std::vector<StretchOutcome>& all = o.outcome.stretches;
  Lines lines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string of = all.size() > 1 ? o.inputs.stretches[i].phases + ": " : "";
    lines += line("checkpoint", of + checkpoint_text(o, all[i]));
  }
  return lines;
}

namespace {

// "; against none they save 3.2 days, and pay back in 4.1 days".
std::string worth_text(const OptionAnswer& o) {
  const std::optional<SparesWorth> w = worth_of_spares(o);
  if (!w) return "";
  if (!w->ends_without) return "; without any the run never ends";
  const std::string saved = "; against none they save " + span_text(w->saved);
  return saved + (w->paid_back
                      ? ", and pay back in " + span_text(*w->paid_back) + " of the training"
                      : ", which is less than they cost");
}

}  // namespace

Lines spare_line(const OptionAnswer& o) {
  if (o.outcome.largest.recovery.losses.empty()) return {};
  const std::int64_t devices = devices_of_system(o.inputs.cluster);
  const std::string what =
      is_rack(o.inputs.cluster) ? "spares of " + grouped(devices) + " GPUs" : "spare nodes";
  return line(what, grouped(o.inputs.spares) + " held, " + grouped(o.spares_advised) +
                        " keep the wait for one under 0.1 %" + worth_text(o));
}

namespace {

// "memory-copies in place of requeue: 3.1 days sooner, 2.1 M USD cheaper".
std::string policy_advice(const OptionAnswer& o, const BetterPolicy& b) {
  const bool sooner = b.sooner >= Seconds();
  std::string text = "advice: " + b.policy->name + " in place of " + o.policies.front().name +
                     ": " + span_text(sooner ? b.sooner : Seconds() - b.sooner) +
                     (sooner ? " sooner" : " later");
  if (b.cheaper) text += ", " + money_text(*b.cheaper) + " cheaper";
  return text + "; what it takes to build and run is not counted";
}

// Why the range of restarts is wide.
std::optional<Paragraph> beyond_measured_note(const OptionAnswer& o) {
  if (o.inputs.policy_times.is_exact()) return {};
  return Paragraph{
      "restarts on " + grouped(working_gpus(o.inputs)) +
          " GPUs lie beyond the largest size measured: " + fixed(o.inputs.policy_times.low, 2) +
          " to " + fixed(o.inputs.policy_times.high, 2) + " times these are in the range",
      2, 2};
}

}  // namespace

Section recovery_section(const OptionAnswer& o) {
  if (o.policies.size() < 2) return {};
  Table table({{"policy"},
               {"days", true},
               {"effective", true},
               {"a failure costs", true},
               {"checkpoints", true},
               {"without a replica", true},
               {is_rack(o.inputs.cluster) ? "spare trays" : "spare nodes", true},
               {"cost", true}},
              2);
  for (const PolicyAnswer& p : o.policies) {
    if (!p.applies) {
      table.add({p.name, "–", "–", "–", "–", "–", "–", "–"});
      continue;
    }
    if (!ends(p)) {
      table.add({p.name, "never ends", "–", "–", "–", "–", grouped(p.spares), "–"});
      continue;
    }
    const Goodput& g = p.outcome.goodput;
    const double failed = g.lost_work + g.detection + g.restart;
    const std::string each = g.failures > 0 ? seconds_text(Seconds(failed / g.failures)) : "–";
    table.add({p.name, fixed(p.outcome.wall / kDay, 1), percent(p.outcome.effective), each,
               percent(g.checkpoint / g.total), percent(g.away / g.total), grouped(p.spares),
               p.outcome.cost ? money_text(*p.outcome.cost) : ""});
  }
  Section s{"Policies of recovery; the first is in the figures above"};
  s.add(table);
  if (const auto b = better_policy(o)) s.add(Paragraph{policy_advice(o, *b), 2, 2});
  if (auto note = beyond_measured_note(o)) s.add(*std::move(note));
  if (std::any_of(o.policies.begin(), o.policies.end(),
                  [](auto& p) { return p.applies && !ends(p); })) {
    s.add(Paragraph{"never ends: failures take the time in which it would train", 2, 2});
  }
  if (std::any_of(o.policies.begin(), o.policies.end(), [](auto& p) { return !p.applies; })) {
    s.add(
        Paragraph{"–: restarts one of several replicas, and here all states are sharded over all "
                  "ranks; parallel.zero_shard_group makes replicas",
                  2, 2});
  }
  return s;
}

}  // namespace orrery
