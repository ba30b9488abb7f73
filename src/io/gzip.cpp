// SPDX-License-Identifier: Apache-2.0
#include "io/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

#include "core/error.h"

namespace orrery {
namespace {

constexpr int kGzipWindow = 15 + 16;
constexpr std::size_t kLargestUnpacked = std::size_t{1} << 30;
// Texts of numbers pack 5 to 50 times: more than this is no measurement.
constexpr std::size_t kMostPacking = 200;
constexpr std::size_t kSmallEnough = std::size_t{16} << 20;

class Inflate {
 public:
  Inflate() {
    if (inflateInit2(&z_, kGzipWindow) != Z_OK) throw std::runtime_error("zlib cannot start");
  }
  ~Inflate() { inflateEnd(&z_); }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;

  std::string text_of(std::string& packed, const std::string& file) {
    z_.next_in = reinterpret_cast<Bytef*>(packed.data());
    z_.avail_in = static_cast<uInt>(packed.size());
    const std::size_t most =
        std::clamp(packed.size() * kMostPacking, kSmallEnough, kLargestUnpacked);
    std::string out;
    int state = Z_OK;
    while (state == Z_OK || z_.avail_in > 0) {
      if (state == Z_STREAM_END) inflateReset(&z_);  // a file of several members
      state = step(out);
      if (state != Z_OK && state != Z_STREAM_END) {
        throw InputError(file, "", "a gzip file that is cut off or broken", "a whole one");
      }
      if (out.size() > most) {
        throw InputError(file, "", "more than " + std::to_string(most >> 20) + " MiB unpacked",
                         "a shorter one");
      }
    }
    return out;
  }

 private:
  int step(std::string& out) {
    char block[1 << 16];
    z_.next_out = reinterpret_cast<Bytef*>(block);
    z_.avail_out = sizeof block;
    const int state = inflate(&z_, Z_NO_FLUSH);
    out.append(block, sizeof block - z_.avail_out);
    return state;
  }

  z_stream z_{};
};

}  // namespace

std::string gzip(const std::string& text) {
  z_stream z{};
  if (deflateInit2(&z, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib cannot start");
  }
  std::string out;
  char block[1 << 16];
  std::size_t given = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (z.avail_in == 0 && given < text.size()) {
      const std::size_t n = std::min<std::size_t>(text.size() - given, 1U << 30);
      // zlib does not write through next_in; its type lacks the const.
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + given));
      z.avail_in = static_cast<uInt>(n);
      given += n;
    }
    z.next_out = reinterpret_cast<Bytef*>(block);
    z.avail_out = sizeof block;
    state = deflate(&z, given == text.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(block, sizeof block - z.avail_out);
  }
  deflateEnd(&z);
  return out;
}

std::string gunzip(std::string text, const std::string& file) {
  const bool is_gzip = text.size() > 2 && text[0] == '\x1f' && text[1] == '\x8b';
  return is_gzip ? Inflate().text_of(text, file) : text;
}

}  // namespace orrery
