// SPDX-License-Identifier: Apache-2.0
// Any text as a framework's profile; and as the switches of a shipped one.
#include "fuzz/configs.h"
#include "fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    static const orrery::Json kProfile =
        orrery::parse_json(orrery::fuzz::cached("frameworks", "megatron-core")->text, "profile");
    const orrery::Json document = orrery::parse_json(text, "fuzz.json");
    const auto read = [](const orrery::Json& profile, const orrery::Json& options) {
      orrery::read_framework(profile, "profile.json", options, "fuzz.json", "options");
    };
    try {
      read(kProfile, document);
    } catch (const orrery::InputError&) {
    }
    read(document, orrery::Json::object());
  });
}
