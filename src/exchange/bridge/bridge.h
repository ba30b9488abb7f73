// SPDX-License-Identifier: Apache-2.0
//
// Megatron-Bridge's configuration as YAML: what a run printed, or overrides of a recipe in Python.
// mixed_precision goes over model, ddp and optimizer, comm_overlap over model and ddp where it is
// not null. A recipe of fp8 counts only beside a format. Errors: InputError for YAML.
//
// A resolved run as overrides of a recipe. They say the whole model and layout, also switches that
// are off, so that nothing is left to the recipe but data, learning rate and checkpoints.
#pragma once

#include "exchange/import_files.h"

namespace orrery::bridge {

NamedSettings read_named(const std::vector<ForeignFile>& files);

std::string export_run(const ResolvedRun& resolved);

}  // namespace orrery::bridge
