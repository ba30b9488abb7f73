// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a curve from text: "1MiB..16GiB" (multiplied by a factor from one to the next, the
// last included), a list "64 KiB,1 MiB", or one size.
//
// Errors: InputError about `--size` or `--step`.
#pragma once

#include <string>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

// `step` is the factor, "" for 2.
std::vector<Bytes> collective_sizes(const std::string& text, const std::string& step);

}  // namespace orrery
