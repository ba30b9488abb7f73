// SPDX-License-Identifier: Apache-2.0
//
// The answer of `list`: the tables in code, and documents by name as io found them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "document/table.h"
#include "hardware/lookup.h"

namespace orrery {

Table metric_list();
Table schedule_list();
Table collective_list();
Table recipe_list();

struct NamedDocument {
  std::string name;
  std::string file;
  Json json;
};

Table model_list(const std::vector<NamedDocument>& documents);
// `published`: runs of validation/runs on each device.
Table device_list(const std::vector<NamedDocument>& documents,
                  const std::map<std::string, std::int64_t>& published);
Table node_list(const std::vector<NamedDocument>& documents, const HardwareLookup& lookup);
Table framework_list(const std::vector<NamedDocument>& documents);
Table tool_list(const std::vector<NamedDocument>& documents);
Table compression_list(const std::vector<NamedDocument>& documents);
Table run_list(const std::vector<NamedDocument>& documents);
Table sweep_list(const std::vector<NamedDocument>& documents);
Table graph_list(const std::vector<NamedDocument>& documents);
Table fabric_list(const std::vector<NamedDocument>& documents);

// Documents that capacity plans name. The two tables of configs/data are one document each.
Table failure_list(const std::vector<NamedDocument>& documents);
Table recovery_list(const std::vector<NamedDocument>& documents);
Table fleet_list(const std::vector<NamedDocument>& documents);
Table switch_list(const std::vector<NamedDocument>& documents);
Table storage_list(const std::vector<NamedDocument>& documents);
Table price_list(const std::vector<NamedDocument>& documents);
Table engine_list(const std::vector<NamedDocument>& documents);
Table energy_list(const std::vector<NamedDocument>& documents);
Table corpus_list(const Json& table, const std::string& file);
Table sample_list(const Json& table, const std::string& file);
Table plan_list(const std::vector<NamedDocument>& documents);

}  // namespace orrery
