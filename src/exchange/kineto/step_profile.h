// SPDX-License-Identifier: Apache-2.0
//
// Where the time of a Kineto trace goes on its GPU: computing, communication that nothing hides,
// copies that nothing hides, nothing at all; the kernels that took most of it; and what the host
// did meanwhile that a GPU waits for.
//
// The time is from the first to the last work of the GPU, of the device with most work where a
// trace has several. Kernels named nccl or rccl communicate, all others compute; a copy is one of
// memory to or from the host or on the device. Work of several streams counts once where it
// overlaps, as computing before communication before copies. The host: loading of data (PyTorch's
// "enumerate(DataLoader)"), allocations of the driver, synchronisations, summed over its threads.
// A gap between work is theirs as far as the host loads or allocates meanwhile; the rest of one in
// which a synchronisation ends, so that the host had queued nothing, is the synchronisation's.
// Steps are "ProfilerStep#" marks; their time is the median. Leaves out what a kernel of
// NCCL itself waits for: its time is from its launch to the last rank's arrival and end.
// Units: seconds. Errors: InputError where the file is no whole trace or holds no work of a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "orrery/quantity.h"

namespace orrery {

enum class HostWait : std::uint8_t { data, allocation, synchronisation };
constexpr EnumNames<HostWait> names_of(HostWait) {
  return {"data", "allocation", "synchronisation"};
}

struct HostCalls {
  Seconds time{};
  std::int64_t calls = 0;
  Seconds idle{};  // of the GPU
};

struct KernelTime {
  std::string name;
  Seconds time{};
  std::int64_t calls = 0;
};

struct StepProfile {
  std::string gpu;         // as the trace names it; "": it does not
  std::int64_t steps = 0;  // marked
  std::optional<Seconds> step_time;
  Seconds span{};
  Seconds computing{};
  Seconds communicating{};          // hidden or not
  Seconds exposed_communication{};  // beside no computing
  Seconds exposed_copies{};         // beside neither
  Seconds idle{};
  std::int64_t kernels = 0;
  Seconds median_kernel{};
  std::vector<KernelTime> largest;  // by name, the most time first
  EnumArray<HostWait, HostCalls> host;
};

StepProfile read_step_profile(std::string_view text, const std::string& file);

}  // namespace orrery
