// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "cli/command.h"
#include "core/error.h"
#include "document/rows.h"
#include "document/text.h"
#include "report/catalog.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

std::vector<NamedDocument> documents_of(const ConfigDirs& dirs, ConfigKind kind) {
  std::vector<NamedDocument> documents;
  for (const std::string& name : config_names(dirs, kind)) {
    const auto found = find_config(dirs, kind, name);
    documents.push_back({name, found->file, parse_json(found->text, found->file)});
  }
  return documents;
}

Table list_models(const ConfigDirs& d) { return model_list(documents_of(d, ConfigKind::model)); }
Table list_devices(const ConfigDirs& d) { return device_list(documents_of(d, ConfigKind::device)); }
Table list_nodes(const ConfigDirs& d) {
  return node_list(documents_of(d, ConfigKind::node), config_lookup(d).hardware);
}
Table list_frameworks(const ConfigDirs& d) {
  return framework_list(documents_of(d, ConfigKind::framework));
}
Table list_compressions(const ConfigDirs& d) {
  return compression_list(documents_of(d, ConfigKind::compression));
}
Table list_runs(const ConfigDirs& d) { return run_list(documents_of(d, ConfigKind::run)); }
Table list_sweeps(const ConfigDirs& d) { return sweep_list(documents_of(d, ConfigKind::sweep)); }
Table list_graphs(const ConfigDirs& d) { return graph_list(documents_of(d, ConfigKind::graph)); }
Table list_fabrics(const ConfigDirs& d) { return fabric_list(documents_of(d, ConfigKind::fabric)); }
Table list_failures(const ConfigDirs& d) {
  return failure_list(documents_of(d, ConfigKind::failures));
}
Table list_storage(const ConfigDirs& d) {
  return storage_list(documents_of(d, ConfigKind::storage));
}
Table list_prices(const ConfigDirs& d) { return price_list(documents_of(d, ConfigKind::prices)); }
Table list_energy(const ConfigDirs& d) { return energy_list(documents_of(d, ConfigKind::energy)); }
Table list_plans(const ConfigDirs& d) { return plan_list(documents_of(d, ConfigKind::capacity)); }

NamedDocument data_table(const ConfigDirs& d, const std::string& name) {
  const auto found = find_config(d, ConfigKind::data, name);
  if (!found) throw InputError("orrery list", "", "no configs/data/" + name + ".json", "that file");
  return {name, found->file, parse_json(found->text, found->file)};
}
Table list_corpora(const ConfigDirs& d) {
  const NamedDocument table = data_table(d, "corpora");
  return corpus_list(table.json, table.file);
}
Table list_samples(const ConfigDirs& d) {
  const NamedDocument table = data_table(d, "samples");
  return sample_list(table.json, table.file);
}
Table list_metrics(const ConfigDirs& /*d*/) { return metric_list(); }
Table list_schedules(const ConfigDirs& /*d*/) { return schedule_list(); }
Table list_collectives(const ConfigDirs& /*d*/) { return collective_list(); }
Table list_recipes(const ConfigDirs& /*d*/) { return recipe_list(); }

struct Kind {
  const char* name;
  Table (*list)(const ConfigDirs&);
};

constexpr std::array kKinds = {
    Kind{"models", list_models},
    Kind{"nodes", list_nodes},
    Kind{"devices", list_devices},
    Kind{"frameworks", list_frameworks},
    Kind{"compressions", list_compressions},
    Kind{"runs", list_runs},
    Kind{"sweeps", list_sweeps},
    Kind{"metrics", list_metrics},
    Kind{"schedules", list_schedules},
    Kind{"collectives", list_collectives},
    Kind{"recipes", list_recipes},
    Kind{"graphs", list_graphs},
    Kind{"fabrics", list_fabrics},
    Kind{"failures", list_failures},
    Kind{"storage", list_storage},
    Kind{"prices", list_prices},
    Kind{"energy", list_energy},
    Kind{"corpora", list_corpora},
    Kind{"samples", list_samples},
    Kind{"plans", list_plans},
};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind& k : kKinds) names.emplace_back(k.name);
  return names;
}

ExitCode run_list(const std::string& what, const Session& s) {
  for (const Kind& k : kKinds) {
    if (what != k.name) continue;
    const Table list = k.list(dirs_of(s));
    give(s, s.json ? dump(json_rows(list)) : s.csv ? csv_of(list) : text_of(list, {}));
    return ExitCode::answer;
  }
  throw InputError("orrery list", "", what.empty() ? "nothing to list" : "\"" + what + "\"",
                   alternatives(kind_names()), nearest_name(what, kind_names()));
}

}  // namespace

Action declare_list(CLI::App& app) {
  auto what = std::make_shared<std::string>();
  app.add_option("WHAT", *what, alternatives(kind_names()));
  return [what](const Session& s) { return run_list(*what, s); };
}

}  // namespace orrery
