// SPDX-License-Identifier: Apache-2.0
#include "engine/plan_context.h"

#include "engine/overrides.h"
#include "insight/metrics.h"

namespace orrery {
namespace {

ConfigKind kind_of(SiteKind kind) {
  switch (kind) {
    case SiteKind::failures:
      return ConfigKind::failures;
    case SiteKind::storage:
      return ConfigKind::storage;
    case SiteKind::prices:
      return ConfigKind::prices;
    case SiteKind::energy:
      return ConfigKind::energy;
    case SiteKind::data:
      return ConfigKind::data;
  }
  return ConfigKind::data;
}

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
    return find_config(configs, kind_of(kind), name, beside);
  };
  c.site_names = [=](SiteKind kind) { return config_names(configs, kind_of(kind)); };
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
