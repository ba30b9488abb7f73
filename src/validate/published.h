// SPDX-License-Identifier: Apache-2.0
//
// The published step time of a row: as given, or computed from tokens/s, else from FLOP/s, else
// from MFU or HFU, by the FLOP formula of its source. Different counts of FLOPs are never compared
// with each other.
//
// `model` FLOP/s: 72BLsh²(1 + s/6h + V/12hL), the megatron convention of model/flops.h. Used by
// Korthikanti et al. (arXiv:2205.05198, eq. 3), Megatron-Core's README, NeMo and Megatron-Bridge.
// `hardware` FLOP/s: 96BLsh²(1 + s/6h + V/16hL), forward of the layers four times and of the head
// three times (arXiv:2104.04473, section 5.1), where recompute is full; the model's otherwise. Used
// by Narayanan et al., Megatron-LM's README and DeepSpeed's post on Azure.
// Leaves out: BigScience's 8·N·tokens and llm-foundry's 6N + 12Lds, whose rows all have seconds.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/enum_names.h"
#include "validate/rows.h"

namespace orrery {

struct Run;

// In order of preference.
enum class Basis : std::uint8_t {
  none,
  step_time,
  tokens,
  model_rate,
  hardware_rate,
  mfu,
  hfu,
};
constexpr EnumNames<Basis> names_of(Basis) {
  return {"nothing",
          "step_time_s",
          "tokens_per_s_per_gpu",
          "model_tflops_per_gpu",
          "hardware_tflops_per_gpu",
          "mfu",
          "hfu"};
}

struct PublishedTime {
  Basis basis = Basis::none;
  Seconds time{};
};

// By one quantity; 0 where the row does not publish it.
Seconds published_time_by(Basis basis, const Measured& measured, const Run& run);

PublishedTime published_time(const Measured& measured, const Run& run);

// Measurements of one step, all GPUs together.
Flops published_flops(const Run& run, FlopsKind kind);

}  // namespace orrery
