// SPDX-License-Identifier: Apache-2.0
// Any text as a capacity plan; small ones without a search all the way to JSON, text and page.
#include "capacity/shipped_plans.h"
#include "document/html.h"
#include "document/text.h"
#include "fuzz/configs.h"
#include "fuzz/harness.h"
#include "report/capacity.h"

namespace {

orrery::PlanContext context() {
  orrery::PlanContext c = orrery::testing::shipped_context();
  c.lookup = orrery::fuzz::cached_configs();
  c.run = [](const std::string& name) { return orrery::fuzz::cached("runs", name); };
  c.site = [](orrery::SiteKind kind, const std::string& name) {
    return orrery::fuzz::cached(std::string(orrery::name_of(kind)), name);
  };
  c.set = [](orrery::Json& run, const std::string& path, const orrery::Json& value) {
    if (run.is_object()) run[path] = value;
  };
  return c;
}

// Limits the work of one input: no search, and few estimates.
bool is_small(const orrery::CapacityPlan& plan) {
  if (plan.options.size() > 2) return false;
  for (const orrery::OptionPlan& o : plan.options) {
    if (o.search || o.smallest || o.sizes.size() > 2 || o.phases.size() > 2) return false;
    for (const orrery::PhasePlan& p : o.phases) {
      if (p.ramp.size() > 2) return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const orrery::PlanContext kContext = context();
  return orrery::fuzz::run(data, size, [](std::string_view text) {
    orrery::CapacityReport r;
    r.plan = orrery::read_plan(orrery::parse_json(text, "fuzz.json"), "fuzz.json", kContext);
    if (!is_small(r.plan)) return;
    r.plan.simulations = 2;
    r.answer = orrery::answer(r.plan, kContext);
    static_cast<void>(orrery::dump(orrery::capacity_json(r)));
    static_cast<void>(orrery::text_of(orrery::capacity_document(r, true), {}));
    static_cast<void>(orrery::html_of(orrery::capacity_page(r)));
  });
}
