// SPDX-License-Identifier: Apache-2.0
//
// Defaults of the files that Primus ships, for runs that name one without giving it
// (AMD-AGI/Primus@fd1eeabb of 2026-08, primus/configs): modules/megatron/trainer_base.yaml,
// pre_trainer.yaml and sft_trainer.yaml, which go over it, and models/megatron/language_model.yaml,
// over which each model goes. Only settings that move a number here.
#pragma once

#include <array>
#include <string_view>

namespace orrery::primus {

inline constexpr const char* kShipped = "Primus@fd1eeabb";

// A value as YAML writes it.
struct ShippedDefault {
  std::string_view file;
  std::string_view name;
  std::string_view value;
};
inline constexpr std::array kDefaults = {
    ShippedDefault{"trainer_base.yaml", "bf16", "true"},
    ShippedDefault{"trainer_base.yaml", "micro_batch_size", "2"},
    ShippedDefault{"trainer_base.yaml", "global_batch_size", "128"},
    ShippedDefault{"trainer_base.yaml", "seq_length", "4096"},
    ShippedDefault{"trainer_base.yaml", "use_distributed_optimizer", "false"},
    ShippedDefault{"trainer_base.yaml", "recompute_granularity", "none"},
    ShippedDefault{"trainer_base.yaml", "overlap_grad_reduce", "false"},
    ShippedDefault{"trainer_base.yaml", "overlap_param_gather", "false"},
    ShippedDefault{"pre_trainer.yaml", "global_batch_size", "16"},
    ShippedDefault{"pre_trainer.yaml", "seq_length", "1024"},
    ShippedDefault{"pre_trainer.yaml", "use_distributed_optimizer", "true"},
    ShippedDefault{"sft_trainer.yaml", "micro_batch_size", "1"},
    ShippedDefault{"sft_trainer.yaml", "global_batch_size", "128"},
    ShippedDefault{"sft_trainer.yaml", "seq_length", "2048"},
    ShippedDefault{"sft_trainer.yaml", "use_distributed_optimizer", "true"},
    ShippedDefault{"language_model.yaml", "tensor_model_parallel_size", "1"},
    ShippedDefault{"language_model.yaml", "pipeline_model_parallel_size", "1"},
    ShippedDefault{"language_model.yaml", "context_parallel_size", "1"},
    ShippedDefault{"language_model.yaml", "sequence_parallel", "true"},
};

// The file that one of them goes over; "" for none.
struct ShippedBase {
  std::string_view file;
  std::string_view base;
};
inline constexpr std::array kBases = {ShippedBase{"pre_trainer.yaml", "trainer_base.yaml"},
                                      ShippedBase{"sft_trainer.yaml", "trainer_base.yaml"},
                                      ShippedBase{"trainer_base.yaml", ""},
                                      ShippedBase{"language_model.yaml", ""}};

}  // namespace orrery::primus
