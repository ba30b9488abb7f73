// SPDX-License-Identifier: Apache-2.0
//
// Links that NCCL chose, as NCCL_DEBUG=INFO prints them (NVIDIA/nccl, src/transport/net*.cc,
// p2p.cc, shm.cc; RCCL prints the same): "Using network Socket", "NET/IB : No device found",
// "Failed to open libibverbs.so", "via P2P/IPC", "via SHM/direct", "via NET/IB/0/GDRDMA", and
// variables "set by environment to". Leaves out the graph of links and the tuner's choices. Errors:
// none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/enum_names.h"

namespace orrery {

enum class NcclNetwork : std::uint8_t { tcp, infiniband, plugin };
constexpr EnumNames<NcclNetwork> names_of(NcclNetwork) { return {"tcp", "infiniband", "plugin"}; }

// Why it is TCP, as far as the lines say.
enum class NoInfiniband : std::uint8_t { unknown, no_library, no_device, switched_off };
constexpr EnumNames<NoInfiniband> names_of(NoInfiniband) {
  return {"unknown", "no_library", "no_device", "switched_off"};
}

struct NcclSetup {
  std::optional<NcclNetwork> network;  // between nodes; nothing where no line says it
  NoInfiniband why = NoInfiniband::unknown;
  std::string network_line;   // that says so, without its host and process
  bool through_host = false;  // GPUs of a node send by way of host memory, none to another directly
  bool peer_off = false;      // as a variable asks
  std::string host_line;
};

// Nothing of a text that says neither.
std::optional<NcclSetup> read_nccl_setup(std::string_view text);

}  // namespace orrery
