// SPDX-License-Identifier: Apache-2.0
//
// Text as a gzip file (RFC 1952), the same bytes every time: no name, no date; and back. Errors:
// InputError where a file is cut off, broken, or more than 1 GiB unpacked.
#pragma once

#include <string>

namespace orrery {

std::string gzip(const std::string& text);

// What does not begin as gzip does is returned as it is.
std::string gunzip(std::string text, const std::string& file);

}  // namespace orrery
