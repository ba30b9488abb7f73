// SPDX-License-Identifier: Apache-2.0
#include "estimate/resolve.h"
#include "insight/metrics.h"
#include "insight/run_report.h"
#include "orrery/orrery.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

DocumentKind kind_of(HardwareKind kind) {
  constexpr std::array kKinds = {DocumentKind::device, DocumentKind::node, DocumentKind::graph,
                                 DocumentKind::fabric};
  return kKinds[static_cast<std::size_t>(kind)];
}

template <class Text>
std::optional<Text> find_in(const Library& library, DocumentKind kind, const std::string& name) {
  if (!library.find) return {};
  std::optional<Document> found = library.find(kind, name);
  if (!found) return {};
  return Text{std::move(found->text), std::move(found->file)};
}

std::vector<std::string> names_in(const Library& library, DocumentKind kind) {
  return library.names ? library.names(kind) : std::vector<std::string>();
}

ConfigLookup lookup_in(const Library& library) {
  ConfigLookup lookup;
  lookup.hardware.find = [&library](HardwareKind kind, const std::string& name) {
    return find_in<HardwareText>(library, kind_of(kind), name);
  };
  lookup.hardware.names = [&library](HardwareKind kind) {
    return names_in(library, kind_of(kind));
  };
  lookup.model = [&library](const std::string& name) {
    return find_in<ConfigText>(library, DocumentKind::model, name);
  };
  lookup.framework = [&library](const std::string& name) {
    return find_in<ConfigText>(library, DocumentKind::framework, name);
  };
  lookup.compression = [&library](const std::string& name) {
    return find_in<ConfigText>(library, DocumentKind::compression, name);
  };
  lookup.compression_names = [&library] { return names_in(library, DocumentKind::compression); };
  lookup.accuracy = [&library] {
    return find_in<ConfigText>(library, DocumentKind::accuracy, "accuracy");
  };
  lookup.model_names = [&library] { return names_in(library, DocumentKind::model); };
  lookup.framework_names = [&library] { return names_in(library, DocumentKind::framework); };
  return lookup;
}

}  // namespace

RunAnswer estimate_run(std::string_view run, const Library& library, const std::string& file) {
  const RunReport r = report_on(resolve_run(parse_json(run, file), file, lookup_in(library)));
  const auto value = [&](const char* key) {
    return find_metric(key)->value({r.resolved.run, r.answer});
  };
  RunAnswer a;
  a.feasible = is_feasible(r);
  a.reasons = reasons_of(r);
  a.warnings = r.resolved.warnings;
  a.step_time = r.answer.step_time;
  a.step_time_low = r.answer.interval_low;
  a.step_time_high = r.answer.interval_high;
  a.tokens_per_second = value("tokens_per_s");
  a.mfu = value("mfu");
  a.hfu = value("hfu");
  a.memory_peak = r.answer.memory.peak;
  a.memory_capacity = r.answer.capacity;
  a.json = dump(estimate_json(r));
  return a;
}

}  // namespace orrery
