// SPDX-License-Identifier: Apache-2.0
//
// DeepSpeed's settings that a trainer's file holds in place of a file's name.
#pragma once

#include <string>

#include "exchange/foreign_file.h"

namespace orrery::tools {

// Taken out, as JSON; "" where the file holds none. The file then names them by itself.
std::string take_deepspeed(ForeignFile& arguments);

}  // namespace orrery::tools
