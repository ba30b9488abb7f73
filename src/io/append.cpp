// SPDX-License-Identifier: Apache-2.0
#include "io/append.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "core/error.h"

namespace orrery {
namespace {

constexpr const char* kWritable = "a file that can be written";
constexpr std::size_t kLongestLine = std::size_t{16} << 20;

}  // namespace

AppendFile::AppendFile(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) fail(errno, kWritable);
  struct stat about {};
  if (::fstat(file_, &about) != 0 || !S_ISREG(about.st_mode)) fail(EINVAL, "a plain file");
  lock();
  size_ = static_cast<std::size_t>(about.st_size);
}

// A file system may have no locks (NFS without its daemon, FUSE): the work goes on, and the user is
// told that nothing keeps a second writer away.
void AppendFile::lock() const {
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) {
    throw InputError(path_, "", "a file that another orrery is writing", "one writer at a time");
  }
  const bool has_none =
      errno == EOPNOTSUPP || errno == ENOLCK || errno == ENOSYS || errno == EINVAL;
  if (!has_none) fail(errno, "a file that can be locked");
  spdlog::warn("{}: no lock ({}): let no other orrery write it meanwhile", path_,
               std::strerror(errno));
}

AppendFile::~AppendFile() {
  if (file_ >= 0) ::close(file_);
}

std::string AppendFile::read_lines(const std::function<void(const std::string&)>& visit) const {
  std::string line;
  std::vector<char> block(1 << 20);
  for (std::size_t at = 0; at < size_;) {
    const ssize_t n = ::pread(file_, block.data(), block.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(errno, "a file that can be read");
    if (n == 0) break;
    at += static_cast<std::size_t>(n);
    for (const char *from = block.data(), *end = from + n; from < end;) {
      const char* const to = std::find(from, end, '\n');
      line.append(from, to);
      from = to;
      if (line.size() > kLongestLine) fail(EFBIG, "lines of up to 16 MiB");
      if (to == end) break;
      line += '\n';
      visit(line);
      line.clear();
      ++from;
    }
  }
  return line;
}

void AppendFile::cut(std::size_t size) {
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0) fail(errno, kWritable);
  size_ = size;
}

void AppendFile::append(const std::string& text) {
  note(text);
  if (::fdatasync(file_) != 0) fail(errno, kWritable);
}

void AppendFile::note(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n =
        ::pwrite(file_, text.data() + done, text.size() - done, static_cast<off_t>(size_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = n < 0 ? errno : ENOSPC;
      static_cast<void>(::ftruncate(file_, static_cast<off_t>(size_)) == 0);
      fail(error, "room for the rows; run it again to go on");
    }
    done += static_cast<std::size_t>(n);
  }
  size_ += text.size();
}

void AppendFile::fail(int error, const std::string& allowed) const {
  throw InputError(path_, "", std::strerror(error), allowed);
}

}  // namespace orrery
