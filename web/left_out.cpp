// SPDX-License-Identifier: Apache-2.0
//
// Functions that the page never calls, in place of the sources that cmake/wasm leaves out.
#include "core/error.h"
#include "exchange/chakra/chakra.h"
#include "exchange/simai/simai.h"
#include "exchange/snapshot/memory_snapshot.h"

namespace orrery {

std::string memory_snapshot(const Simulation& /*s*/) {
  throw InputError("", "memory_snapshot", "a snapshot of PyTorch's allocator",
                   "`orrery simulate --memory-snapshot`, outside the page");
}

std::string why_no_chakra(const Run& /*run*/) { return "in the page"; }
std::string chakra_trace(const Run& /*run*/, const Simulation& /*s*/, std::int64_t /*rank*/) {
  return {};
}
std::string chakra_groups(const Run& /*run*/, const Simulation& /*s*/,
                          const std::vector<std::int64_t>& /*ranks*/) {
  return {};
}

std::string why_no_simai(const Run& /*run*/) { return "in the page"; }
std::string simai_workload(const Run& /*run*/, const Simulation& /*s*/) { return {}; }

}  // namespace orrery
