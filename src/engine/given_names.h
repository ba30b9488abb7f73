// SPDX-License-Identifier: Apache-2.0
//
// Names that people type for models, nodes, frameworks and optimizers, in place of ours.
//
// Rows of configs/names.json, and hub names of shipped models (exchange/hub_names.h). A name that a
// document or file of its own has stays. A node's name may carry counts: "8xA100" is eight GPUs,
// "2 nodes of 4 A100 PCIe" eight in nodes of four; a run without `gpus` takes them, and of several
// nodes of one GPU ("by_gpus" of a row) the smallest that has as many. Fewer GPUs of a
// node than it has make its inner tier as small (`devices_per_node` and the tier's `size`, which is
// one decision). Each name that is replaced is a fact, whose `where` begins with kNameOf, so that
// the answer says it. Errors: InputError where a hub's name is of no shipped model, where counts
// contradict each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"
#include "estimate/config_lookup.h"

namespace orrery {

// The run with our names of model, framework and optimizer; adds a fact for each.
void take_names(const ConfigLookup& lookup, const std::string& file, Json& run,
                std::vector<Fact>& facts);

// The same of its node, with the GPUs that the name and `nodes` say. Once all else is set.
void take_node(const ConfigLookup& lookup, const std::string& file,
               std::optional<std::int64_t> nodes, Json& run, std::vector<Fact>& facts);

// Our name of a model or a node that people call so; the name itself where it is ours, or nobody's.
std::string our_model_name(const ConfigLookup& lookup, const std::string& name);
std::string our_node_name(const ConfigLookup& lookup, const std::string& name);

// "8xA100" in parts.
struct CountedName {
  std::string name;
  std::int64_t nodes = 0;     // 0: not given
  std::int64_t per_node = 0;  // GPUs of each
};
CountedName counted_name(const std::string& text);

}  // namespace orrery
