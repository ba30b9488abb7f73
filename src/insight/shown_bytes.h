// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a device that answers print: the peak, without cached blocks and paged states where
// these fill the device, as they leave when it is full. Units: bytes. Errors: none.
#pragma once

#include "estimate/answer.h"
#include "estimate/run.h"
#include "memory/memory_lines.h"

namespace orrery {

// True of an optimizer whose states are paged.
inline bool pages(const Run& run, const Answer& a) {
  return run.framework.update.paged && a.memory.needed < a.memory.peak;
}

inline Bytes shown_bytes(const Run& run, const Answer& a) {
  return is_filled_by_cache(a.memory) || pages(run, a) ? a.memory.needed : a.memory.peak;
}

}  // namespace orrery
