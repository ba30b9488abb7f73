// SPDX-License-Identifier: Apache-2.0
//
// Runs as torchtitan's TOML, and as --table.key overrides of its command line
// (exchange/foreign.h, exchange/torchtitan/names.h); configs/tools/torchtitan.json reads them.
//
// Batches are sequences in the TOML of 2025 (local_batch_size, global_batch_size) and tokens in the
// command line of 2026 (num_tokens_per_microbatch_per_dp_rank, num_tokens_per_train_step).
#pragma once

#include <string>

namespace orrery {
struct ResolvedRun;
}

namespace orrery::torchtitan {

std::string export_toml(const ResolvedRun& resolved);
std::string export_arguments(const ResolvedRun& resolved);

}  // namespace orrery::torchtitan
