// SPDX-License-Identifier: Apache-2.0
#include "engine/plan_context.h"

#include "engine/overrides.h"
#include "insight/metrics.h"

namespace orrery {
namespace {

constexpr EnumArray<SiteKind, ConfigKind> kSiteKinds = {
    ConfigKind::failures, ConfigKind::recovery, ConfigKind::storage,       ConfigKind::prices,
    ConfigKind::energy,   ConfigKind::data,     ConfigKind::network_switch};

}  // namespace

PlanContext plan_context(const CommandContext& context, const std::string& beside, unsigned jobs) {
  PlanContext c;
  const ConfigSource configs = until_stopped(context);
  c.lookup = config_lookup(configs, beside);
  c.run = [=](const std::string& name) {
    return find_config(configs, ConfigKind::run, name, beside);
  };
  c.run_names = [=] { return config_names(configs, ConfigKind::run); };
  c.site = [=](SiteKind kind, const std::string& name) {
    return find_config(configs, kSiteKinds[kind], name, beside);
  };
  c.site_names = [=](SiteKind kind) { return config_names(configs, kSiteKinds[kind]); };
  c.set = [lookup = c.lookup](Json& run, const std::string& path, const Json& value) {
    apply_override({"\"set\"", path, value}, lookup, run);
  };
  c.metrics = metric_source();
  c.workers = workers_of(context.hooks, jobs);
  c.parallel = parallel_of(context.hooks, c.workers);
  c.progress = context.hooks.progress;
  c.stopped = context.hooks.stopped;
  return c;
}

}  // namespace orrery
