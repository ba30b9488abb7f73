// SPDX-License-Identifier: Apache-2.0
// The host's side of measuring, against a device and a clock that are made up.
#include "calibrate/bench.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>

#include "cost/product.h"
#include "support/about.h"

using namespace orrery;

namespace {

// Takes a known time for each work, slower while cold, with a scatter that repeats.
class FakeDevice : public MeasuringDevice {
 public:
  DeviceFacts facts() override {
    return {"Fake", "1", "none", {Precision::bf16, Precision::fp8}, Bytes(64e9), 1};
  }

  std::string prepare(const Measurement& work) override {
    if (std::holds_alternative<MeasuredHostCopy>(work.work)) return "no host";
    if (fails && fails(work)) throw std::runtime_error("out of memory");
    ++prepared;
    runs_of_this = 0;
    one = 2e-6 + amount_of(work) * (counts_bytes(work) ? 1e-12 : 1e-15);
    return "";
  }

  Seconds run(std::int64_t times) override {
    runs_of_this += times;
    ++samples;
    most_times = std::max(most_times, times);
    const double cold = runs_of_this < 4 ? 3.0 / static_cast<double>(runs_of_this) : 1;
    const double turn = std::fmod(0.6180339887498949 * static_cast<double>(samples), 1.0);
    const double took = one * cold * (1 + noise * (2 * turn - 1)) * static_cast<double>(times);
    clock += took;
    return Seconds(took);
  }

  Seconds now() override { return Seconds(clock); }
  ClockReading clocks() override { return {PerSecond(1e9), Watts(), Watts()}; }
  bool is_lost() override { return lost; }

  std::function<bool(const Measurement&)> fails;
  bool lost = false;
  double noise = 0.01;
  double one = 0;
  double clock = 0;
  std::int64_t runs_of_this = 0;
  std::int64_t samples = 0;
  std::int64_t most_times = 0;
  int prepared = 0;
};

double true_time(const Measurement& m) {
  return 2e-6 + amount_of(m) * (counts_bytes(m) ? 1e-12 : 1e-15);
}

std::set<std::string> curves(const std::vector<Measurement>& work) {
  std::set<std::string> names;
  for (const Measurement& m : work) names.insert(curve_of(m));
  return names;
}

}  // namespace

TEST_CASE("times are those of the warm device, with their scatter") {
  FakeDevice device;
  const std::vector<Measurement> work = designed_work(device.facts());
  const MeasurementSet set = measure(work, device, {Seconds(1e9), {}}).set;
  CHECK(set.points.size() > 100);
  for (const Measurement& m : set.points) {
    CAPTURE(curve_of(m));
    CHECK(m.timed.time.si() == testing::about(true_time(m)).epsilon(0.01));
    CHECK(m.timed.spread < 0.02);
    CHECK(m.timed.spread > 1e-4);
  }
  CHECK(set.clocks == "1000 MHz");
  REQUIRE(set.left_out.size() == 1);
  CHECK(set.left_out[0].find("no host") != std::string::npos);
}

TEST_CASE("a short piece of work is run many times between two looks at the clock") {
  FakeDevice device;
  Measurement launch;
  launch.work = MeasuredLaunch{};
  measure({launch}, device, {Seconds(1e9), {}});
  CHECK(device.most_times >= 400);
  CHECK(device.most_times <= 1000);
}

TEST_CASE("samples are taken until the spread is known, more where it is wide") {
  Measurement launch;
  launch.work = MeasuredLaunch{};
  FakeDevice calm;
  calm.noise = 0.001;
  measure({launch}, calm, {Seconds(1e9), {}});
  FakeDevice rough;
  rough.noise = 0.03;
  measure({launch}, rough, {Seconds(1e9), {}});
  CHECK(rough.samples > calm.samples + 5);
  CHECK(rough.samples < 80);
}

TEST_CASE("a budget is kept, and what there is time for covers every kind") {
  FakeDevice device;
  const std::vector<Measurement> work = designed_work(device.facts());
  FakeDevice whole;
  measure(work, whole, {Seconds(1e9), {}});
  const double budget = whole.clock / 4;
  const Bench bench = measure(work, device, {Seconds(budget), {}});
  const MeasurementSet& set = bench.set;
  CHECK(bench.end == BenchEnd::out_of_time);
  CHECK(device.clock < 1.2 * budget);
  CHECK(set.points.size() < work.size() / 2);
  CHECK(curves(set.points).size() + 2 == curves(work).size());  // all but the host copies
  CHECK(set.left_out.back().find("budget") != std::string::npos);
}

TEST_CASE("one piece of work that fails costs itself alone") {
  FakeDevice device;
  const std::vector<Measurement> work = designed_work(device.facts());
  FakeDevice whole;
  const std::size_t all = measure(work, whole, {Seconds(1e9), {}}).set.points.size();
  device.fails = [](const Measurement& m) {
    return curve_of(m) == "norm" && amount_of(m) == 0x1p20;
  };
  const Bench bench = measure(work, device, {Seconds(1e9), {}});
  CHECK(bench.end == BenchEnd::done);
  CHECK(bench.set.points.size() == all - 1);
  const std::string line = "1 of the designed: norm of 1048576 bytes: out of memory";
  CHECK(std::count(bench.set.left_out.begin(), bench.set.left_out.end(), line) == 1);
}

TEST_CASE("a curve that fails again and again is tried three times") {
  FakeDevice device;
  int tried = 0;
  device.fails = [&tried](const Measurement& m) {
    const bool is_it = std::holds_alternative<MeasuredAttention>(m.work) &&
                       curve_of(m) == "cudnn forward, head 128";
    tried += is_it ? 1 : 0;
    return is_it;
  };
  std::vector<std::string> left_out;
  BenchOptions options{Seconds(1e9), {}};
  options.watch.left_out = [&left_out](const Measurement& m, const std::string&) {
    if (std::holds_alternative<MeasuredAttention>(m.work)) left_out.push_back(name_of_work(m));
  };
  const Bench bench = measure(designed_work(device.facts()), device, options);
  CHECK(tried == kMostFailures);
  CHECK(left_out.size() == 6);  // sequences of 512 to 16k
  CHECK(bench.end == BenchEnd::done);
}

TEST_CASE("a lost device ends it, and what was measured stays") {
  FakeDevice device;
  int seen = 0;
  device.fails = [&](const Measurement&) { return device.lost = ++seen == 20; };
  const Bench bench = measure(designed_work(device.facts()), device, {Seconds(1e9), {}});
  CHECK(bench.end == BenchEnd::lost);
  CHECK(bench.set.points.size() == 19);
  CHECK(bench.set.left_out.back().find("lost") != std::string::npos);
}

TEST_CASE("the wish to stop is heard between samples, and drops the work at hand") {
  FakeDevice device;
  std::size_t measured = 0;
  std::int64_t at = 0;
  BenchOptions options{Seconds(1e9), {}};
  options.watch.measured = [&](const Measurement&) { at = ++measured == 7 ? device.samples : at; };
  options.watch.stop = [&] { return at > 0 && device.samples >= at + 4; };
  const Bench bench = measure(designed_work(device.facts()), device, options);
  CHECK(bench.end == BenchEnd::stopped);
  CHECK(bench.set.points.size() == 7);
  CHECK(device.samples == at + 4);
}

TEST_CASE("a clock that stands still is a fault, not a time of nothing") {
  class Still : public FakeDevice {
    Seconds run(std::int64_t) override { return Seconds(0); }
  } device;
  Measurement launch;
  launch.work = MeasuredLaunch{};
  const Bench bench = measure({launch}, device, {Seconds(1e9), {}});
  CHECK(bench.set.points.empty());
  REQUIRE(bench.set.left_out.size() == 1);
  CHECK(bench.set.left_out[0].find("stood still") != std::string::npos);
}

TEST_CASE("of two times that fall with size the smaller was disturbed") {
  MeasurementSet set;
  for (const double bytes : {0x1p20, 0x1p22, 0x1p24}) {
    Measurement m;
    m.work = MeasuredMemory{Bytes(bytes)};
    m.kernel = "copy";
    m.timed = {Seconds(bytes * 1e-12), 0.001};
    set.points.push_back(m);
  }
  leave_out_disturbed(set);
  CHECK(set.points.size() == 3);
  set.points[1].timed.time = Seconds(1);
  leave_out_disturbed(set);
  REQUIRE(set.points.size() == 2);
  CHECK(amount_of(set.points[1]) == 0x1p24);
  REQUIRE(set.left_out.size() == 1);
  CHECK(set.left_out[0].find("4194304") != std::string::npos);
  CHECK_NOTHROW(check_rising(set));
}

TEST_CASE("a check measures a tenth, of every kind") {
  FakeDevice device;
  const std::vector<Measurement> work = designed_work(device.facts());
  const std::vector<Measurement> some = tenth_of(work);
  CHECK(some.size() < work.size() / 5);
  CHECK(curves(some) == curves(work));
}

TEST_CASE("the design has no work twice and nothing that does not fit") {
  FakeDevice device;
  DeviceFacts small = device.facts();
  small.memory = Bytes(1e9);
  std::set<std::string> seen;
  for (const Measurement& m : designed_work(device.facts())) {
    CHECK(seen.insert(name_of_work(m)).second);
  }
  for (const Measurement& m : designed_work(small)) {
    if (const auto* p = std::get_if<MeasuredProduct>(&m.work)) {
      CHECK(product_bytes<double>(p->shape, p->precision).si() < 0.4e9);
    }
  }
}
