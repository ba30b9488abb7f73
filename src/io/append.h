// SPDX-License-Identifier: Apache-2.0
//
// A file that only grows, so that finished work survives a kill: each append is on disk before the
// next begins, and a line that a kill or a full disk cut off can be removed.
//
// Errors: InputError that names the file; earlier appends stay.
#pragma once

#include <functional>
#include <string>

namespace orrery {

class AppendFile {
 public:
  // Created if missing; one writer at a time, where the file system has locks.
  explicit AppendFile(std::string path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // Calls visit(line) for every line with its line break; returns what follows the last one.
  // Errors: InputError where a line is too long.
  std::string read_lines(const std::function<void(const std::string&)>& visit) const;
  std::size_t size() const { return size_; }
  void cut(std::size_t size);
  void append(const std::string& text);
  // The same, but synced only by the next append: it survives a crash of the program, not of the
  // machine.
  void note(const std::string& text);

 private:
  void lock() const;
  [[noreturn]] void fail(int error, const std::string& allowed) const;

  std::string path_;
  int file_ = -1;
  std::size_t size_ = 0;
};

}  // namespace orrery
