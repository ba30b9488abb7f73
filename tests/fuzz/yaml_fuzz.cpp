// SPDX-License-Identifier: Apache-2.0
// Any text as YAML; a mapping that is read, and written again, is read as the same.
#include <cstdlib>
#include <string>

#include "exchange/text_lines.h"
#include "exchange/yaml.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view bytes) {
    std::string text(bytes);
    orrery::make_plain(text);  // as an import does
    const orrery::Json document = orrery::read_yaml(text, "fuzz.yaml");
    // A merged mapping (<<) is read as its members.
    const bool merges = text.find("<<") != std::string::npos;
    if (!document.is_object() || document.empty() || merges) return;
    const std::string written = orrery::write_yaml(document);
    if (orrery::read_yaml(written, "again.yaml") != document) std::abort();
  });
}
