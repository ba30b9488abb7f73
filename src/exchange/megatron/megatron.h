// SPDX-License-Identifier: Apache-2.0
//
// Megatron-LM's arguments to a run file: a launch script, a bare list of arguments, or the
// "arguments" that a training log begins with (exchange/foreign.h).
//
// A resolved run as a launch with Megatron-LM's arguments (exchange/megatron/names.h). Data,
// learning rate and checkpoints are the user's to add. Errors: none.
#pragma once

#include <string>

#include "exchange/arguments.h"
#include "exchange/import_files.h"
#include "exchange/shell/shell.h"

namespace orrery {
struct ResolvedRun;
}

namespace orrery::megatron {

// Settings of a script, a list of arguments or a log, with the files that a script writes.
// `scripts`: other files given, which it may source or start.
NamedSettings read_named(const ForeignFile& file, const ShellFiles& scripts);

// Settings of the command that starts the training. Settings in which several such commands
// differ are left open. Commands before it count where they say how many GPUs there are.
NamedSettings settings_of_script(const ShellRun& run, const std::string& file);

// Settings of another file. Where both files start a training, what they say differently is left
// open.
void add_training(NamedSettings more, NamedSettings& all);

// Why a program of Megatron-LM trains no decoder of its arguments; null where it trains one.
const char* other_program(const std::string& program, const Settings& settings);

// The activation, and the width of the MLP that follows from it.
void read_activation_of(ImportDraft& d);

// A number, or a list of Python for all layers ("([0]*3+[1]*58)", [1, 0, 1, 0]): its text, and its
// marks.
std::optional<std::string> layer_list(ImportDraft& d, std::string_view name);
std::vector<bool> listed_layers(ImportDraft& d, std::string_view name, const std::string& text);

// Layers that have experts; the second one as a list of all layers, empty where the setting is
// none.
void read_expert_layers(ImportDraft& d);
std::vector<bool> layers_with_experts(ImportDraft& d);

// Dimensions beside a model that the files name: one that the model of that name has otherwise
// leaves the model open.
void compare_with_named(const std::string& name, const ImportJob& job, ImportDraft& d);

// Layers of one's own by --spec leave the model open.
void read_spec(ImportDraft& d);

// A model with state-space layers, and one behind an encoder of images.
void read_hybrid(ImportDraft& d);
void read_images(ImportDraft& d);

// True of --activations-checkpoint-method, before there was a granularity: full recompute.
bool has_old_checkpoints(const Settings& settings);

// Our key of a setting of today's name; "" for none.
std::string_view key_of_setting(std::string_view name);

// Other names to today's, and what the old ones mean.
void rename_settings(Settings& settings);

// Settings under Megatron-LM's names, whichever tool they come from.
ImportedRun import_named(NamedSettings named, ForeignFormat format, ImportJob& job);

// The parts of an import, in this order.
void read_model_of(ImportDraft& d);
void read_training_of(ImportDraft& d);
void read_parallel_of(ImportDraft& d);
void read_layout_of(ImportDraft& d);  // schedule, virtual stages, layers of each

// The arguments without the launcher.
ArgumentLines arguments_of(const ResolvedRun& resolved);

std::string export_run(const ResolvedRun& resolved);

}  // namespace orrery::megatron
