// SPDX-License-Identifier: Apache-2.0
#include "capacity/outcome.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "capacity/training_time.h"
#include "core/divide.h"
#include "core/significant_bits.h"
#include "estimate/run.h"

namespace orrery {
namespace {

// Slow nodes, each until it is found and another has taken its place.
double slow_share(const Interruptions& i, const std::optional<RecoveryPolicy>& p, double gpus,
                  Seconds restart) {
  double share = 0;
  for (const FailureClass& c : i.classes) {
    if (is_failure(c)) continue;
    const Seconds found = p ? p->detection[c.sign].value_or(i.detection.value) : i.detection.value;
    share += c.rate * gpus * (found * (c.slowdown / (1 + c.slowdown)) + restart);
  }
  return share;
}

Recovery recovery_of(const OutcomeInputs& in, const CheckpointCost& c, Seconds longest_step) {
  const Interruptions i = in.recovery ? left_by(*in.recovery, in.interruptions) : in.interruptions;
  const auto gpus = static_cast<double>(working_gpus(in));
  Recovery r;
  r.failures = rate_per_gpu(i) * gpus;
  r.losses = node_losses(i, gpus);
  r.detection = i.detection.value;
  r.restart = i.restart.value + c.read;
  r.stall = c.stall;
  r.durable = c.durable;
  r.spares = in.spares;
  r.planned = i.planned;
  if (in.recovery) {
    const JobShape job{working_gpus(in), in.replicas, longest_step};
    r = under(*in.recovery, i, job, c.read, in.policy_times.value, r);
  }
  r.slow = slow_share(i, in.recovery, gpus, r.restart);
  return r;
}

std::int64_t held_gpus(const OutcomeInputs& in) {
  return in.cluster.gpus + in.spares * devices_of_system(in.cluster);
}

constexpr double kRounding = 1e-9;  // of a step

struct Bounded {
  Seconds value{};
  IntervalBound by = IntervalBound::optimum;

  void at_least(Seconds least, IntervalBound bound) {
    if (value < least) *this = {least, bound};
  }

  // A whole number of steps is between two checkpoints: the nearest to the optimum, the next one to
  // what an interval must not be shorter than.
  void to_whole_steps(Seconds step) {
    if (!(step > Seconds()) || !std::isfinite(value.si())) return;
    const double steps = value / step;
    const bool optimum = by == IntervalBound::optimum;
    value = step * std::max(1.0, optimum ? std::round(steps) : std::ceil(steps - kRounding));
  }
};

// Half an interval is lost with each failure.
Seconds worthwhile_interval(const Recovery& r) {
  if (r.failures.si() <= 0) return {};
  return std::min(kShortestWorth, Seconds(2 * kLostWorth / r.failures.si()));
}

Seconds free_optimum(Recovery r) {
  r.durable = Seconds();
  return optimal_interval(r, Seconds());
}

Bounded interval_of(const OutcomeInputs& in, Seconds longest_step, const Recovery& r) {
  const bool is_given = in.policy.interval > Seconds();
  Bounded b{in.policy.interval, IntervalBound::given};
  if (!is_given) b = {free_optimum(r), IntervalBound::optimum};
  b.at_least(r.durable - r.stall, IntervalBound::written);
  if (!is_given) b.at_least(longest_step, IntervalBound::a_step);
  const bool beside = in.policy.mode != CheckpointMode::synchronous;
  if (!is_given && beside && in.storage.write.si() > 0) {
    b.at_least(worthwhile_interval(r), IntervalBound::lost_work);
  }
  b.to_whole_steps(longest_step);
  // The nearest may be shorter than a checkpoint takes to be safe.
  b.at_least(r.durable - r.stall, IntervalBound::written);
  b.to_whole_steps(longest_step);
  return b;
}

StretchOutcome stretch_outcome(const OutcomeInputs& in, const Stretch& s, Seconds training) {
  StretchOutcome o;
  o.checkpoint = checkpoint_cost(s.checkpoint, in.storage, in.policy.mode, in.cluster);
  o.checkpoint.stall += in.policy.overhead;
  o.recovery = recovery_of(in, o.checkpoint, s.longest_step);
  const Bounded interval = interval_of(in, s.longest_step, o.recovery);
  o.bound = interval.by;
  o.goodput = goodput(o.recovery, interval.value);
  o.training = training * s.share;
  return o;
}

constexpr std::array kLosses = {&Goodput::training,  &Goodput::checkpoint, &Goodput::lost_work,
                                &Goodput::detection, &Goodput::restart,    &Goodput::spares,
                                &Goodput::planned,   &Goodput::slow,       &Goodput::away,
                                &Goodput::failures,  &Goodput::total};

// A second of training is `share` of one of each stretch.
Goodput mean_goodput(const OutcomeInputs& in, const std::vector<StretchOutcome>& all) {
  if (all.size() == 1) return all.front().goodput;
  Goodput mean;
  for (double Goodput::*part : kLosses) {
    mean.*part = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      mean.*part += in.stretches[i].share * all[i].goodput.*part;
    }
  }
  return mean;
}

template <class T>
void move(Ranged<T>& r, bool up) {
  r.value = up ? r.high : r.low;
}

template <class T>
void move(std::optional<Ranged<T>>& r, bool up) {
  if (r) move(*r, up);
}

// The price of each group.
template <auto... Members>
void move_price(OutcomeInputs& in, bool up) {
  (move(in.prices.*Members, up), ...);
  if (in.beside) (move(in.beside->prices.*Members, up), ...);
}

void move_rates(OutcomeInputs& in, bool up) {
  const double beyond = beyond_window(in.interruptions, working_gpus(in));
  const double factor =
      up ? in.interruptions.rate_high * beyond : in.interruptions.rate_low / beyond;
  for (FailureClass& c : in.interruptions.classes) c.rate = c.rate * factor;
}

void move_storage(OutcomeInputs& in, bool up) {
  const double factor = up ? 2 : 0.5;
  in.storage.write = in.storage.write * factor;
  in.storage.read = in.storage.read * factor;
  in.storage.client = in.storage.client * factor;
}

void move_load(OutcomeInputs& in, bool up) {
  for (Ranged<double>* share :
       {&in.energy.load.compute, &in.energy.load.memory, &in.energy.load.waiting,
        &in.energy.load.idle, &in.energy.load.rest}) {
    move(*share, up);
  }
}

struct Knob {
  std::string_view what;
  bool what_if;
  void (*move)(OutcomeInputs& in, bool up);
};

constexpr std::array kKnobs = {
    Knob{"step time (MFU)", false, [](OutcomeInputs& in, bool up) { move(in.training, up); }},
    Knob{"failure rate", false, move_rates},
    Knob{"time to see a failure", false,
         [](OutcomeInputs& in, bool up) { move(in.interruptions.detection, up); }},
    Knob{"time to restart", false,
         [](OutcomeInputs& in, bool up) {
           move(in.interruptions.restart, up);
           move(in.policy_times, up);
         }},
    Knob{"rent of a GPU", false, move_price<&Tariff::rent>},
    Knob{"price of the hardware", false, move_price<&Tariff::node, &Tariff::gpu>},
    Knob{"lifetime of the hardware", false, move_price<&Tariff::lifetime>},
    Knob{"utilisation of the hardware", false, move_price<&Tariff::utilisation>},
    Knob{"support", false, move_price<&Tariff::support, &Tariff::node_support>},
    Knob{"network share", false, move_price<&Tariff::network>},
    Knob{"price of storage", false, move_price<&Tariff::storage, &Tariff::storage_space>},
    Knob{"price of egress", false, move_price<&Tariff::egress>},
    Knob{"price of electricity", false, move_price<&Tariff::electricity>},
    Knob{"power by load", false, move_load},
    Knob{"PUE", false, [](OutcomeInputs& in, bool up) { move(in.energy.pue, up); }},
    Knob{"storage ×½, ×2", true, move_storage},
};

double amount_of(const Outcome& o) { return o.cost ? o.cost->amount() : 0; }

Sensitivity moved_by(const Knob& knob, const OutcomeInputs& in, const Outcome& middle) {
  OutcomeInputs down = in;
  OutcomeInputs up = in;
  knob.move(down, false);
  knob.move(up, true);
  return compared(knob.what, knob.what_if, middle, outcome_of(down), outcome_of(up));
}

double width(const Ranged<double>& r) {
  return r.value > 0 ? std::abs(r.high - r.low) / r.value : 0;
}

// Sums of squared logarithms, on each side.
struct Sides {
  double below = 0;
  double above = 0;

  void add(double middle, double a, double b) {
    for (const double end : {a, b}) {
      if (middle <= 0 || end <= 0) continue;
      const double l = std::log(end / middle);
      (l < 0 ? below : above) += l * l;
    }
  }
  Ranged<double> range(double middle) const {
    return {middle, middle * to_40_bits(std::exp(-std::sqrt(below))),
            middle * to_40_bits(std::exp(std::sqrt(above)))};
  }
};

}  // namespace

Seconds slowed(Seconds training, const Stragglers& s) {
  return training * (1 + s.slowdown * s.share);
}

std::int64_t held_nodes(const OutcomeInputs& in) {
  return std::max(node_count(in.cluster), divided_up(held_gpus(in), devices_of_node(in.cluster)));
}

namespace {

std::int64_t paid_for(const Tariff& prices, const Cluster& c, std::int64_t gpus,
                      std::int64_t nodes) {
  const bool by_node = prices.payment == Payment::purchase && prices.node;
  return by_node ? nodes * devices_of_node(c) : gpus;
}

void add_energy(const EnergyUse& more, EnergyUse& e) {
  e.devices += more.devices;
  e.nodes += more.nodes;
  e.facility += more.facility;
  e.peak += more.peak;
  e.average += more.average;
  e.swing += more.swing;
  e.node_power_known = e.node_power_known && more.node_power_known;
  if (e.carbon && more.carbon) e.carbon->kg += more.carbon->kg;
  if (e.by_start && more.by_start) {  // of one profile and one time: the same hours
    e.by_start->least.kg += more.by_start->least.kg;
    e.by_start->most.kg += more.by_start->most.kg;
  }
}

// Money of both groups; a part that only one of them has is that one's.
void add_bill(const Bill& more, Bill& b) {
  const bool is_one_sum = b.payment == more.payment && total_of(b) && total_of(more);
  for (const CostPart p : kAllOf<CostPart>) {
    if (!is_one_sum) b.parts[p].reset();
    if (!is_one_sum || !more.parts[p]) continue;
    b.parts[p] = b.parts[p] ? *b.parts[p] + *more.parts[p] : *more.parts[p];
  }
  if (is_one_sum && b.up_front && more.up_front) *b.up_front += *more.up_front;
  b.gpus_alone = b.gpus_alone || more.gpus_alone;
}

void add_beside(const OutcomeInputs& in, Outcome& o) {
  if (!in.beside) return;
  const HeldBeside& h = *in.beside;
  const EnergyUse energy = energy_use(h.cluster, 0, in.energy, h.load, o.goodput, o.wall);
  const Holding holding{h.cluster.gpus, node_count(h.cluster), o.wall, energy.facility, {}, {}};
  add_energy(energy, o.energy);
  add_bill(bill(h.prices, holding), o.bill);
}

}  // namespace

std::int64_t working_gpus(const OutcomeInputs& in) {
  return in.cluster.gpus + (in.beside ? in.beside->cluster.gpus : 0);
}

std::int64_t paid_gpus(const OutcomeInputs& in) {
  const std::int64_t own = paid_for(in.prices, in.cluster, held_gpus(in), held_nodes(in));
  if (!in.beside) return own;
  const HeldBeside& h = *in.beside;
  return own + paid_for(h.prices, h.cluster, h.cluster.gpus, node_count(h.cluster));
}

double gpu_hours(const OutcomeInputs& in, Seconds wall) {
  return static_cast<double>(paid_gpus(in)) * (wall / kHour);
}

std::size_t largest_checkpoint(const OutcomeInputs& in) {
  const auto smaller = [](const Stretch& a, const Stretch& b) {
    return a.checkpoint < b.checkpoint;
  };
  const auto largest = std::max_element(in.stretches.begin(), in.stretches.end(), smaller);
  return static_cast<std::size_t>(largest - in.stretches.begin());
}

Outcome outcome_of(const OutcomeInputs& in) {
  Outcome o;
  o.training = slowed(in.training.value, in.interruptions.stragglers);
  for (const Stretch& s : in.stretches) o.stretches.push_back(stretch_outcome(in, s, o.training));
  o.largest = o.stretches[largest_checkpoint(in)];
  o.goodput = mean_goodput(in, o.stretches);
  o.goodput.interval = o.largest.goodput.interval;
  o.wall = o.training * o.goodput.total;
  o.effective = in.training.value / o.wall;
  o.failures = o.goodput.failures * o.training.si();
  o.energy = energy_use(in.cluster, in.spares, in.energy, in.load, o.goodput, o.wall);
  o.bill = bill(in.prices,
                {held_gpus(in), held_nodes(in), o.wall, o.energy.facility, in.stored, in.left});
  add_beside(in, o);
  o.cost = total_of(o.bill);
  return o;
}

Sensitivity compared(std::string_view what, bool what_if, const Outcome& middle, const Outcome& low,
                     const Outcome& high) {
  return {what,
          what_if,
          {middle.wall, low.wall, high.wall},
          {amount_of(middle), amount_of(low), amount_of(high)},
          {middle.energy.facility.si(), low.energy.facility.si(), high.energy.facility.si()}};
}

double width_of(const Sensitivity& s) {
  const double wall = std::abs((s.wall.high - s.wall.low).si()) / s.wall.value.si();
  return std::max({wall, width(s.cost), width(s.energy)});
}

bool moves_anything(const Sensitivity& s) {
  constexpr double kNothing = 1e-9;
  return width_of(s) > kNothing;
}

void sort_widest_first(std::vector<Sensitivity>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Sensitivity& a, const Sensitivity& b) {
    return width_of(b) < width_of(a);
  });
}

std::vector<Sensitivity> sensitivities(const OutcomeInputs& in) {
  const Outcome middle = outcome_of(in);
  std::vector<Sensitivity> all;
  for (const Knob& knob : kKnobs) {
    const Sensitivity s = moved_by(knob, in, middle);
    if (moves_anything(s)) all.push_back(s);
  }
  sort_widest_first(all);
  return all;
}

OutcomeRange range_of(const Outcome& o, const std::vector<Sensitivity>& moved,
                      const Ranged<Seconds>& spread) {
  Sides wall;
  Sides cost;
  Sides energy;
  for (const Sensitivity& s : moved) {
    if (s.what_if) continue;
    wall.add(s.wall.value.si(), s.wall.low.si(), s.wall.high.si());
    cost.add(s.cost.value, s.cost.low, s.cost.high);
    energy.add(s.energy.value, s.energy.low, s.energy.high);
  }
  for (Sides* side : {&wall, &cost, &energy}) {
    side->add(spread.value.si(), spread.low.si(), spread.high.si());
  }
  const Ranged<double> t = wall.range(o.wall.si());
  return {{Seconds(t.value), Seconds(t.low), Seconds(t.high)},
          cost.range(amount_of(o)),
          energy.range(o.energy.facility.si())};
}

MoneyPerSecond rent_for(Money cost, const OutcomeInputs& in, Seconds wall) {
  return cost / (kHour * gpu_hours(in, wall));
}

std::optional<double> utilisation_where_buying_pays(const OutcomeInputs& in) {
  OutcomeInputs rented = in;
  rented.prices.payment = Payment::rent;
  OutcomeInputs bought = in;
  bought.prices.payment = Payment::purchase;
  bought.prices.utilisation = exactly(1.0);
  const std::optional<Money> rent = outcome_of(rented).cost;
  const Outcome full = outcome_of(bought);
  if (!rent || !full.cost) return {};
  const Money none(0, rent->currency());
  // Parts of the purchase that do not fall with the utilisation.
  Money fixed = full.bill.parts[CostPart::electricity].value_or(none);
  fixed += full.bill.parts[CostPart::egress].value_or(none);
  if (in.prices.storage_space) fixed += full.bill.parts[CostPart::storage].value_or(none);
  if (!(fixed < *rent)) return {};
  return (*full.cost - fixed) / (*rent - fixed);
}

}  // namespace orrery
