// SPDX-License-Identifier: Apache-2.0
// The host's side of measuring, against a device and a clock that are made up.
#include "calibrate/bench.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

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
  std::string clocks() override { return "1000 MHz"; }

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
  const MeasurementSet set = measure(work, device, {Seconds(1e9)});
  CHECK(set.points.size() > 100);
  for (const Measurement& m : set.points) {
    CAPTURE(curve_of(m));
    CHECK(m.timed.time.si() == doctest::Approx(true_time(m)).epsilon(0.01));
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
  measure({launch}, device, {Seconds(1e9)});
  CHECK(device.most_times >= 400);
  CHECK(device.most_times <= 1000);
}

TEST_CASE("samples are taken until the spread is known, more where it is wide") {
  Measurement launch;
  launch.work = MeasuredLaunch{};
  FakeDevice calm;
  calm.noise = 0.001;
  measure({launch}, calm, {Seconds(1e9)});
  FakeDevice rough;
  rough.noise = 0.03;
  measure({launch}, rough, {Seconds(1e9)});
  CHECK(rough.samples > calm.samples + 5);
  CHECK(rough.samples < 80);
}

TEST_CASE("a budget is kept, and what there is time for covers every kind") {
  FakeDevice device;
  const std::vector<Measurement> work = designed_work(device.facts());
  FakeDevice whole;
  measure(work, whole, {Seconds(1e9)});
  const double budget = whole.clock / 4;
  const MeasurementSet set = measure(work, device, {Seconds(budget)});
  CHECK(set.points.size() < work.size() / 2);
  CHECK(curves(set.points).size() + 2 == curves(work).size());  // all but the host copies
  CHECK(set.left_out.back().find("budget") != std::string::npos);
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
    std::string name = curve_of(m) + m.kernel;
    if (const auto* p = std::get_if<MeasuredProduct>(&m.work)) {
      name += std::to_string(p->shape.groups) + " " + std::to_string(p->shape.m) + " " +
              std::to_string(p->shape.n) + " " + std::to_string(p->shape.k);
    } else {
      name += std::to_string(amount_of(m));
    }
    CHECK(seen.insert(name).second);
  }
  for (const Measurement& m : designed_work(small)) {
    if (const auto* p = std::get_if<MeasuredProduct>(&m.work)) {
      CHECK(product_bytes<double>(p->shape, p->precision).si() < 0.4e9);
    }
  }
}
