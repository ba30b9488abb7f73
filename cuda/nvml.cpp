// SPDX-License-Identifier: Apache-2.0
// NVML by its names at run time: toolkits come without its header. Its C interface is kept stable
// (docs.nvidia.com/deploy/nvml-api).
#include "cuda/nvml.h"

#include <dlfcn.h>

#include <array>

namespace orrery {
namespace {

using Init = int (*)();
using Version = int (*)(char*, unsigned);
using Handle = int (*)(const char*, void**);
using Clock = int (*)(void*, int, unsigned*);
using Power = int (*)(void*, unsigned*);

constexpr int kMultiprocessorClock = 1;

// Opened once; null where there is none.
void* library() {
  static void* const opened = [] {
    void* found = dlopen("libnvidia-ml.so.1", RTLD_LAZY);
    if (found == nullptr) return found;
    const auto init = reinterpret_cast<Init>(dlsym(found, "nvmlInit_v2"));
    return init != nullptr && init() == 0 ? found : nullptr;
  }();
  return opened;
}

template <class F>
F symbol(const char* name) {
  return library() == nullptr ? nullptr : reinterpret_cast<F>(dlsym(library(), name));
}

// 0 where it cannot be read.
double milliwatts(const char* name, void* device) {
  const auto power = symbol<Power>(name);
  unsigned value = 0;
  return power != nullptr && power(device, &value) == 0 ? value : 0;
}

}  // namespace

std::string driver_version() {
  const auto version = symbol<Version>("nvmlSystemGetDriverVersion");
  std::array<char, 96> text{};
  const bool ok = version != nullptr && version(text.data(), text.size()) == 0;
  return ok ? text.data() : "";
}

ClockReading clocks_and_power(const std::string& bus) {
  const auto handle = symbol<Handle>("nvmlDeviceGetHandleByPciBusId_v2");
  const auto clock = symbol<Clock>("nvmlDeviceGetClockInfo");
  void* device = nullptr;
  unsigned megahertz = 0;
  const bool ok = handle != nullptr && clock != nullptr && handle(bus.c_str(), &device) == 0 &&
                  clock(device, kMultiprocessorClock, &megahertz) == 0;
  if (!ok) return {};
  constexpr PerSecond kMegahertz{kMega};
  return {static_cast<double>(megahertz) * kMegahertz,
          Watts(milliwatts("nvmlDeviceGetPowerUsage", device) * kMilli),
          Watts(milliwatts("nvmlDeviceGetEnforcedPowerLimit", device) * kMilli)};
}

}  // namespace orrery
