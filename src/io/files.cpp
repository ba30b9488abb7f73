// SPDX-License-Identifier: Apache-2.0
#include "io/files.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "core/error.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

// No real input is this large; a device or a wrong file may be.
constexpr std::size_t kLargestInput = std::size_t{256} << 20;

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void refuse(const std::string& path, const std::string& why,
                         const std::string& allowed) {
  throw InputError(path, "", why, allowed);
}

std::string read_all(std::FILE* in, const std::string& name) {
  std::string text;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, in)) {
    text.append(block, n);
    if (text.size() > kLargestInput) refuse(name, "more than 256 MiB", "a smaller file");
  }
  if (std::ferror(in) != 0) refuse(name, std::strerror(errno), "a file that can be read");
  return text;
}

void write_all(std::FILE* out, const std::string& text, const std::string& name) {
  if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fflush(out) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write " + name);
  }
}

}  // namespace

std::string read_text(const std::string& path) {
  if (path == "-") return read_all(stdin, "standard input");
  std::error_code error;
  if (fs::is_directory(path, error)) refuse(path, "a directory", "a file");
  const File in(std::fopen(path.c_str(), "rb"));
  if (!in) {
    throw InputError(ErrorCode::not_found, path, "", std::strerror(errno),
                     "a file that can be read");
  }
  return read_all(in.get(), path);
}

void write_text(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") return write_all(stdout, text, "standard output");
  // A device or a pipe (/dev/null) cannot be replaced by a rename.
  std::error_code error;
  const bool replace = !fs::exists(path, error) || fs::is_regular_file(path, error);
  const std::string target =
      replace ? path + ".part-" + std::to_string(static_cast<long>(getpid())) : path;
  {
    const File out(std::fopen(target.c_str(), "wb"));
    if (!out) refuse(path, std::strerror(errno), "a file that can be written");
    write_all(out.get(), text, path);
  }
  if (replace) fs::rename(target, path);
}

std::vector<std::string> json_files(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  if (files.empty()) refuse(path, "a directory without .json files", "a file, or one with some");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace orrery
