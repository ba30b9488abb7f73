// SPDX-License-Identifier: Apache-2.0
// The program with a GPU that is made up, for what happens around measuring: rows, resuming,
// Ctrl-C, faults, the fit of what was measured. Its times are those of the H200's document with
// other constants, each work off by up to 2 % of its own; its clock jumps, so that minutes pass at
// once.
//
// ORRERY_FAKE_GPU says what goes wrong, each at the n-th piece of work: "throw=3", "lost=40",
// "stop=20" (Ctrl-C), "kill=30", or "slower=0.7" for a machine at 0.7 of its rates.
#include <csignal>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "calibrate/predict.h"
#include "cli/measuring_device.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "hardware/device_reader.h"
#include "io/files.h"

namespace orrery {
namespace {

constexpr const char* kDocument = ORRERY_CONFIG_DIR "/hardware/devices/h200-sxm-141gb.json";

std::string asked() {
  const char* text = std::getenv("ORRERY_FAKE_GPU");
  return text == nullptr ? "" : text;
}

double asked_for(const std::string& what, double otherwise) {
  const std::string text = asked();
  const std::size_t at = text.find(what + "=");
  return at == std::string::npos ? otherwise
                                 : std::strtod(text.c_str() + at + what.size() + 1, nullptr);
}

Cluster true_machine(double rate) {
  const Json document = parse_json(read_text(kDocument), kDocument);
  Cluster c;
  c.device = read_device(Reader(document, kDocument));
  DeviceEfficiency& e = c.device.efficiency;
  for (double& g : e.gemm) g *= 1.12 * rate;
  e.memory *= 1.05 * rate;
  e.launch = Seconds(2.3e-6);
  e.k_fill *= 1.4;
  for (AttentionCurve& a : e.attention) {
    for (double& f : a.forward) f *= 1.2 * rate;
    for (double& b : a.backward) b *= 1.3 * rate;
  }
  c.device.host_link.bandwidth = c.device.host_link.bandwidth * rate;
  return c;
}

double between(double low, double high, std::size_t seed) {
  const double turn = static_cast<double>((seed * 2654435761U) % 10007U) / 10007.0;
  return low + (high - low) * turn;
}

class FakeGpu : public MeasuringDevice {
 public:
  DeviceFacts facts() override {
    return {"NVIDIA H200 (made up)",
            "driver 0",
            "no library",
            {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8},
            Bytes(140e9),
            1};
  }

  std::string prepare(const Measurement& m) override {
    ++works_;
    if (is_at("throw")) throw std::runtime_error("a product: made to fail");
    if (is_at("lost")) lost_ = true;
    if (is_at("stop")) std::raise(SIGINT);
    if (is_at("kill")) std::raise(SIGKILL);
    if (lost_) throw std::runtime_error("a run: an illegal memory access was encountered");
    seed_ = std::hash<std::string>{}(name_of_work(m));
    one_ = predicted_time(m, machine_).si() * between(0.98, 1.02, seed_);
    return "";
  }

  Seconds run(std::int64_t times) override {
    const double took = one_ * static_cast<double>(times) * between(0.998, 1.002, seed_ + ++runs_);
    now_ += took + 1e-4;
    return Seconds(took);
  }

  Seconds now() override { return Seconds(now_); }
  ClockReading clocks() override {
    return {PerSecond(works_ < 50 ? 1.98e9 : 1.755e9), Watts(690), Watts(700)};
  }
  bool is_lost() override { return lost_; }

 private:
  bool is_at(const std::string& what) const { return asked_for(what, -1) == works_; }

  Cluster machine_ = true_machine(asked_for("slower", 1));
  double one_ = 0;
  double now_ = 0;
  double works_ = 0;
  std::size_t seed_ = 0;
  std::size_t runs_ = 0;
  bool lost_ = false;
};

}  // namespace

std::unique_ptr<MeasuringDevice> open_measuring_device(std::string& why_not) {
  if (asked() != "none") return std::make_unique<FakeGpu>();
  why_not = "none was asked for";
  return nullptr;
}

}  // namespace orrery
