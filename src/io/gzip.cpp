// SPDX-License-Identifier: Apache-2.0
#include "io/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

namespace orrery {

std::string gzip(const std::string& text) {
  constexpr int kGzipWindow = 15 + 16;
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
      // zlib does not write through next_in; its type is older than const.
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

}  // namespace orrery
