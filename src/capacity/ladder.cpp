// SPDX-License-Identifier: Apache-2.0
#include "capacity/ladder.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "capacity/layouts_left_out.h"
#include "capacity/option.h"
#include "capacity/sizes.h"
#include "core/divide.h"
#include "core/error.h"
#include "hardware/power.h"

namespace orrery {
namespace {

// GPU-time that another size may take, of the least that one took.
constexpr double kBetterRate = 0.9;

// Suggest another batch only if it saves at least 2 % of the GPUs.
constexpr double kWorthSaying = 0.02;

bool lacks_nothing(const Requirement& q, const OptionAnswer& o) {
  return standing(q, o) != Standing::misses;
}

// A cluster may be defined only up to some size.
bool speaks_of_the_cluster(const InputError& e) { return e.path().rfind("cluster", 0) == 0; }

// Order of refusals by distance from a fit: a run that never ends fits, one that does not fit is
// legal.
int nearness(const OptionAnswer& o) {
  return o.status == OptionStatus::never_ends ? 2 : o.status == OptionStatus::does_not_fit ? 1 : 0;
}

class SizeSearch {
 public:
  SizeSearch(const CapacityPlan& plan, const OptionPlan& option, const PlanContext& context,
             const std::function<void()>& tried)
      : plan_(plan),
        option_(option),
        context_(context),
        on_tried_(tried),
        sizes_(ladder_sizes(option, context)) {}

  SmallestFound found() {
    try_sizes();
    if (!meets_power()) try_under_caps();
    try_next_size();
    try_hopeless();
    if (fitting_.empty()) explain_refusals();
    std::vector<std::int64_t> wanted;
    if (!fitting_.empty()) {
      for (const Requirement& q : plan_.requirements) wanted.push_back(wanted_size(q));
      if (wanted.empty()) wanted.push_back(fitting_.begin()->first);
      for (const Requirement& q : plan_.requirements) {
        if (const auto surer = surer_size(q)) wanted.push_back(*surer);
      }
      const bool lone = plan_.options.size() == 1 && !plan_.requirements.empty();
      const Entry* cheapest = plan_.requirements.empty() ? nullptr : cheapest_that_meets_all();
      if (cheapest != nullptr) wanted.push_back(cheapest->first);
      if (plan_.requirements.size() <= 1 && lone) add_size_below(wanted);
    }
    SmallestFound f;
    f.tried = tally();
    f.tried.other_batch = at_another_batch();
    f.options = fitting_.empty() ? refusals() : taken(fitting_, std::move(wanted));
    for (OptionAnswer& o : f.options) {
      if (option_.search && o.status == OptionStatus::fits) o = among_more_layouts(std::move(o));
      complete_option(plan_, o);
    }
    return f;
  }

 private:
  using Tried = std::map<std::int64_t, OptionAnswer>;
  using Entry = Tried::value_type;

  static std::vector<OptionAnswer> taken(Tried& from, std::vector<std::int64_t> sizes) {
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<OptionAnswer> answers;
    for (const std::int64_t n : sizes) answers.push_back(std::move(from.at(n)));
    return answers;
  }

  OptionAnswer answered(std::int64_t gpus, const TryOptions& how) const {
    try {
      return caps_ ? under_cap(gpus, how) : try_option(plan_, option_, gpus, context_, how);
    } catch (const InputError& e) {
      if (gpus == sizes_.own || !speaks_of_the_cluster(e)) throw;
      OptionAnswer o;
      o.scenario = option_.scenario;
      o.model = option_.model;
      o.gpus = gpus;
      o.status = OptionStatus::illegal;
      o.reason = e.what();
      return o;
    }
  }

  Cluster cluster_of(std::int64_t gpus) const {
    Cluster c = sizes_.cluster;
    c.gpus = gpus;
    return c;
  }

  double pue() const { return pue_of(option_.energy); }

  // The cap of a device that keeps the limit with so many spares; nothing where none does.
  std::optional<Watts> cap_at(std::int64_t gpus, std::int64_t spares) const {
    const Cluster c = cluster_of(gpus);
    const auto systems = static_cast<double>(system_count(c) + spares);
    return cap_within(c, systems, *least_power(plan_.requirements) / pue());
  }

  // Draws more than the limit, and no cap keeps it.
  bool is_beyond(Watts limit, std::int64_t gpus) const {
    const Cluster c = cluster_of(gpus);
    const auto systems = static_cast<double>(system_count(c));
    return most_power(c, systems * pue()) > limit && !cap_within(c, systems, limit / pue());
  }

  // The spares follow from the answer, and draw power too.
  OptionAnswer under_cap(std::int64_t gpus, const TryOptions& how) const {
    OptionAnswer o;
    std::int64_t spares = std::max<std::int64_t>(0, option_.spares);
    for (int times = 0; times < 2; ++times) {
      const std::optional<Watts> cap = cap_at(gpus, spares);
      const bool is_capped = cap && *cap < sizes_.cluster.device.power;
      o = is_capped ? try_option(plan_, with_power_cap(option_, *cap), gpus, context_, how)
                    : try_option(plan_, option_, gpus, context_, how);
      o.plan = &option_;
      if (!is_capped || o.status != OptionStatus::fits || o.inputs.spares <= spares) break;
      spares = o.inputs.spares;
    }
    return o;
  }

  // Each limit of power that a deadline stands beside is kept by some size that meets the deadline.
  bool meets_power() const {
    return std::all_of(plan_.requirements.begin(), plan_.requirements.end(),
                       [&](const Requirement& q) {
                         return !q.power || !q.deadline || first_that_meets(q) != nullptr;
                       });
  }

  // Sizes that draw too much at the rating of their devices, and less under a cap.
  void try_under_caps() {
    caps_ = true;
    std::erase_if(fitting_, [&](const Entry& e) {
      return e.second.outcome.energy.peak > *least_power(plan_.requirements) && cap_at(e.first, 0);
    });
    hopeless_.clear();
    try_sizes();
  }

  // Sizes were compared by common layouts; the answer has the best of more.
  OptionAnswer among_more_layouts(OptionAnswer common) const {
    OptionAnswer more = answered(common.gpus, {Refusals::brief, Layouts::wide});
    const bool better =
        more.status == OptionStatus::fits && more.outcome.wall < common.outcome.wall;
    LayoutsLeftOut both;
    if (more.left_out) both.of_answer = more.left_out->of_answer;
    if (common.left_out) both.of_sizes = common.left_out->of_answer;
    OptionAnswer answer = better ? std::move(more) : std::move(common);
    answer.left_out = std::make_shared<LayoutsLeftOut>(std::move(both));
    return answer;
  }

  // Empty if the size is refused.
  const OptionAnswer* tried(std::int64_t gpus) {
    on_tried_();
    OptionAnswer o = answered(gpus, {Refusals::brief, Layouts::common});
    if (o.status == OptionStatus::fits) {
      note_rate(o);
      return &(fitting_[gpus] = std::move(o));
    }
    refused_[gpus] = std::move(o);
    return nullptr;
  }

  const Entry* first_that_meets(const Requirement& q) const {
    for (const Entry& entry : fitting_) {
      if (lacks_nothing(q, entry.second)) return &entry;
    }
    return nullptr;
  }

  const Entry* last_that_meets(const Requirement& q) const {
    for (auto entry = fitting_.rbegin(); entry != fitting_.rend(); ++entry) {
      if (lacks_nothing(q, entry->second)) return &*entry;
    }
    return nullptr;
  }

  const Entry* cheapest_that_meets_all() const {
    const Entry* best = nullptr;
    for (const Entry& entry : fitting_) {
      const OptionAnswer& o = entry.second;
      const bool meets =
          o.outcome.cost && std::all_of(plan_.requirements.begin(), plan_.requirements.end(),
                                        [&](const Requirement& q) { return lacks_nothing(q, o); });
      if (!meets) continue;
      if (best == nullptr || o.outcome.cost->amount() < best->second.outcome.cost->amount()) {
        best = &entry;
      }
    }
    return best;
  }

  // Settled: a deadline is met, or the largest size is over a limit. Cost first falls, then rises
  // with size, so a budget is settled only after some size met it.
  bool is_settled(const Requirement& q) const {
    const Standing last = standing(q, fitting_.rbegin()->second);
    // Without a price no size is beyond a budget.
    const bool first_will_do = !q.wants_most() || last == Standing::unpriced;
    const bool any = first_that_meets(q) != nullptr;
    return first_will_do ? any : last == Standing::misses && (any || !q.budget);
  }

  // No layout of so few GPUs meets any requirement: all have a deadline, and at the device's peak
  // the training alone takes longer; or, where strategies are searched, it takes longer at the rate
  // of the best size tried and a tenth more.
  bool is_hopeless(std::int64_t gpus) const {
    if (plan_.requirements.empty() || option_.achieved || gpus == sizes_.own) return false;
    const Seconds least =
        std::max(sizes_.least_gpu_time, likely_gpu_time_) / static_cast<double>(gpus);
    return std::all_of(
        plan_.requirements.begin(), plan_.requirements.end(), [&](const Requirement& q) {
          return q.deadline && (least > *q.deadline || (q.power && is_beyond(*q.power, gpus)));
        });
  }

  // Sizes of about the same number take about as many GPU-hours.
  void note_rate(const OptionAnswer& o) {
    if (!option_.search) return;
    const Seconds spent = o.outcome.wall * (static_cast<double>(o.gpus) * kBetterRate);
    likely_gpu_time_ = likely_gpu_time_ > Seconds() ? std::min(likely_gpu_time_, spent) : spent;
  }

  // Draws too much for a limit that must be kept within a deadline.
  bool draws_too_much(std::int64_t gpus) const {
    return std::any_of(plan_.requirements.begin(), plan_.requirements.end(),
                       [&](const Requirement& q) { return q.power && is_beyond(*q.power, gpus); });
  }

  // Where nothing larger fits, the largest that is only too slow is the nearest; of those that draw
  // too much, the smallest.
  void try_hopeless() {
    for (auto gpus = hopeless_.rbegin(); gpus != hopeless_.rend(); ++gpus) {
      if (draws_too_much(*gpus)) continue;
      if (!fitting_.empty() && fitting_.rbegin()->first > *gpus) return;
      if (tried(*gpus) != nullptr) return;
    }
    if (!fitting_.empty()) return;
    for (const std::int64_t gpus : hopeless_) {
      if (draws_too_much(gpus) && tried(gpus) != nullptr) return;
    }
  }

  // The one that is nearest to a fit is reported.
  void explain_refusals() {
    for (auto& [gpus, o] : refused_) o = answered(gpus, {Refusals::explained, Layouts::wide});
  }

  void try_sizes() {
    const auto settled = [&](const Requirement& q) { return is_settled(q); };
    for (const std::int64_t gpus : sizes_.rungs) {
      if (fitting_.count(gpus) + refused_.count(gpus) > 0) continue;
      if (is_hopeless(gpus)) {
        hopeless_.push_back(gpus);
        continue;
      }
      if (tried(gpus) == nullptr) continue;
      if (std::all_of(plan_.requirements.begin(), plan_.requirements.end(), settled)) return;
    }
  }

  // A size whose layout suits the batch better may take fewer GPU-hours than the smallest that
  // meets all: the next rung.
  void try_next_size() {
    constexpr double kMostTimes = 1.5;
    if (!option_.search || fitting_.empty() || cheapest_that_meets_all() == nullptr) return;
    const std::int64_t last = fitting_.rbegin()->first;
    const auto next = std::upper_bound(sizes_.rungs.begin(), sizes_.rungs.end(), last);
    const bool is_near = next != sizes_.rungs.end() &&
                         static_cast<double>(*next) <= kMostTimes * static_cast<double>(last);
    if (is_near && refused_.count(*next) == 0 && !is_hopeless(*next)) tried(*next);
  }

  // Meets at the upper end of its days, with memory that surely suffices, and at the middle of its
  // cost.
  bool is_surer(const Requirement& q, OptionAnswer& o) const {
    fill_range(plan_, o);
    return o.range.wall.high <= *q.deadline && fits_at_risk(o) && lacks_nothing(q, o);
  }

  // Beside the smallest, of which half miss the deadline: the next rung that ends in time in 9 of
  // 10 cases. GPU-hours are about the same for so many GPUs more, so that the rung is near.
  std::optional<std::int64_t> surer_size(const Requirement& q) {
    constexpr double kMostTimes = 4;
    constexpr int kMostTries = 3;
    const Entry* met = first_that_meets(q);
    const bool is_asked = q.deadline && !q.sure && !has_rl(*option_.phases.front().run);
    if (!is_asked || met == nullptr) return {};
    OptionAnswer& smallest = fitting_.at(met->first);
    fill_range(plan_, smallest);
    const double times = smallest.range.wall.high / *q.deadline;
    if (times <= 1 || times > kMostTimes) return {};
    const auto least = static_cast<std::int64_t>(static_cast<double>(met->first) * times);
    auto rung = std::lower_bound(sizes_.rungs.begin(), sizes_.rungs.end(), least);
    for (int i = 0; i < kMostTries && rung != sizes_.rungs.end(); ++i, ++rung) {
      const bool is_known = fitting_.count(*rung) > 0;
      if (refused_.count(*rung) > 0 || (!is_known && tried(*rung) == nullptr)) continue;
      if (is_surer(q, fitting_.at(*rung))) return *rung;
    }
    return {};
  }

  // The most GPUs within a limit; from the first size beyond it down.
  std::int64_t largest(const Requirement& q) {
    const Entry* met = last_that_meets(q);
    if (met == nullptr) return nearest(q);
    const auto beyond = fitting_.upper_bound(met->first);
    if (beyond == fitting_.end()) return met->first;
    const std::vector<std::int64_t> open = untried(met->first, beyond->first);
    const std::size_t step = divided_up(open.size(), kMostBetween);
    for (std::size_t i = open.size(); i > 0; i -= std::min(i, step)) {
      const OptionAnswer* o = tried(open[i - 1]);
      if (o != nullptr && lacks_nothing(q, *o)) return open[i - 1];
    }
    left_out_ += static_cast<std::int64_t>(untried(met->first, beyond->first).size());
    return met->first;
  }

  std::int64_t wanted_size(const Requirement& q) {
    return q.wants_most() ? largest(q) : smallest(q);
  }

  std::int64_t smallest(const Requirement& q) {
    const Entry* met = first_that_meets(q);
    if (met == nullptr) met = met_near(q, nearest(q));
    if (met == nullptr) return nearest(q);
    const std::int64_t below = fitting_below(met->first);
    for (std::int64_t last = 0; met->first != last; met = first_that_meets(q)) {
      last = met->first;
      try_between(q, fitting_below(last), last);
    }
    left_out_ += static_cast<std::int64_t>(untried(below, met->first).size());
    return met->first;
  }

  const Entry* met_near(const Requirement& q, std::int64_t near) {
    const std::int64_t below = fitting_below(near);
    const auto next = fitting_.upper_bound(near);
    const std::int64_t above = next == fitting_.end() ? near : next->first;
    try_between(q, below, near);
    try_between(q, near, above);
    const Entry* met = first_that_meets(q);
    if (met == nullptr) left_out_ += static_cast<std::int64_t>(untried(below, above).size());
    return met;
  }

  std::int64_t fitting_below(std::int64_t gpus) const {
    const auto at = fitting_.lower_bound(gpus);
    return at == fitting_.begin() ? 0 : std::prev(at)->first;
  }

  std::vector<std::int64_t> untried(std::int64_t below, std::int64_t above) const {
    const std::vector<std::int64_t>& all = sizes_.all;
    const auto from = std::upper_bound(all.begin(), all.end(), below);
    std::vector<std::int64_t> open;
    std::copy_if(from, std::lower_bound(from, all.end(), above), std::back_inserter(open),
                 [&](std::int64_t n) {
                   return fitting_.count(n) + refused_.count(n) == 0 && !is_hopeless(n);
                 });
    return open;
  }

  // Tries the sizes between two, or some of them, up to the first that meets the requirement.
  void try_between(const Requirement& q, std::int64_t below, std::int64_t above) {
    const std::vector<std::int64_t> open = untried(below, above);
    const std::size_t step = divided_up(open.size(), kMostBetween);
    for (std::size_t i = 0; i < open.size(); i += step) {
      const OptionAnswer* o = tried(open[i]);
      if (o != nullptr && lacks_nothing(q, *o)) return;
    }
  }

  std::int64_t nearest(const Requirement& q) const {
    std::int64_t size = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [gpus, o] : fitting_) {
      const double factor = shortfall(q, o).factor;
      if (factor >= least) continue;
      least = factor;
      size = gpus;
    }
    return size;
  }

  void add_size_below(std::vector<std::int64_t>& sizes) const {
    const std::int64_t below = fitting_below(sizes.front());
    if (below > 0) sizes.push_back(below);
  }

  // Fewer GPUs for a lone deadline, at the nearest batch that they divide: halves the sizes between
  // the largest that takes too long and the smallest that does not.
  std::optional<OtherBatch> at_another_batch() const {
    const bool asked = plan_.options.size() == 1 && plan_.requirements.size() == 1 &&
                       !plan_.requirements.front().wants_most();
    const Entry* met = asked ? first_that_meets(plan_.requirements.front()) : nullptr;
    if (met == nullptr || sizes_.global_batch == 0) return {};
    std::int64_t fails = fitting_below(met->first) / sizes_.grid;
    std::int64_t meets = met->first / sizes_.grid;
    std::optional<OtherBatch> found;
    while (meets - fails > 1) {
      const std::int64_t middle = (fails + meets) / 2;
      const std::optional<OtherBatch> there = with_nearest_batch(middle);
      (there ? meets : fails) = middle;
      if (there) found = there;
    }
    const bool fewer = found && static_cast<double>(found->gpus) <
                                    (1 - kWorthSaying) * static_cast<double>(met->first);
    return fewer ? found : std::nullopt;
  }

  std::vector<std::int64_t> batches_of(std::int64_t grids) const {
    auto all = near_batches(sizes_.global_batch, grids * sizes_.batch_of);
    // With tensor parallelism over the node, replicas divide the number of nodes.
    if (all.empty() && option_.search) all = near_batches(sizes_.global_batch, grids);
    // A search that finds nothing legal at the nearest batch takes as long at each other one.
    if (option_.search && !all.empty()) all.resize(1);
    return all;
  }

  // At a size that the run's own batch leaves out, with the nearest batch that is legal there (an
  // interleaved schedule takes not every one); nothing where it does not meet what is required.
  std::optional<OtherBatch> with_nearest_batch(std::int64_t grids) const {
    const std::int64_t gpus = grids * sizes_.grid;
    for (const std::int64_t batch : batches_of(grids)) {
      const OptionPlan other = with_batch(option_, batch);
      const OptionAnswer o =
          try_option(plan_, other, gpus, context_, {Refusals::brief, Layouts::common});
      if (o.status == OptionStatus::illegal) continue;
      const bool meets =
          o.status == OptionStatus::fits && lacks_nothing(plan_.requirements.front(), o);
      if (!meets) return {};
      return OtherBatch{gpus, batch, o.outcome.wall, o.outcome.cost};
    }
    return {};
  }

  std::vector<OptionAnswer> refusals() {
    const auto near = std::max_element(
        refused_.begin(), refused_.end(),
        [](const Entry& a, const Entry& b) { return nearness(a.second) < nearness(b.second); });
    std::vector<std::int64_t> sizes;
    if (near != refused_.end()) sizes.push_back(near->first);
    if (refused_.count(sizes_.own) > 0) sizes.push_back(sizes_.own);
    return taken(refused_, std::move(sizes));
  }

  SizesTried tally() const {
    SizesTried t;
    t.scenario = option_.scenario;
    t.model = option_.model;
    t.searched = option_.search.has_value();
    t.refused = static_cast<std::int64_t>(refused_.size());
    t.tried = t.refused + static_cast<std::int64_t>(fitting_.size());
    t.left_out = left_out_;
    t.beyond_power = std::count_if(hopeless_.begin(), hopeless_.end(), [&](std::int64_t n) {
      return fitting_.count(n) + refused_.count(n) == 0 && draws_too_much(n);
    });
    t.least = std::numeric_limits<std::int64_t>::max();
    for (const Tried* some : {&fitting_, &refused_}) {
      if (some->empty()) continue;
      t.least = std::min(t.least, some->begin()->first);
      t.most = std::max(t.most, some->rbegin()->first);
    }
    return t;
  }

  const CapacityPlan& plan_;
  const OptionPlan& option_;
  const PlanContext& context_;
  const std::function<void()>& on_tried_;
  LadderSizes sizes_;
  Tried fitting_;
  Tried refused_;
  std::vector<std::int64_t> hopeless_;  // rungs that are not tried
  Seconds likely_gpu_time_{};           // no size is likely to take less; 0: not known
  std::int64_t left_out_ = 0;
  bool caps_ = false;  // sizes that draw too much are tried under a cap
};

}  // namespace

SmallestFound smallest_sizes(const CapacityPlan& plan, const OptionPlan& option,
                             const PlanContext& context, const std::function<void()>& tried) {
  return SizeSearch(plan, option, context, tried).found();
}

}  // namespace orrery
