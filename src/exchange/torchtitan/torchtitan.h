// SPDX-License-Identifier: Apache-2.0
//
// torchtitan's settings both ways: TOML files, and --table.key overrides on the command line
// (exchange/foreign.h, exchange/torchtitan/names.h).
//
// Batches are sequences in the TOML of 2025 (local_batch_size, global_batch_size) and tokens in the
// command line of 2026 (num_tokens_per_microbatch_per_dp_rank, num_tokens_per_train_step), which
// must be whole sequences. Replicas without a number (-1) follow from --gpus. torchtitan couples
// sequence parallelism to tensor parallelism.
#pragma once

#include <string>
#include <string_view>

#include "exchange/import_files.h"

namespace orrery {
struct ForeignSetting;
struct ImportDraft;
}  // namespace orrery

namespace orrery::torchtitan {

// "13b" of 2024 is "13B" of 2025, and schedules have no case (PyTorch's get_schedule_class).
bool same_letters(std::string_view a, std::string_view b);

// Our key of a setting ("": none), and settings from which no number follows.
std::string_view key_of_setting(const ForeignSetting& s);
bool is_harmless(const ForeignSetting& s);

// The schedule, virtual stages and layers of stages.
void read_schedule(ImportDraft& d);

ImportedRun import_toml(const ForeignFile& file, ImportJob& job);
ImportedRun import_named(const NamedSettings& named, ImportJob& job);  // of a Primus file
ImportedRun import_arguments(const ForeignFile& file, ImportJob& job);

// `whole`: the settings say all; a command line changes what a registered configuration says.
ImportedRun import_settings(const NamedSettings& named, ImportJob& job, bool whole);

// The name of the given TOML that a script's --job.config_file means, under the script's own
// settings; "" for none.
std::string config_of(const ForeignFile& script, const ImportJob& job);

std::string export_toml(const ResolvedRun& resolved);
std::string export_arguments(const ResolvedRun& resolved);

}  // namespace orrery::torchtitan
