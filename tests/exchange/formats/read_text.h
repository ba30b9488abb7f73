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
  static const tools::ToolBook tools(testing::shipped_configs());
  ImportJob job;
  job.files = std::move(files);
  job.given = json_of(given);
  job.assumed = std::move(assumed);
  job.tools = tools;
  return import_files(std::move(job));
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
  return std::any_of(r.ignored.begin(), r.ignored.end(),
                     [&](const LeftOver& l) { return l.is_refused && l.key == key; });
}

inline bool refuses_at(const ImportedRun& r, const std::string& setting) {
  return std::any_of(r.ignored.begin(), r.ignored.end(), [&](const LeftOver& l) {
    return l.is_refused && l.setting.rfind(setting, 0) == 0;
  });
}

// Named without an effect.
inline bool is_named(const ImportedRun& r, const std::string& setting) {
  return std::any_of(r.ignored.begin(), r.ignored.end(), [&](const LeftOver& l) {
    return !l.is_refused && l.setting.find(setting) != std::string::npos;
  });
}

inline constexpr const char* kEight = R"({"cluster": {"gpus": 8}})";

inline const std::string kAxolotl =
    "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nsample_packing: true\n"
    "micro_batch_size: 2\ngradient_accumulation_steps: 4\ngradient_checkpointing: true\n";

inline bool assumes(const ImportedRun& r, const std::string& path) {
  return std::any_of(r.assumed.begin(), r.assumed.end(),
                     [&](const Fact& a) { return a.path == path; });
}

inline std::string two_nodes(const std::string& more) {
  return small_megatron("torchrun --nproc_per_node 8 --nnodes 2", more);
}

inline std::string import_error(const std::string& name, const std::string& text) {
  try {
    read({{name, text}});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

inline const std::string kQwenTrainer =
    "model_name_or_path: Qwen/Qwen3-4B\nper_device_train_batch_size: 2\nmax_length: 1024\n"
    "packing: true\n";

inline const std::string kFactory =
    "model_name_or_path: meta-llama/Meta-Llama-3-8B\nstage: sft\ndo_train: true\ncutoff_len: 512\n"
    "per_device_train_batch_size: 1\ngradient_accumulation_steps: 1\nbf16: true\n";

inline bool has_word(const ImportedRun& r, const std::string& word) {
  return std::any_of(r.ignored.begin(), r.ignored.end(), [&](const LeftOver& l) {
    return (l.setting + " " + l.why).find(word) != std::string::npos;
  });
}

inline const std::string kLargeModel =
    " --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --bf16 "
    "--global-batch-size 128 --vocab-size 50304 ";

inline const std::string kPackedTrainer =
    "model_name_or_path: meta-llama/Meta-Llama-3-8B\nper_device_train_batch_size: 2\n"
    "gradient_accumulation_steps: 4\nbf16: true\nmax_seq_length: 1024\npacking: true\n";

}  // namespace orrery::formats
