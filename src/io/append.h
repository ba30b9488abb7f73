// SPDX-License-Identifier: Apache-2.0
//
// A file that only grows, so that what was done survives a kill: each append is whole on disk
// before the next begins, and a line that a kill or a full disk cut off can be taken back.
//
// Errors: InputError that names the file; what was appended before stays.
#pragma once

#include <string>

namespace orrery {

class AppendFile {
 public:
  explicit AppendFile(std::string path);  // made where there is none; one writer at a time
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  std::string text() const;
  void cut(std::size_t size);
  void append(const std::string& text);
  // The same, but on disk only with the next append: survives the program, not the machine.
  void note(const std::string& text);

 private:
  [[noreturn]] void fail(int error, const std::string& allowed) const;

  std::string path_;
  int file_ = -1;
  std::size_t size_ = 0;
};

}  // namespace orrery
