// SPDX-License-Identifier: Apache-2.0
//
// `--assume NAME=VALUE` over the settings of the files. Errors: InputError for a name that no file
// has.
#pragma once

#include <string>
#include <vector>

#include "exchange/import_draft.h"

namespace orrery {

// "--micro-batch-size" to "micro_batch_size".
std::string plain_name(std::string name);

// The name in a setting as it was written: up to the first blank that no $( ) or ${ } holds.
std::string name_of_setting(const std::string& setting);

// Takes back refusals of a setting, without a key of its own, that an assumption settles.
void drop_assumed(std::vector<GivenSetting>& assumed, ImportedRun& all);

void check_assumed(const std::vector<GivenSetting>& assumed);

}  // namespace orrery
