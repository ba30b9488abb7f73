// SPDX-License-Identifier: Apache-2.0
//
// Functions that the page never calls, in place of the sources that cmake/wasm leaves out.
#include "core/error.h"
#include "exchange/chakra/chakra.h"
#include "exchange/logs/training_log.h"
#include "exchange/machine/facts.h"
#include "exchange/simai/simai.h"
#include "exchange/snapshot/memory_snapshot.h"

namespace orrery {

TrainingLog read_training_log(std::string_view /*text*/, const std::string& file) {
  throw InputError(file, "", "a log of training", "`orrery --observed`, outside the page");
}

std::string memory_snapshot(const Simulation& /*s*/) {
  throw InputError("", "memory_snapshot", "a snapshot of PyTorch's allocator",
                   "`orrery simulate --memory-snapshot`, outside the page");
}

namespace machine {
namespace {

[[noreturn]] void refuse(const ForeignFile& file, const char* what) {
  throw InputError(file.name, "", what, "`orrery import`, outside the page");
}

constexpr const char* kFabric = "a description of a fabric";

}  // namespace

MachineFacts read_smi(const ForeignFile& file) { refuse(file, "lists of nvidia-smi"); }
MachineFacts read_ibnetdiscover(const ForeignFile& file) { refuse(file, kFabric); }
MachineFacts read_slurm(const ForeignFile& file) { refuse(file, kFabric); }
MachineFacts read_topograph(const ForeignFile& file) { refuse(file, kFabric); }

}  // namespace machine

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
