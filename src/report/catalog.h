// SPDX-License-Identifier: Apache-2.0
//
// What `list` lists: the tables in code, and documents by name as io found them.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "hardware/lookup.h"
#include "report/listing.h"

namespace orrery {

Listing metric_list();
Listing schedule_list();
Listing collective_list();
Listing recipe_list();

struct NamedDocument {
  std::string name;
  std::string file;
  Json json;
};

Listing model_list(const std::vector<NamedDocument>& documents);
Listing device_list(const std::vector<NamedDocument>& documents);
Listing node_list(const std::vector<NamedDocument>& documents, const HardwareLookup& lookup);
Listing framework_list(const std::vector<NamedDocument>& documents);
Listing compression_list(const std::vector<NamedDocument>& documents);
Listing run_list(const std::vector<NamedDocument>& documents);
Listing sweep_list(const std::vector<NamedDocument>& documents);
Listing graph_list(const std::vector<NamedDocument>& documents);
Listing fabric_list(const std::vector<NamedDocument>& documents);

// What capacity plans name. The two tables of configs/data are one document each.
Listing failure_list(const std::vector<NamedDocument>& documents);
Listing storage_list(const std::vector<NamedDocument>& documents);
Listing price_list(const std::vector<NamedDocument>& documents);
Listing energy_list(const std::vector<NamedDocument>& documents);
Listing corpus_list(const Json& table, const std::string& file);
Listing sample_list(const Json& table, const std::string& file);
Listing plan_list(const std::vector<NamedDocument>& documents);

}  // namespace orrery
