// SPDX-License-Identifier: Apache-2.0
//
// Megatron-Bridge's configuration as YAML: what a run printed, or overrides of a recipe in Python.
// mixed_precision goes over model, ddp and optimizer, comm_overlap over model and ddp where it is
// not null. A recipe of fp8 counts only beside a format. Errors: InputError for YAML.
#pragma once

#include "exchange/import_files.h"

namespace orrery::bridge {

NamedSettings read_named(const std::vector<ForeignFile>& files);

}  // namespace orrery::bridge
