// SPDX-License-Identifier: Apache-2.0
//
// Text as a gzip file (RFC 1952), the same bytes every time: no name, no date.
#pragma once

#include <string>

namespace orrery {

std::string gzip(const std::string& text);

}  // namespace orrery
