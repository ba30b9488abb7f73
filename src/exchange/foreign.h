// SPDX-License-Identifier: Apache-2.0
//
// Runs as settings of other training software: Megatron-LM's arguments, DeepSpeed's JSON,
// torchtitan's TOML and command line, Megatron-Bridge's overrides, Accelerate's YAML, a job's
// #SBATCH lines. One file of names for each (names.h), used in both directions.
//
// Reading: settings become keys of a run file. Settings without effect here (a seed, a path),
// unknown ones and defaults are listed. Keys that the format lacks (the cluster; DeepSpeed's model)
// are left out; flags of the command line give them.
//
// Writing: the text, and every key of the run that comes back different when the text is read
// again; nothing is dropped in silence, and a text that would train another run is refused. The run
// that was read is completed from the original (its cluster, its framework, and every key that is
// missing or illegal without it), resolved, and compared key by key with the original.
//
// Units are each format's own; torchtitan's batches in tokens must be whole sequences. Errors:
// InputError that names the setting, for a value of the wrong type, out of range or in conflict
// with another one, and for a run that the format cannot express.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/fact.h"
#include "core/json.h"
#include "exchange/foreign_file.h"
#include "exchange/left_over.h"

namespace orrery {

struct ConfigLookup;
struct ResolvedRun;

// Formats that are also written come first.
enum class ForeignFormat : std::uint8_t {
  megatron,
  deepspeed,
  torchtitan,
  torchtitan_toml,
  bridge,
  accelerate,
  sbatch,
  mlperf,
  nemo,
  primus,
  tool,  // one of configs/tools
};
constexpr EnumNames<ForeignFormat> names_of(ForeignFormat) {
  return {"megatron", "deepspeed", "torchtitan", "torchtitan-toml", "bridge", "accelerate",
          "sbatch",   "mlperf",    "nemo",       "primus",          "tool"};
}
inline constexpr std::size_t kWrittenFormats = 7;

// The tool's own name, with the form of its file.
inline constexpr EnumArray<ForeignFormat, const char*> kToolNames = {
    "Megatron-LM", "DeepSpeed", "torchtitan", "torchtitan", "Megatron-Bridge",        "Accelerate",
    "Slurm",       "MLPerf",    "NeMo",       "Primus",     "a tool of configs/tools"};
constexpr const char* tool_of(ForeignFormat format) { return kToolNames[format]; }

// GPUs as the files of a machine and those of a job say them; 0 where none does.
struct GpuCounts {
  std::int64_t node = 0;      // of the machine
  std::int64_t fabric = 0;    // of all its nodes
  std::int64_t job_node = 0;  // that the training uses of a node

  void add(const GpuCounts& o) {
    for (const auto part : {&GpuCounts::node, &GpuCounts::fabric, &GpuCounts::job_node})
      this->*part = this->*part > o.*part ? this->*part : o.*part;
  }
};

// A size that a tool takes from the model: a share of the square of its width.
struct SizeOfWidth {
  std::string path;     // its key
  std::string setting;  // as written
  std::string why;
  double share = 1;
  bool operator==(const SizeOfWidth&) const = default;
};

struct ImportedRun {
  ForeignFormat format = ForeignFormat::megatron;
  std::string tool = {};  // its name, where the format is `tool`
  std::string file = {};
  Json run = Json::object();  // a run file, or the part of one the text says
  std::vector<Fact> assumed;
  std::vector<std::string> without_effect;  // known to move no number here
  std::vector<LeftOver> ignored;
  std::int64_t checkpointed_every = 0;     // every n-th layer, for fit_import; 0: said by the run
  std::vector<SizeOfWidth> of_width = {};  // for fit_import
  GpuCounts gpus = {};
  bool is_training = false;  // a file of a training is among them, not of a machine or model alone
};

// `given`: the run as far as the command line says it; a format that counts by replica needs the
// GPUs and degrees. `lookup`: of tools that are data.
ImportedRun import_run(ForeignFormat format, std::string_view text, const std::string& file,
                       const Json& given, const ConfigLookup* lookup = nullptr);

// A key of the run that the text does not say, or says otherwise; null: the text says it and the
// run has no such key. `read` is what reading the text gives instead; null: nothing.
struct NotExpressed {
  std::string path;
  Json value;
  Json read = {};
};

struct ExportedRun {
  std::string text;
  std::vector<NotExpressed> not_expressed;
};

// `run` is the run file that `resolved` came from: an inline framework stands only there.
ExportedRun export_run(ForeignFormat format, const ResolvedRun& resolved, const Json& run,
                       const ConfigLookup& lookup);

// The run as resolved, as a run file.
Json run_file(const ResolvedRun& resolved, const Json& run);

// Keys that a run file must have and this one has not.
std::vector<std::string> missing_keys(const Json& run);

// `run` is the run file that `resolved` came from.
std::vector<NotExpressed> not_expressed(const ResolvedRun& resolved, const Json& run,
                                        const Json& imported, const ConfigLookup& lookup);

}  // namespace orrery
