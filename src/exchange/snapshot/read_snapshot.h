// SPDX-License-Identifier: Apache-2.0
//
// A snapshot of PyTorch's CUDA allocator, as torch.cuda.memory._dump_snapshot() pickles it: what
// each GPU held when it was taken, the most that its recorded history held, and by which lines of
// the program (PyTorch's csrc/cuda/memory_snapshot: segments with their blocks,
// device_traces with alloc, free_requested and oom).
//
// Tensors' bytes are those of blocks in state active_allocated. Before the snapshot an allocation
// of the history takes its bytes away and a free gives them back, so the peak is exact within the
// history. A line of the program is the first frame of an allocation's stack that is not PyTorch's
// own. Leaves out streams, private pools, memory beside the allocator. Units: bytes. Errors:
// InputError for a pickle that is no snapshot, or one whose parts repeat beyond its length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

// Memory that one line of the program held at the peak.
struct HeldMemory {
  std::string where;  // "train.py:120 forward"
  Bytes size{};
  std::int64_t blocks = 0;
};

struct SnapshotDevice {
  std::int64_t device = 0;
  Bytes reserved{};
  Bytes allocated{};
  Bytes peak_allocated{};      // allocated, without a history
  Bytes largest_free{};        // one piece of what is reserved and not allocated
  std::optional<Bytes> asked;  // by the last allocation that failed
  std::optional<Bytes> free;   // of the device, then
  std::int64_t failures = 0;
  std::vector<HeldMemory> holders;  // at the peak, the largest first
};

// The devices that hold anything, in the order of their numbers.
std::vector<SnapshotDevice> read_memory_snapshot(std::string_view bytes, const std::string& file);

}  // namespace orrery
