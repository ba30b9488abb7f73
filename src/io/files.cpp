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

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void refuse(const std::string& path, const std::string& why,
                         const std::string& allowed) {
  throw InputError(path, "", why, allowed);
}

std::string read_all(std::FILE* in, const std::string& name, std::size_t most) {
  std::string text;
  char block[1 << 16];
  while (const std::size_t n = std::fread(block, 1, sizeof block, in)) {
    text.append(block, n);
    if (text.size() > most) {
      refuse(name, "more than " + std::to_string(most >> 20) + " MiB", "a smaller file");
    }
  }
  if (std::ferror(in) != 0) refuse(name, std::strerror(errno), "a file that can be read");
  return text;
}

constexpr const char* kWritableFile = "a file that can be written";

using Fill = std::function<void(const WritePiece&)>;

void write_all(std::FILE* out, const Fill& fill, const std::string& name) {
  std::uint64_t all = 0;
  const auto check = [&](bool written) {
    if (!written) refuse(name, std::strerror(errno), "room for " + std::to_string(all) + " bytes");
  };
  fill([&](const std::string& piece) {
    all += piece.size();
    check(std::fwrite(piece.data(), 1, piece.size(), out) == piece.size());
  });
  check(std::fflush(out) == 0);
}

File opened(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) refuse(path, "a directory", "a file");
  File in(std::fopen(path.c_str(), "rb"));
  if (in) return in;
  throw InputError(ErrorCode::not_found, path, "", std::strerror(errno), "a file that can be read");
}

// A file beside the one it will be, with the rights of the one it replaces. It is gone if nothing
// renames it.
class PartFile {
 public:
  PartFile(const std::string& path, const std::string& name)
      : path_(path),
        part_(path + ".part-" + std::to_string(static_cast<long>(getpid()))),
        name_(name) {}
  ~PartFile() {
    std::error_code ignored;
    if (!renamed_) fs::remove(part_, ignored);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write(const Fill& fill) const {
    const File out(std::fopen(part_.c_str(), "wb"));
    if (!out) refuse(name_, std::strerror(errno), kWritableFile);
    std::error_code error;
    const fs::file_status before = fs::status(path_, error);
    if (fs::exists(before)) fs::permissions(part_, before.permissions(), error);
    write_all(out.get(), fill, name_);
  }

  void rename() {
    std::error_code error;
    fs::rename(part_, path_, error);
    if (error) refuse(name_, error.message(), kWritableFile);
    renamed_ = true;
  }

 private:
  std::string path_;
  std::string part_;
  std::string name_;  // as the user calls it
  bool renamed_ = false;
};

}  // namespace

std::string read_text(const std::string& path, std::size_t most) {
  if (path == "-") return read_all(stdin, "standard input", most);
  return read_all(opened(path).get(), path, most);
}

std::string read_piece(const std::string& path, std::uint64_t at, std::size_t most) {
  const File in = opened(path);
  std::string piece(most, '\0');
  const bool there = fseeko(in.get(), static_cast<off_t>(at), SEEK_SET) == 0;
  if (there) piece.resize(std::fread(piece.data(), 1, most, in.get()));
  if (!there || std::ferror(in.get()) != 0) {
    refuse(path, std::strerror(errno), "a plain file that can be read");
  }
  return piece;
}

// weakly_canonical() leaves a link to a file that is yet to be made as it is.
std::string target_of(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux has it
  fs::path at = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(at, error); ++i) {
    const fs::path next = fs::read_symlink(at, error);
    if (error) return path;
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  const fs::path real = fs::weakly_canonical(fs::absolute(at, error), error);
  return error ? path : real.string();
}

void write_text(const std::string& path, const std::string& text) {
  write_pieces(path, [&text](const WritePiece& write) { write(text); });
}

void write_pieces(const std::string& path, const Fill& fill) {
  if (path.empty() || path == "-") return write_all(stdout, fill, "standard output");
  // A device or a pipe (/dev/null) cannot be replaced by a rename.
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    const File out(std::fopen(path.c_str(), "wb"));
    if (!out) refuse(path, std::strerror(errno), kWritableFile);
    return write_all(out.get(), fill, path);
  }
  std::error_code ignored;
  PartFile part(fs::is_symlink(path, ignored) ? target_of(path) : path, path);
  part.write(fill);
  part.rename();
}

void make_directory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) refuse(path, error.message(), "a directory that can be made");
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
