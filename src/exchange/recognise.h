// SPDX-License-Identifier: Apache-2.0
//
// The tool that a file belongs to, by its text; the file's name does not count.
#pragma once

#include <optional>
#include <string>

#include "exchange/foreign.h"
#include "exchange/tools/tool_book.h"

namespace orrery {

enum class FileKind : std::uint8_t {
  training,  // settings of a training: `format` says whose
  model,     // a config.json of Hugging Face
  machine,   // exchange/machine/machine.h
  other,     // read by another command, or by none
};

// How files of a machine look.
inline constexpr const char* kTopologyMatrix = "nvidia-smi topo -m";
inline constexpr const char* kSmi = "nvidia-smi's list of GPUs";
inline constexpr const char* kNcclTopology = "NCCL's topology";
inline constexpr const char* kLstopo = "lstopo's XML";
inline constexpr const char* kIbnetdiscover = "ibnetdiscover's output";
inline constexpr const char* kSlurmTopology = "Slurm's topology.conf or topology.yaml";
inline constexpr const char* kTopograph = "a topograph model";

// A text that is none of them.
inline constexpr const char* kNoSetting = "text without a setting";

struct Recognised {
  FileKind kind = FileKind::other;
  std::optional<ForeignFormat> format = {};
  std::string looks = {};             // "an NCCL topology"
  std::string advice = {};            // what reads it; "" where nothing does
  const tools::Tool* tool = nullptr;  // of format `tool`
};

// True of packed files, databases and whatever else is no text.
bool is_binary(std::string_view text);

// `tools`: those that are data; their own files say how they are recognised.
Recognised recognise(const ForeignFile& file, const tools::ToolBook& tools = {});

// True of a text that a shell may read: no JSON, YAML, TOML, XML or Python.
bool is_script(const ForeignFile& file);

// InputError: a script that starts a program whose arguments no reader knows.
[[noreturn]] void refuse_program(const ForeignFile& script, const std::string& program);

// InputError: what the file looks like, and what would be read.
[[noreturn]] void refuse_kind(const ForeignFile& file, const Recognised& found);

}  // namespace orrery
