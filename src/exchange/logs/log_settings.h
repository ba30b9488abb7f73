// SPDX-License-Identifier: Apache-2.0
//
// Settings of the run that a training log says beside its steps, in words that no other tool has:
// - Megatron-LM's list of arguments, and the batch of a step's line (NeMo's and nanotron's too);
// - DeepSpeed's configuration, whose world_size is that of data parallelism and not read;
// - Hugging Face's Trainer (Axolotl, LLaMA-Factory): its batches; no length;
// - torchtitan: batch and length, and degrees where it lists them all [from memory]. Its local
//   batch is several micro batches under a pipeline and not read;
// - YAML of NeMo, NeMo Automodel and Megatron-Bridge, by the section that a key stands in;
// - MLPerf; and, from memory, MaxText, LLM Foundry, nanoGPT, llm.c, DeepSpeed-Chat, and torchtune's
//   batch of one GPU.
// Only the reader of training logs (training_log.cpp) uses it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exchange/logs/training_log.h"

namespace orrery::training_logs {

// The batch of a step's line, "global batch size:    16" or "global_batch_size: 1.02K"; a value of
// 0 where it says none. A line without a step's time is none: it may speak of a validation set.
LoggedSetting step_batch(std::string_view line);

// Settings that a log says, as the last line has them.
std::vector<LoggedSetting> settings_in(const std::vector<std::string>& lines);

}  // namespace orrery::training_logs
