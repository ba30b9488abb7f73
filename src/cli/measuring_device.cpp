// SPDX-License-Identifier: Apache-2.0
#include "cli/measuring_device.h"

#ifdef ORRERY_HAS_CUDA
#include "cuda/cuda_device.h"
#endif

namespace orrery {

std::unique_ptr<MeasuringDevice> open_measuring_device(std::string& why_not) {
#ifdef ORRERY_HAS_CUDA
  return open_cuda_device(why_not);
#else
  why_not = "this program was built without ORRERY_CUDA or ORRERY_HIP";
  return nullptr;
#endif
}

}  // namespace orrery
