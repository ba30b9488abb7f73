// SPDX-License-Identifier: Apache-2.0
//
// A validation file: published, measured runs to compare predictions with.
//
// A JSON array of {"id", "tier", "source", "run", "measured", "unknown", "inferred", "tflops_kind",
// "notes", "repeats"}. Required: id, run and measured. Absent: tier A, a source group named after
// the file, a team named after the group, nothing unknown, FLOP/s of an unknown kind, memory as the
// device shows it. `run` is kept unchanged and read by estimate/resolve.h when the row is judged:
// missing keys take the documented default. Units: step_time_s in seconds, tokens_per_s_per_gpu in
// tokens a second,
// *_tflops_per_gpu in 10¹² FLOP/s, peak_memory_gib in GiB, mfu and hfu as fractions. Errors:
// InputError with file, JSON path, found, allowed and the nearest name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "core/json_fwd.h"
#include "orrery/quantity.h"

namespace orrery {

// A: the source says all that moves time by more than a few percent. B: it lacks something.
enum class RowTier : std::uint8_t { a, b };
constexpr EnumNames<RowTier> names_of(RowTier) { return {"A", "B"}; }

// The FLOPs that a published FLOP/s counts: the model's, or those executed, recompute included.
enum class FlopsKind : std::uint8_t { unknown, model, hardware };
constexpr EnumNames<FlopsKind> names_of(FlopsKind) { return {"unknown", "model", "hardware"}; }

// The meaning of a published memory: used memory on the device, memory held by the framework's
// allocator, or the tensors alone.
enum class MemoryKind : std::uint8_t { device, reserved, allocated };
constexpr EnumNames<MemoryKind> names_of(MemoryKind) { return {"device", "reserved", "allocated"}; }

struct Measured {
  std::optional<Seconds> step_time;
  std::optional<PerSecond> tokens_per_gpu;
  std::optional<FlopsPerSecond> model_rate;     // of one GPU
  std::optional<FlopsPerSecond> hardware_rate;  // of one GPU
  std::optional<double> mfu;
  std::optional<double> hfu;
  std::optional<Bytes> peak_memory;
  MemoryKind memory_kind = MemoryKind::device;
  bool out_of_memory = false;
};

struct RowSource {
  std::string group;
  std::string team;  // who measured: the groups of one team stand or fall together
  std::string title;
  std::string where;
  std::string url;
};

struct Row {
  std::string id;
  RowTier tier = RowTier::a;
  RowSource source;
  KeptJson run;
  Measured measured;
  std::vector<std::string> unknown;   // keys the source does not say
  std::vector<std::string> inferred;  // keys concluded from something else in the source
  FlopsKind flops_kind = FlopsKind::unknown;
  std::string notes;
  std::string repeats;  // id of the row that measures the same run, which alone counts; "": none
  std::string file;
};

std::vector<Row> read_rows(std::string_view text, const std::string& file);

}  // namespace orrery
