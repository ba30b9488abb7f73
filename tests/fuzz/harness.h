// SPDX-License-Identifier: Apache-2.0
//
// Common code of the fuzz targets. For any bytes a reader of input either returns or throws
// InputError; another exception, a sanitizer's report or a hang is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/error.h"

namespace orrery::fuzz {

template <class Read>
int run(const std::uint8_t* data, std::size_t size, Read read) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    read(text);
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}

}  // namespace orrery::fuzz
