// SPDX-License-Identifier: Apache-2.0
#include "document/pages.h"

#include <stdexcept>
#include <string>

#include "core/embedded.h"
#include "document/escape.h"
#include "document/scripted.h"

namespace orrery {

// NOLINTNEXTLINE(readability-identifier-naming): the name that the build writes
extern const std::span<const EmbeddedFile> page_files;

std::string_view page_file(std::string_view name) {
  for (const EmbeddedFile& f : page_files) {
    if (f.name == name) return f.text;
  }
  throw std::logic_error("no page file " + std::string(name));
}

std::string drawing_script(const std::string& name, const std::string& function,
                           const std::string& data) {
  return "<script type=\"application/json\" id=\"" + name + "-data\">\n" + script_escaped(data) +
         "\n</script>\n<script>\n" + std::string(page_file(name + ".js")) + function +
         "(JSON.parse(document.getElementById('" + name + "-data').textContent), document);\n" +
         "</script>\n";
}

}  // namespace orrery
