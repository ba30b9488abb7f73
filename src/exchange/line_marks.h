// SPDX-License-Identifier: Apache-2.0
//
// Logs, results of measurements and lists of machines, by a part of one of their lines.
#pragma once

#include <array>
#include <string_view>

#include "exchange/machine/products.h"
#include "exchange/recognise.h"

namespace orrery {

// Texts of lines, by what one of their lines holds.
struct LineMark {
  std::string_view part;
  FileKind kind;
  const char* looks;
  const char* advice;
};
inline constexpr const char* kCalibrate = "orrery calibrate fit reads it";
inline constexpr const char* kDiagnose = "orrery diagnose and orrery calibrate fit read it";
inline constexpr const char* kObserved =
    "orrery diagnose reads it, and --observed FILE of orrery estimate its steps";
inline constexpr const char* kMachineFiles =
    "of a machine: nvidia-smi topo -m, nvidia-smi -L, rocm-smi --showtopo and --showproductname, "
    "amd-smi topology, NCCL's or lstopo's XML, ibnetdiscover, Slurm's topology.conf";
inline constexpr std::array kLines = {
    LineMark{"- arguments -", FileKind::training, "", ""},
    LineMark{":::MLLOG", FileKind::other, "an MLPerf log", kObserved},
    LineMark{"# nThread", FileKind::other, "a result of nccl-tests", kDiagnose},
    LineMark{"out-of-place", FileKind::other, "a result of nccl-tests", kDiagnose},
    LineMark{"Avg bus bandwidth", FileKind::other, "a result of nccl-tests", kDiagnose},
    LineMark{"SwitchName=", FileKind::machine, kSlurmTopology, ""},
    LineMark{"BlockName=", FileKind::machine, kSlurmTopology, ""},
    LineMark{"switchname=", FileKind::machine, kSlurmTopology, ""},
    LineMark{"blockname=", FileKind::machine, kSlurmTopology, ""},
    LineMark{"- topology:", FileKind::machine, kSlurmTopology, ""},
    LineMark{"switchguid=", FileKind::machine, kIbnetdiscover, ""},
    LineMark{"caguid=", FileKind::machine, kIbnetdiscover, ""},
    LineMark{"NVSMI LOG", FileKind::machine, kSmi, ""},
    LineMark{"(UUID: GPU-", FileKind::machine, kSmi, ""},
    LineMark{kAmdProduct, FileKind::machine, kSmi, ""},
    LineMark{kAmdOlderProduct, FileKind::machine, kSmi, ""},
    LineMark{"memory.total [MiB]", FileKind::machine, kSmi, ""},
    LineMark{"pcie.link.", FileKind::machine, kSmi, ""},
    LineMark{"CPU Affinity", FileKind::machine, kTopologyMatrix, ""},
    LineMark{"LINK TYPE TABLE", FileKind::machine, kTopologyMatrix, ""},
    LineMark{"HSA System Attributes", FileKind::other, "rocminfo's list of agents", kMachineFiles},
    LineMark{"hca_id:", FileKind::other, "ibv_devinfo's list of adapters", kMachineFiles},
    LineMark{"CA 'mlx", FileKind::other, "ibstat's list of adapters", kMachineFiles},
    LineMark{"NUMA node0 CPU(s)", FileKind::other, "lscpu's processors", kMachineFiles},
    LineMark{"node distances:", FileKind::other, "numactl's memory nodes", kMachineFiles},
    LineMark{"3D controller: ", FileKind::other, "lspci's devices", kMachineFiles},
    LineMark{"Processing accelerators: ", FileKind::other, "lspci's devices", kMachineFiles},
    LineMark{"KFD_ID:", FileKind::other, "amd-smi's list of GPUs",
             "amd-smi topology, whose table of links is read"},
    LineMark{"elapsed time per iteration", FileKind::other, "a log of Megatron-LM", kObserved},
    LineMark{"CurrSamplesPerSec=", FileKind::other, "a log of DeepSpeed", kObserved},
    LineMark{"'train_runtime':", FileKind::other, "a log of Hugging Face's Trainer", kObserved},
    LineMark{"{'loss':", FileKind::other, "a log of Hugging Face's Trainer", kObserved},
    LineMark{"train_step_timing in s", FileKind::other, "a log of NeMo", kObserved},
    LineMark{"tokens_per_second_per_gpu:", FileKind::other, "a log of torchtune", kObserved},
    LineMark{"time_per_iteration_ms:", FileKind::other, "a log of nanotron", kObserved},
    LineMark{"completed step:", FileKind::other, "a log of MaxText", kObserved},
    LineMark{"\"current_steps\":", FileKind::other, "a log of LLaMA-Factory", kObserved},
    LineMark{"tps: ", FileKind::other, "a log of torchtitan", kObserved},
    LineMark{"throughput/device/", FileKind::other, "a log of OLMo", kObserved},
    LineMark{"| NVIDIA-SMI", FileKind::machine, kSmi, ""},
    LineMark{"NCCL INFO", FileKind::other, "a log of NCCL", ""},
};

}  // namespace orrery
