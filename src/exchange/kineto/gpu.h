// SPDX-License-Identifier: Apache-2.0
//
// The work of a GPU from the events of a Kineto trace: kernels, memory sets and copies. Times are
// µs, as in the trace. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"

namespace orrery::detail {

struct GpuWork {
  enum class Kind : std::uint8_t { kernel, memory_set, copy };

  Kind kind = Kind::kernel;
  std::string name;
  double begin = 0;
  double time = 0;
  std::int64_t device = 0;
  std::int64_t stream = 0;
  std::int64_t external = -1;     // id of its operator; -1 unsaid
  std::int64_t correlation = -1;  // with its launch
  std::int64_t bytes = 0;         // of a copy
  Json collective;                // its arguments, of a kernel that has some
  bool beside = false;            // ran while another did
};

// Empty for another category. A malformed time is 0.
std::optional<GpuWork> gpu_work_of(const Json& event);

// "External id", or "external id" as versions before 2.0 spell it.
std::optional<std::int64_t> external_id(const Json& args);

// Work that overlaps on one GPU on different streams, except copies over the host's link.
void mark_beside(std::vector<GpuWork>& work);

}  // namespace orrery::detail
