// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_context.h"

#include "engine/overrides.h"
#include "insight/metric_source.h"
#include "io/threads.h"

namespace orrery {

PlanContext plan_context(const ConfigDirs& dirs, const std::string& beside, unsigned jobs) {
  PlanContext c;
  c.lookup = config_lookup(dirs, beside);
  c.run = [=](const std::string& name) { return find_config(dirs, ConfigKind::run, name, beside); };
  c.run_names = [=] { return config_names(dirs, ConfigKind::run); };
  const auto kind = [](SiteKind k) {
    return static_cast<ConfigKind>(static_cast<int>(ConfigKind::failures) + static_cast<int>(k));
  };
  c.site = [=](SiteKind k, const std::string& name) {
    return find_config(dirs, kind(k), name, beside);
  };
  c.site_names = [=](SiteKind k) { return config_names(dirs, kind(k)); };
  c.set = [lookup = c.lookup](Json& run, const std::string& path, const Json& value) {
    apply_override({"\"set\"", path, value}, lookup, run);
  };
  c.metrics = metric_source();
  c.workers = jobs > 0 ? jobs : available_threads();
  c.parallel = [n = c.workers](const std::function<void(unsigned)>& work) {
    run_on_threads(n, work);
  };
  return c;
}

}  // namespace orrery
