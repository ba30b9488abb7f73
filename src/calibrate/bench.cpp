// SPDX-License-Identifier: Apache-2.0
#include "calibrate/bench.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <stdexcept>

#include "calibrate/scatter.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr double kAgree = 0.05;  // of two warm-up timings
constexpr int kMostWarmUps = 20;
constexpr double kResolved = 1e-3;  // least seconds of a sample
constexpr double kMostRuns = 100'000;
constexpr std::size_t kFewestSamples = 5;
constexpr std::size_t kMostSamples = 50;
constexpr double kLeastScatter = 1e-4;
constexpr PerSecond kMegahertz{kMega};
constexpr double kMedianOverMean = 1.2533;  // uncertainty of a median over that of a mean, √(π/2)

// The clocks while products ran; "" if the device cannot tell.
class ClockLog {
 public:
  void add(const ClockReading& r) {
    if (r.clock <= PerSecond()) return;
    lowest_ = lowest_ == PerSecond() ? r.clock : std::min(lowest_, r.clock);
    highest_ = std::max(highest_, r.clock);
    power_ = std::max(power_, r.power);
    limit_ = std::max(limit_, r.limit);
  }
  std::string text() const {
    if (highest_ == PerSecond()) return "";
    std::string text = shortest(lowest_ / kMegahertz);
    if (highest_ > lowest_) text += " to " + shortest(highest_ / kMegahertz);
    text += " MHz";
    if (power_ > Watts()) text += ", up to " + shortest(std::round(power_.si())) + " W";
    if (limit_ > Watts()) text += " of " + shortest(std::round(limit_.si())) + " W";
    return text;
  }

 private:
  PerSecond lowest_{};
  PerSecond highest_{};
  Watts power_{};
  Watts limit_{};
};

class Bencher {
 public:
  Bencher(MeasuringDevice& device, const BenchOptions& options)
      : device_(device), watch_(options.watch), end_(device.now() + options.budget) {}

  Bench run(const std::vector<Measurement>& work) {
    const DeviceFacts facts = device_.facts();
    out_.set.driver = facts.driver;
    out_.set.library = facts.library;
    for (const std::size_t i : covering_order(work)) {
      if (!goes_on()) break;
      take(work[i]);
    }
    out_.set.clocks = clocks_.text();
    list_what_is_left(work.size());
    leave_out_disturbed(out_.set);
    return std::move(out_);
  }

 private:
  bool goes_on() {
    if (out_.end == BenchEnd::done && wants_stop()) out_.end = BenchEnd::stopped;
    if (out_.end == BenchEnd::done && device_.now() > end_) out_.end = BenchEnd::out_of_time;
    return out_.end == BenchEnd::done;
  }

  bool wants_stop() const { return watch_.stop && watch_.stop(); }

  void take(const Measurement& work) {
    const std::string curve = curve_of(work);
    if (failures_[curve] >= kMostFailures) {
      return leave_out(
          work, curve + ": left out after " + std::to_string(kMostFailures) + " that failed");
    }
    if (watch_.begun) watch_.begun(work);
    std::string why;
    try {
      why = device_.prepare(work);
      if (why.empty()) return time(work);
    } catch (const std::exception& e) {
      why = name_of_work(work) + ": " + e.what();
      ++failures_[curve];
      if (device_.is_lost()) out_.end = BenchEnd::lost;
    }
    leave_out(work, why);
  }

  void time(Measurement work) {
    if (!sample(work.timed)) return;
    if (std::holds_alternative<MeasuredProduct>(work.work)) clocks_.add(device_.clocks());
    out_.set.points.push_back(work);
    if (watch_.measured) watch_.measured(work);
  }

  void leave_out(const Measurement& work, const std::string& why) {
    ++left_out_[why];
    if (watch_.left_out) watch_.left_out(work, why);
  }

  // Seconds of one run, each sample checked: no clock of a GPU stands still.
  double run_of(std::int64_t times) {
    const double took = device_.run(times).si() / static_cast<double>(times);
    if (!(took > 0) || !std::isfinite(took)) throw std::runtime_error("the clock stood still");
    return took;
  }

  // Runs until caches, clocks and lazy loading have settled; returns the last timing of one run.
  double warm_up() {
    double before = run_of(1);
    for (int i = 0; i < kMostWarmUps && device_.now() <= end_; ++i) {
      const double now = run_of(1);
      const bool settled = std::abs(now / before - 1) < kAgree;
      before = now;
      if (settled) break;
    }
    return before;
  }

  // False if a request to stop came first.
  bool sample(TimedWork& timed) {
    const double runs = std::ceil(kResolved / warm_up());
    const auto times = static_cast<std::int64_t>(std::min(std::max(runs, 1.0), kMostRuns));
    std::vector<double> samples;
    double scatter = 0;
    while (samples.size() < kMostSamples) {
      if (wants_stop()) return false;
      samples.push_back(run_of(times));
      if (samples.size() < kFewestSamples) continue;
      const double median = median_of(samples);
      scatter = scatter_of(samples, median);
      const double uncertain =
          kMedianOverMean * scatter / std::sqrt(static_cast<double>(samples.size()));
      if (uncertain < kEnough || device_.now() > end_) break;
    }
    timed = {Seconds(median_of(samples)), std::max(scatter, kLeastScatter)};
    return true;
  }

  void list_what_is_left(std::size_t designed) {
    std::size_t unmeasured = designed - out_.set.points.size();
    for (const auto& [why, count] : left_out_) {
      out_.set.left_out.push_back(std::to_string(count) + " of the designed: " + why);
      unmeasured -= count;
    }
    if (unmeasured == 0) return;
    const char* why = out_.end == BenchEnd::lost      ? " after the device was lost"
                      : out_.end == BenchEnd::stopped ? " when it was stopped"
                                                      : " that the budget left no time for";
    out_.set.left_out.push_back(std::to_string(unmeasured) + why);
  }

  MeasuringDevice& device_;
  const BenchWatch& watch_;
  Seconds end_;
  Bench out_;
  ClockLog clocks_;
  std::map<std::string, int> failures_;          // by curve
  std::map<std::string, std::size_t> left_out_;  // by reason
};

}  // namespace

Bench measure(const std::vector<Measurement>& work, MeasuringDevice& device,
              const BenchOptions& options) {
  return Bencher(device, options).run(work);
}

}  // namespace orrery
