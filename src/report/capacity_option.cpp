// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "document/words.h"
#include "insight/recovery_advice.h"
#include "report/capacity_words.h"
#include "report/frame.h"
#include "report/rl_words.h"

namespace orrery {
namespace {

struct Lines {
  std::vector<Paragraph> paragraphs;

  Lines& operator+=(const Lines& more) {
    paragraphs.insert(paragraphs.end(), more.paragraphs.begin(), more.paragraphs.end());
    return *this;
  }
  friend Lines operator+(Lines a, const Lines& b) { return a += b; }
};

Lines line(const std::string& label, const std::string& text) { return {{labelled(label, text)}}; }

std::string days_text(const Ranged<Seconds>& r) {
  const auto days = [](Seconds t) { return fixed(t / kDay, t / kDay < 100 ? 1 : 0); };
  if (r.is_exact()) return days(r.value) + " days";
  return days(r.value) + " days (" + days(r.low) + " to " + days(r.high) + ")";
}

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

Lines checkpoint_lines(const OptionAnswer& o) {
  const std::vector<StretchOutcome>& all = o.outcome.stretches;
  Lines lines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string of = all.size() > 1 ? o.inputs.stretches[i].phases + ": " : "";
    lines += line("checkpoint", of + checkpoint_text(o, all[i]));
  }
  return lines;
}

// Rates to ask a seller for.
Lines needs_lines(const OptionAnswer& o) {
  const PurchaseNeeds& n = o.needs;
  Lines all;
  if (n.write.si() > 0) {
    const bool beside = o.inputs.policy.mode != CheckpointMode::synchronous;
    all += line(
        "storage to buy",
        "writes " + pretty(n.write, 3) +
            (beside ? ", so that a checkpoint is safe before the next begins"
                    : ", so that checkpoints stop training for at most 1 % of the time") +
            ", one every " + seconds_text(n.write_every) +
            (beside || o.inputs.policy.interval.si() > 0 ? ""
                                                         : ", the best interval at that rate") +
            (n.copy_stalls ? "; a node's own links are too slow for that" : ""));
  } else if (n.no_rate_will_do) {
    all += line("storage to buy",
                "no write rate is enough: the " + seconds_text(o.inputs.policy.overhead) +
                    " of `checkpoint.overhead` alone stop training for more than 1 % of the time");
  } else {
    all += line("storage to buy",
                "not known: no failure rates (`failures`) and no `checkpoint.interval` say how "
                "often a checkpoint is written");
  }
  if (n.sent.si() > 0) {
    all += line("network to buy", "a node sends " + pretty(n.sent, 3) +
                                      " to other nodes, on average over a step; with " +
                                      pretty(n.least, 3) + " a node in place of " +
                                      pretty(n.has, 3) + " a step takes 5 % longer");
  }
  return all;
}

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

Lines spare_line(const OptionAnswer& o) {
  if (o.outcome.largest.recovery.losses.empty()) return {};
  const std::int64_t devices = devices_of_system(o.inputs.cluster);
  const std::string what =
      is_rack(o.inputs.cluster) ? "spares of " + grouped(devices) + " GPUs" : "spare nodes";
  return line(what, grouped(o.inputs.spares) + " held, " + grouped(o.spares_advised) +
                        " keep the wait for one under 0.1 %" + worth_text(o));
}

std::string cost_text(const OptionAnswer& o) {
  const Currency c = o.outcome.cost->currency();
  const Ranged<double>& r = o.range.cost;
  std::string text = money_text(r.value, c);
  if (!r.is_exact()) text += " (" + money_text(r.low, c) + " to " + money_text(r.high, c) + ")";
  return text;
}

std::string parts_text(const Bill& b) {
  std::vector<std::string> parts;
  for (const CostPart p : kAllOf<CostPart>) {
    if (!b.parts[p]) continue;
    parts.push_back(std::string(name_of(p)) + " " + money_text(*b.parts[p]));
  }
  return joined(parts, ", ");
}

std::string unit_costs(const OptionAnswer& o) {
  const UnitCosts each = unit_costs_of(o, o.outcome.cost->amount());
  const std::string of = " " + o.outcome.cost->currency().text();
  if (o.rl) {
    const auto steps = static_cast<double>(o.training.pieces.front().steps);
    return money_text(*o.outcome.cost / steps) + " a step, " + fixed(each.million_tokens, 3) + of +
           " a million tokens, " + fixed(each.gpu_hour, 2) + of + " a GPU-hour";
  }
  return fixed(each.million_tokens, 3) + of + " a million tokens, " + fixed(each.eflop, 3) + of +
         " an EFLOP (by " + std::string(name_of(o.training.convention)) + "), " +
         fixed(each.gpu_hour, 2) + of + " a GPU-hour";
}

// "from midnight, 11 to 14 by the hour that it begins, least at 10:00".
std::string start_words(const EnergyUse& e) {
  if (!e.by_start) return "";
  const CarbonByStart& by = *e.by_start;
  const auto tonnes = [](Kilograms c) { return significant(c.kg / 1000, 4); };
  return " from midnight, " + tonnes(by.least) + " to " + tonnes(by.most) +
         " by the hour that it begins, least at " + std::to_string(by.at) + ":00";
}

// "1.21 M tokens a kWh, 3.4 G a day for each MW at most".
std::string yield_words(const OptionAnswer& o) {
  const TokenYield y = token_yield(o);
  return short_count(y.a_kwh) + " tokens a kWh, " + short_count(y.a_day_and_mw) +
         " a day for each MW at most";
}

Lines energy_lines(const OptionAnswer& o) {
  const EnergyUse& e = o.outcome.energy;
  std::string text = energy_text(e.facility) + " (" + energy_text(Joules(o.range.energy.low)) +
                     " to " + energy_text(Joules(o.range.energy.high)) + "), " +
                     pretty(e.average, 3) + " on average, " + pretty(e.peak, 3) + " at most";
  if (e.swing > Watts()) {
    text += ", swings by " + pretty(e.swing, 3) + " within a step";
  }
  text += "; " + yield_words(o) + (e.pue_known ? "; PUE in it" : "; at the nodes, no PUE given");
  if (!e.node_power_known) text += "; only GPUs, the node's power is not known";
  text += e.carbon ? "; " + grouped(e.carbon->kg / 1000) + " t CO2e" + start_words(e)
                   : "; CO2e left blank, no `carbon_intensity` given";
  return line("energy", text);
}

Lines cost_lines(const OptionAnswer& o) {
  if (!o.outcome.cost) return line("cost", why_blank(o) + ": left blank");
  const Bill& b = o.outcome.bill;
  std::string text = cost_text(o) + " by " + std::string(name_of(b.payment));
  if (const std::string missing = not_counted(b); !missing.empty()) {
    text += "; not counted, no price: " + missing;
  }
  if (b.up_front) {
    text += "; this is the run's share, all of it costs " + money_text(*b.up_front) + " at once";
  }
  if (b.payment == Payment::rent && o.inputs.prices.electricity) {
    text += "; the price of electricity is not used, as a rent includes power";
  }
  return line("cost", text) + line("  of it", parts_text(b)) + line("  a unit", unit_costs(o));
}

Lines rent_or_buy_line(const OptionAnswer& o) {
  if (!o.buying_pays_at) return {};
  const double u = *o.buying_pays_at;
  return line("rent or buy", u > 1 ? "renting is cheaper at any utilisation"
                                   : "buying is cheaper above a utilisation of " + percent(u));
}

std::string sample_rates(const DataNeeds& n) {
  std::vector<std::string> rates;
  for (const SampleRate& r : n.samples) {
    rates.push_back(r.name + " " + pretty(r.all, 3) + " (" + pretty(r.node, 3) + " a node" +
                    (r.clients_carry_it ? "" : ", more than its client carries") + ")");
  }
  return joined(rates, ", ");
}

Lines data_lines(const OptionAnswer& o) {
  const DataNeeds& n = o.data;
  const Corpus& corpus = o.plan->data.corpora[o.plan->data.corpus];
  std::string text = pretty(n.dataset) + " of tokens (" + corpus.name + ", " +
                     fixed(corpus.bytes_per_token, 2) + " bytes each), read at " + pretty(n.read) +
                     "; checkpoints kept " + pretty(n.checkpoints) + "; together " +
                     pretty(n.total);
  if (!n.storage_holds_it) text += ", more than the storage holds";
  if (n.cores > 0) text += "; CPU cores that prepare them: " + grouped(std::ceil(n.cores));
  text += "; prepared as token ids " + pretty(n.ids) + ", " + pretty(n.ids_of_rank) + " a replica";
  return line("data", text) +
         line("  on samples",
              "at this FLOP rate a training on these data reads " + sample_rates(n));
}

Lines host_line(const OptionAnswer& o) {
  std::vector<std::string> parts;
  if (o.inputs.policy.mode != CheckpointMode::synchronous) {
    parts.push_back(gib_text(o.outcome.largest.checkpoint.per_node, 1) +
                    " a node for a checkpoint");
  }
  if (o.answer.host_needed.si() > 0) {
    parts.push_back(gib_text(o.answer.host_needed, 1) + " a node for what is offloaded");
  }
  if (parts.empty()) return {};
  if (o.answer.host_capacity.si() > 0) parts.push_back("of " + gib_text(o.answer.host_capacity, 0));
  return line("host memory",
              joined(parts, ", ") + (host_holds_checkpoint(o) ? "" : ": more than a node holds"));
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
  Lines all = line("days", days_text(o.range.wall) + ", " + grouped(o.outcome.wall / kHour) +
                               " hours, effective training time " + percent(o.outcome.effective));
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
  all += line("accuracy", accuracy_text(o));
  const std::string rests_on = calibration_line(*o.run);
  if (!rests_on.empty()) all += line("rests on", rests_on.substr(rests_on.find(": ") + 2));
  return all += phase_lines(o) + training_lines(r, o) + rent_or_buy_line(o) + needs_lines(o) +
                data_lines(o) + host_line(o) + periodic_line(o) + late_line(o);
}

}  // namespace

std::string why_blank(const OptionAnswer& o) {
  const Tariff& t = o.inputs.prices;
  if (o.inputs.beside && o.inputs.beside->prices.payment != t.payment) {
    return "a price to rent one kind of GPU, and to buy the other";
  }
  const bool bought = t.payment == Payment::purchase && (t.gpu || t.node);
  if (bought) return "a price to buy, and no `lifetime` and `utilisation` to share it out by";
  const bool lacks_beside = o.inputs.beside && t.rent;
  const Cluster& c = lacks_beside ? o.inputs.beside->cluster : o.inputs.cluster;
  return "no price of " + std::string(c.device.name.view()) + " or its node given (`prices`)";
}

void add_option_lines(Section& s, const CapacityReport& r, std::size_t option) {
  for (Paragraph& p : option_lines(r, r.answer.options[option]).paragraphs) s.add(std::move(p));
}

Table causes_table(const OptionAnswer& o) {
  Table table({Column("cause").at_least(kLabel), Column("days", true).at_least(11),
               Column("share", true).at_least(7), Column("cost", true).at_least(12),
               Column("").at_least(40)},
              2);
  for (const TimeCause& c : time_causes(o)) {
    const double part = c.share / o.outcome.goodput.total;
    table.add({c.name, fixed(c.share * in_days(o.outcome.training), 2) + " days", percent(part),
               o.outcome.cost ? money_text(*o.outcome.cost * part) : "", bar_cell(part)});
  }
  return table;
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
  if (std::any_of(o.policies.begin(), o.policies.end(), [](auto& p) { return !p.applies; })) {
    s.add(
        Paragraph{"–: restarts one of several replicas, and here all states are sharded over all "
                  "ranks; parallel.zero_shard_group makes replicas",
                  2, 2});
  }
  return s;
}

Section power_section(const OptionAnswer& o) {
  if (o.capped.empty()) return {};
  Table table({{"a GPU's cap", true},
               {"days", true},
               {"energy", true},
               {"at most", true},
               {"tokens a kWh", true}},
              2);
  const auto add = [&](Watts cap, const Outcome& x) {
    const double kwh = x.energy.facility.si() / kKilowattHour.si();
    const double change = x.wall / o.outcome.wall - 1;
    const double saved = x.energy.facility / o.outcome.energy.facility - 1;
    table.add({pretty(cap, 3), fixed(x.wall / kDay, 1) + " (" + signed_percent(change) + ")",
               energy_text(x.energy.facility) + " (" + signed_percent(saved) + ")",
               pretty(x.energy.peak, 3), short_count(o.training.tokens / kwh)});
  };
  add(o.inputs.cluster.device.power, o.outcome);
  for (const PowerCapped& p : o.capped) add(p.cap, p.outcome);
  return Section{"Under a power cap (cluster.power_cap)"}.add(table);
}

Section serving_section(const std::vector<InferenceNeeds>& all) {
  if (all.empty()) return {};
  const InferenceNeeds& first = all.front();
  Table table({{"sequences", true},
               {"keys and values", true},
               {"of it empty", true},
               {"with 16-bit weights", true},
               {"8-bit", true},
               {"4-bit", true}},
              2);
  for (const InferenceNeeds& n : all) {
    table.add({grouped(n.batch), gib_text(n.cache, 1), gib_text(n.waste, 2),
               gib_text(n.weights + n.cache, 1), gib_text(n.weights / 2 + n.cache, 1),
               gib_text(n.weights / 4 + n.cache, 1)});
  }
  return Section{"Memory to serve the trained model: sequences of " + grouped(first.context) +
                 " tokens, " + pretty(first.cache_a_token) + " a token, blocks of " +
                 std::to_string(kCacheBlock)}
      .add(table);
}

Section break_even_section(const CapacityReport& r) {
  constexpr std::size_t kDigits = 7;
  if (r.answer.break_evens.empty()) return {};
  const std::string unit = " " + r.answer.break_evens[0].rent.currency().text() + " a GPU-hour";
  Table table({Column("option").at_least(42), Column("rent", true).at_least(kDigits + unit.size())},
              2);
  for (const BreakEven& b : r.answer.break_evens) {
    table.add(
        {name_with_gpus(r.answer.options[b.option]), fixed((b.rent * kHour).amount(), 2) + unit});
  }
  return Section{"Rent at which each would cost as much as the first of the list"}.add(
      table.untitled());
}

}  // namespace orrery
