// SPDX-License-Identifier: Apache-2.0
//
// Text to a gzip file (RFC 1952) and back. The bytes are always the same: no name, no date. Errors:
// InputError if a file is cut off, broken, or larger than 1 GiB unpacked.
#pragma once

#include <string>

namespace orrery {

std::string gzip(const std::string& text);

// Data without gzip's first bytes is returned unchanged.
std::string gunzip(std::string text, const std::string& file);

}  // namespace orrery
