// SPDX-License-Identifier: Apache-2.0
//
// Files of other tools as text, read as `orrery import` reads them, for the tests of the formats.
#pragma once

#include <algorithm>

#include "core/json_path.h"
#include "exchange/import_files.h"
#include "support/runs.h"

namespace orrery::formats {

using testing::json_of;

inline ImportedRun read(std::vector<ForeignFile> files, const char* given = "{}",
                        std::vector<GivenSetting> assumed = {}) {
  return import_files({std::move(files), {}, json_of(given), std::move(assumed)});
}

inline ImportedRun read(const std::string& text, const char* given = "{}") {
  return read({{"a", text}}, given);
}

inline Json at(const ImportedRun& r, const char* path) { return value_at(r.run, path); }

inline bool is_open(const ImportedRun& r, const std::string& key) {
  return std::any_of(r.not_understood.begin(), r.not_understood.end(),
                     [&](const LeftOver& l) { return l.stops && l.key == key; });
}

inline bool stops_at(const ImportedRun& r, const std::string& setting) {
  return std::any_of(r.not_understood.begin(), r.not_understood.end(), [&](const LeftOver& l) {
    return l.stops && l.setting.rfind(setting, 0) == 0;
  });
}

inline constexpr const char* kEight = R"({"cluster": {"gpus": 8}})";

inline const std::string kAxolotl =
    "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nsample_packing: true\n"
    "micro_batch_size: 2\ngradient_accumulation_steps: 4\ngradient_checkpointing: true\n";

}  // namespace orrery::formats
