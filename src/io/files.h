// SPDX-License-Identifier: Apache-2.0
//
// Whole files in and out; "-" is standard input and output.
//
// A file is written under another name and renamed, so that a reader never sees half of it. Errors:
// InputError that names the file; std::system_error if standard output cannot be written.
#pragma once

#include <string>
#include <vector>

namespace orrery {

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

// The .json files of a directory, sorted; for anything else the path itself. Errors: InputError if
// a directory has none.
std::vector<std::string> json_files(const std::string& path);

}  // namespace orrery
