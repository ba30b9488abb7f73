// SPDX-License-Identifier: Apache-2.0
// Any text as a claim, its runs answered with themselves.
#include "document/html.h"
#include "document/markdown.h"
#include "fuzz/harness.h"
#include "report/claims.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    orrery::ClaimContext context;
    context.load = [](const std::string&) { return orrery::Json::object(); };
    context.set = [](orrery::Json& run, const std::string& path, const orrery::Json& value) {
      if (run.is_object()) run[path] = value;
    };
    context.published = [](const std::string& id) -> std::optional<orrery::PublishedRun> {
      if (id.size() % 2 == 1) return {};
      return orrery::PublishedRun{{{"x", 1}}, {{"step_time_s", 1.0}}};
    };
    context.document = [](const orrery::ClaimDocument& d, const std::string&) {
      return orrery::Json{{d.kind, d.called}};
    };
    context.answer = [](const orrery::Json& run, const std::string&) { return run; };
    const orrery::JudgedClaim j = judge(orrery::read_claim(text, "fuzz.json"), context);
    static_cast<void>(orrery::html_of(orrery::claims_document({j})));
    static_cast<void>(orrery::markdown_of(orrery::claims_document({j})));
  });
}
