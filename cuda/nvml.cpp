// SPDX-License-Identifier: Apache-2.0
// NVML by its names at run time: toolkits come without its header. Its C interface is kept stable
// (docs.nvidia.com/deploy/nvml-api).
#include "cuda/nvml.h"

#include <dlfcn.h>

namespace orrery {
namespace {

using Init = int (*)();
using Handle = int (*)(unsigned, void**);
using Clock = int (*)(void*, int, unsigned*);
using Power = int (*)(void*, unsigned*);

constexpr int kMultiprocessorClock = 1;

template <class F>
F symbol(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

}  // namespace

std::string clocks_and_power(unsigned device) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_LAZY);
  if (library == nullptr) return "";
  const auto init = symbol<Init>(library, "nvmlInit_v2");
  const auto handle = symbol<Handle>(library, "nvmlDeviceGetHandleByIndex_v2");
  const auto clock = symbol<Clock>(library, "nvmlDeviceGetClockInfo");
  const auto power = symbol<Power>(library, "nvmlDeviceGetPowerUsage");
  void* found = nullptr;
  unsigned megahertz = 0;
  unsigned milliwatts = 0;
  const bool ok = init != nullptr && handle != nullptr && clock != nullptr && power != nullptr &&
                  init() == 0 && handle(device, &found) == 0 &&
                  clock(found, kMultiprocessorClock, &megahertz) == 0 &&
                  power(found, &milliwatts) == 0;
  return ok ? std::to_string(megahertz) + " MHz, " + std::to_string(milliwatts / 1000) + " W" : "";
}

}  // namespace orrery
