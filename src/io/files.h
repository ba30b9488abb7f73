// SPDX-License-Identifier: Apache-2.0
//
// Whole files in and out; "-" is standard input and output.
//
// A file is written under another name and renamed, so that a reader never sees half of it, and a
// full disk leaves what was there. Its rights stay, and a link stays a link. Errors: InputError
// that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace orrery {

// No real input is larger than 256 MiB; a device or a wrong file may be.
std::string read_text(const std::string& path, std::size_t most = std::size_t{256} << 20);
void write_text(const std::string& path, const std::string& text);

// The same of a text in pieces: `fill` gives them one by one to the function it is handed.
using WritePiece = std::function<void(const std::string& piece)>;
void write_pieces(const std::string& path, const std::function<void(const WritePiece&)>& fill);

// At most `most` bytes of a file from `at` on; "" at its end.
std::string read_piece(const std::string& path, std::uint64_t at, std::size_t most);

// The file that a path stands for once links are followed, also one that does not exist yet.
std::string target_of(const std::string& path);

// With those above it; nothing where it exists.
void make_directory(const std::string& path);

// The .json files of a directory, sorted; for anything else the path itself. Errors: InputError if
// a directory has none.
std::vector<std::string> json_files(const std::string& path);

}  // namespace orrery
