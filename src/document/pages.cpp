// SPDX-License-Identifier: Apache-2.0
#include "document/pages.h"

#include <stdexcept>
#include <string>

#include "core/embedded.h"

namespace orrery {

// NOLINTNEXTLINE(readability-identifier-naming): the name that the build writes
extern const std::span<const EmbeddedFile> page_files;

std::string_view page_file(std::string_view name) {
  for (const EmbeddedFile& f : page_files) {
    if (f.name == name) return f.text;
  }
  throw std::logic_error("no page file " + std::string(name));
}

}  // namespace orrery
