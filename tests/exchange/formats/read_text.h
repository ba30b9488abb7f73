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

// A small model by Megatron-LM; `launcher` says the GPUs.
inline std::string small_megatron(const std::string& launcher, const std::string& more) {
  return launcher +
         " pretrain_gpt.py --num-layers 10 --hidden-size 64"
         " --num-attention-heads 4 --seq-length 32 --max-position-embeddings 32"
         " --micro-batch-size 1 --global-batch-size 16 --vocab-size 100 " +
         more + "\n";
}

inline std::string started_megatron(const std::string& more) {
  return small_megatron("torchrun --nproc_per_node 8", more);
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

// Named without an effect.
inline bool is_named(const ImportedRun& r, const std::string& setting) {
  return std::any_of(r.not_understood.begin(), r.not_understood.end(), [&](const LeftOver& l) {
    return !l.stops && l.setting.find(setting) != std::string::npos;
  });
}

inline constexpr const char* kEight = R"({"cluster": {"gpus": 8}})";

inline const std::string kAxolotl =
    "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nsample_packing: true\n"
    "micro_batch_size: 2\ngradient_accumulation_steps: 4\ngradient_checkpointing: true\n";

}  // namespace orrery::formats
