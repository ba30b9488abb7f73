// SPDX-License-Identifier: Apache-2.0
//
// `parallel.overlap` over the framework's profile: false exposes all of an exchange; true is for
// those that the profile knows how to overlap. Errors: InputError, naming `file`.
#pragma once

#include <string>

#include "parallel/framework.h"
#include "parallel/strategy_request.h"

namespace orrery {

void apply_overlap(const OverlapRequest& overlap, const std::string& file, Framework& framework);

}  // namespace orrery
