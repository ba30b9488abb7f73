// SPDX-License-Identifier: Apache-2.0
#include "calibrate/knobs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "calibrate/predict.h"
#include "cost/product.h"
#include "network/fold.h"

namespace orrery {
namespace {

// The limits of hardware/device_reader.cpp and tier_reader.cpp.
constexpr double kLeastFraction = 1e-4;
constexpr double kLeastEfficiency = 1e-3;
constexpr double kMostReduction = 2;
constexpr double kMostTimeFactor = 10;
constexpr double kShortest = 1e-9;  // seconds
constexpr double kLongest = 1;

// Spreads of the priors: the trust in a document's number before a measurement. They are wide, so
// that measurements decide: ×/÷ 1.35 for a share of a peak, 2 for a size, 2.7 for a latency.
constexpr double kShareSpread = 0.3;
constexpr double kSizeSpread = 0.7;
constexpr double kTimeSpread = 1;
constexpr double kExcessSpread = 1;

using Get = std::function<double(const Cluster&)>;
using Set = std::function<void(Cluster&, double)>;

DeviceEfficiency& efficiency(Cluster& c) { return c.device.efficiency; }
const DeviceEfficiency& efficiency(const Cluster& c) { return c.device.efficiency; }

Knob share(const std::string& path, const Cluster& c, const Get& get, Set set) {
  return {{{path, kNone, get}}, get(c), kShareSpread, kLeastFraction, 1, false, std::move(set)};
}

Knob size(const std::string& path, const Cluster& c, const Get& get, double highest, Set set) {
  const double start = std::max(get(c), 1.0);
  return {{{path, kNone, get}}, start, kSizeSpread, 0, highest, false, std::move(set)};
}

Knob duration(const std::string& path, const Cluster& c, const Get& get, Set set) {
  // 0 in a document means "not separated"; such a fit starts at a microsecond.
  const double start = get(c) > kShortest ? get(c) : 1e-6;
  return {{{path, kSeconds, get}}, start, kTimeSpread, kShortest, kLongest, false, std::move(set)};
}

template <double DeviceEfficiency::*Member>
double get_efficiency(const Cluster& c) {
  return efficiency(c).*Member;
}

template <double DeviceEfficiency::*Member>
void set_efficiency(Cluster& c, double v) {
  efficiency(c).*Member = v;
}

class Maker {
 public:
  Maker(const std::vector<Measurement>& points, const Cluster& c) : points_(points), c_(c) {}

  std::vector<Knob> make() {
    for (const Measurement& m : points_) std::visit([this](const auto& w) { see(w); }, m.work);
    add_products();
    add_attention();
    if (bytes_) {
      knobs_.push_back(share("device.efficiency.memory", c_,
                             get_efficiency<&DeviceEfficiency::memory>,
                             set_efficiency<&DeviceEfficiency::memory>));
    }
    if (!precisions_.empty() || bytes_ || launches_ || !heads_.empty()) {
      knobs_.push_back(duration(
          "device.efficiency.launch", c_,
          [](const Cluster& c) { return efficiency(c).launch.si(); },
          [](Cluster& c, double v) { efficiency(c).launch = Seconds(v); }));
    }
    if (copies_) add_host_link();
    for (const std::size_t tier : tiers_) add_tier(tier);
    return std::move(knobs_);
  }

 private:
  const DeviceEfficiency& e() const { return c_.device.efficiency; }

  void see(const MeasuredProduct& p) {
    precisions_.insert(p.precision);
    grouped_ = grouped_ || p.shape.grouped;
    const double factor = misalignment(p.shape, probe_);
    odd_64_ = odd_64_ || factor == probe_.misaligned_64;
    odd_8_ = odd_8_ || factor == probe_.misaligned_8;
  }
  void see(const MeasuredAttention& a) {
    heads_.insert({a.kernel, a.shape.head_dim});
    if (a.pass != AttentionPass::both) split_.insert(a.kernel);
  }
  void see(const MeasuredMemory&) { bytes_ = true; }
  void see(const MeasuredLaunch&) { launches_ = true; }
  void see(const MeasuredHostCopy&) { copies_ = true; }
  void see(const MeasuredCollective& k) {
    if (k.ranks < 2) return;
    tiers_.insert(fold(c_, group_of_ranks(c_, k.ranks), k.ranks).outermost);
  }

  void add_products() {
    if (precisions_.empty()) return;
    using E = DeviceEfficiency;
    for (const Precision p : precisions_) {
      knobs_.push_back(share(
          "device.efficiency.gemm." + std::string(name_of(p)), c_,
          [p](const Cluster& c) { return efficiency(c).gemm[p]; },
          [p](Cluster& c, double v) { efficiency(c).gemm[p] = v; }));
    }
    knobs_.push_back(size("device.efficiency.k_fill", c_, get_efficiency<&E::k_fill>, 1e5,
                          set_efficiency<&E::k_fill>));
    if (grouped_) {
      knobs_.push_back(share("device.efficiency.grouped_gemm", c_, get_efficiency<&E::grouped_gemm>,
                             set_efficiency<&E::grouped_gemm>));
    }
    // The factor for 8 is never below the one for 64.
    const double low = e().misaligned_64;
    const double high = e().misaligned_8;
    const double middle = std::sqrt(low * high);
    if (odd_64_) add_alignment<&E::misaligned_64>("multiple_64", 1, odd_8_ ? middle : high);
    if (odd_8_)
      add_alignment<&E::misaligned_8>("multiple_8", odd_64_ ? middle : low, kMostTimeFactor);
  }

  template <double DeviceEfficiency::*Member>
  void add_alignment(const std::string& name, double lowest, double highest) {
    constexpr double kLeastPrior = 1.02;  // a factor of exactly 1 could not grow
    const double prior = std::clamp(std::max(e().*Member, kLeastPrior), lowest, highest);
    knobs_.push_back({{{"device.efficiency.alignment." + name, kNone, get_efficiency<Member>}},
                      std::max(prior, kLeastPrior),
                      kExcessSpread,
                      lowest,
                      highest,
                      true,
                      set_efficiency<Member>});
  }

  void add_attention() {
    std::set<AttentionKernel> kernels;
    for (const auto& [kernel, head] : heads_) kernels.insert(kernel);
    for (const AttentionKernel k : kernels) {
      if (!is_available(e().attention[k])) continue;
      const std::string path = "device.efficiency.attention." + std::string(name_of(k));
      for (std::size_t h = 0; h < kAttentionHeadSizes.size(); ++h) {
        if (heads_.count({k, kAttentionHeadSizes[h]}) > 0) add_head(path, k, h);
      }
      if (split_.count(k) > 0) add_backward(path, k);
      knobs_.push_back(size(
          path + ".half_length", c_,
          [k](const Cluster& c) { return efficiency(c).attention[k].half_length; }, 1e6,
          [k](Cluster& c, double v) { efficiency(c).attention[k].half_length = v; }));
    }
  }

  KnobPath forward_path(const std::string& path, AttentionKernel k, std::size_t h) const {
    return {path + ".forward." + std::to_string(kAttentionHeadSizes[h]), kNone,
            [k, h](const Cluster& c) { return efficiency(c).attention[k].forward[h]; }};
  }

  KnobPath backward_path(const std::string& path, AttentionKernel k, std::size_t h) const {
    return {path + ".backward." + std::to_string(kAttentionHeadSizes[h]), kNone,
            [k, h](const Cluster& c) { return efficiency(c).attention[k].backward[h]; }};
  }

  void add_head(const std::string& path, AttentionKernel k, std::size_t h) {
    const AttentionCurve before = e().attention[k];
    Knob knob{{forward_path(path, k, h), backward_path(path, k, h)},
              before.forward[h],
              kShareSpread,
              kLeastFraction,
              1,
              false,
              [k, h, before](Cluster& c, double v) {
                AttentionCurve& a = efficiency(c).attention[k];
                a.forward[h] = v;
                a.backward[h] = std::min(1.0, before.backward[h] * v / before.forward[h]);
              }};
    knobs_.push_back(std::move(knob));
  }

  // After the knobs of head sizes, because it multiplies them, for the measured head sizes.
  void add_backward(const std::string& path, AttentionKernel k) {
    std::vector<std::size_t> measured;
    for (std::size_t h = 0; h < kAttentionHeadSizes.size(); ++h) {
      if (heads_.count({k, kAttentionHeadSizes[h]}) > 0) measured.push_back(h);
    }
    if (measured.empty()) return;
    Knob knob{{}, 1, kShareSpread, 0.1, 10, false, [k, measured](Cluster& c, double v) {
                ByHeadSize& backward = efficiency(c).attention[k].backward;
                for (const std::size_t h : measured) backward[h] = std::min(1.0, backward[h] * v);
              }};
    for (const std::size_t h : measured) knob.paths.push_back(backward_path(path, k, h));
    knobs_.push_back(std::move(knob));
  }

  void add_host_link() {
    constexpr double kMostRate = 1e15;
    const auto rate = [](const Cluster& c) { return c.device.host_link.bandwidth.si(); };
    knobs_.push_back(
        {{{"device.host_link.bandwidth", kBytes - kSeconds, rate}},
         rate(c_),
         kShareSpread,
         1,
         kMostRate,
         false,
         [](Cluster& c, double v) { c.device.host_link.bandwidth = BytesPerSecond(v); }});
    knobs_.push_back(duration(
        "device.host_link.latency", c_,
        [](const Cluster& c) { return c.device.host_link.latency.si(); },
        [](Cluster& c, double v) { c.device.host_link.latency = Seconds(v); }));
  }

  void add_tier(std::size_t i) {
    const Tier& t = c_.tiers[i];
    const std::string path = "tiers." + std::string(t.name.view());
    // The rate of a switch is never below a ring's share of the same links.
    const double middle = std::sqrt(t.efficiency * t.reduction_efficiency);
    Knob rate = share(
        path + ".efficiency", c_, [i](const Cluster& c) { return c.tiers[i].efficiency; },
        [i](Cluster& c, double v) { c.tiers[i].efficiency = v; });
    rate.lowest = kLeastEfficiency;
    if (t.in_network_reduction) rate.highest = std::min(1.0, middle);
    knobs_.push_back(std::move(rate));
    for (const auto& [name, member] :
         {std::pair{"latency", &Tier::latency}, std::pair{"launch", &Tier::launch},
          std::pair{"ramp", &Tier::ramp}}) {
      add_time(path + "." + name, i, member);
    }
    if (!t.in_network_reduction) return;
    Knob reduction = share(
        path + ".reduction_efficiency", c_,
        [i](const Cluster& c) { return c.tiers[i].reduction_efficiency; },
        [i](Cluster& c, double v) { c.tiers[i].reduction_efficiency = v; });
    reduction.lowest = middle;
    reduction.highest = kMostReduction;
    knobs_.push_back(std::move(reduction));
    add_time(path + ".reduction_latency", i, &Tier::reduction_latency);
  }

  void add_time(const std::string& path, std::size_t i, Seconds Tier::*member) {
    knobs_.push_back(duration(
        path, c_, [i, member](const Cluster& c) { return (c.tiers[i].*member).si(); },
        [i, member](Cluster& c, double v) { c.tiers[i].*member = Seconds(v); }));
  }

  // Infers the case of misalignment() from the factor that it returns.
  static constexpr DeviceEfficiency probe() {
    DeviceEfficiency e;
    e.misaligned_64 = 2;
    e.misaligned_8 = 3;
    return e;
  }

  const std::vector<Measurement>& points_;
  const Cluster& c_;
  DeviceEfficiency probe_ = probe();
  std::vector<Knob> knobs_;
  std::set<Precision> precisions_;
  std::set<std::pair<AttentionKernel, std::int64_t>> heads_;
  std::set<AttentionKernel> split_;  // kernels with passes timed apart
  std::set<std::size_t> tiers_;
  bool grouped_ = false;
  bool odd_64_ = false;
  bool odd_8_ = false;
  bool bytes_ = false;
  bool launches_ = false;
  bool copies_ = false;
};

double x_of(const Knob& k, double value) {
  const double ratio = k.is_factor ? (value - 1) / (k.prior - 1) : value / k.prior;
  constexpr double kFar = 20;
  return ratio > 0 ? std::log(ratio) / k.spread : -kFar;
}

}  // namespace

double value_at(const Knob& k, double x) {
  const double scale = std::exp(x * k.spread);
  const double value = k.is_factor ? 1 + (k.prior - 1) * scale : k.prior * scale;
  return std::clamp(value, k.lowest, k.highest);
}

KnobBounds bounds_of(const Knob& k) {
  constexpr double kFarthest = 6;  // deviations
  return {std::max(-kFarthest, x_of(k, k.lowest)), std::min(kFarthest, x_of(k, k.highest))};
}

std::vector<Knob> knobs_for(const std::vector<Measurement>& points, const Cluster& cluster) {
  return Maker(points, cluster).make();
}

}  // namespace orrery
