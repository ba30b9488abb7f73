// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "exchange/machine/machine.h"
#include "exchange/recognise.h"

namespace orrery {
namespace {

struct MachineReader {
  std::string_view looks;
  MachineFacts (*read)(const ForeignFile& file);
};
constexpr std::array kReaders = {
    MachineReader{kTopologyMatrix, machine::read_topology_matrix},
    MachineReader{kSmi, machine::read_smi},
    MachineReader{kNcclTopology, machine::read_nccl_xml},
    MachineReader{kLstopo, machine::read_lstopo},
    MachineReader{kIbnetdiscover, machine::read_ibnetdiscover},
    MachineReader{kSlurmTopology, machine::read_slurm},
    MachineReader{kTopograph, machine::read_topograph},
};

}  // namespace

// One file with a matrix and with a list, which may be of one card (nvidia-smi nvlink --status -i
// 0, rocm-smi -d 0): the matrix counts, the list says which GPU.
static std::optional<MachineFacts> read_both(const ForeignFile& file, const Recognised& r) {
  if (r.looks != kSmi || !machine::has_matrix(file)) return {};
  MachineFacts out = machine::read_topology_matrix(file);
  const MachineFacts list = machine::read_smi(file);
  out.device = list.device;
  if (list.gpus > 1 && list.gpus != out.gpus)
    out.left.push_back({std::to_string(list.gpus) + " GPUs in a list",
                        std::to_string(out.gpus) + " in the matrix beside it", "", true});
  return out;
}

MachineFacts read_machine(const ForeignFile& file) {
  const Recognised r = recognise(file);
  if (auto both = read_both(file, r)) return *std::move(both);
  for (const MachineReader& reader : kReaders) {
    if (reader.looks == r.looks) return reader.read(file);
  }
  refuse_kind(file, r);
}

}  // namespace orrery
