// SPDX-License-Identifier: Apache-2.0
//
// A run file that has several kinds of node: the question, and its keys. Errors: InputError.
#pragma once

#include <cstddef>
#include <string>

#include "core/json_fwd.h"

namespace orrery {

class Reader;
struct StrategyRequest;

bool has_groups(const Json& run);

// The run with one group in place as its cluster; any other as it is.
Json without_single_group(const Json& run, const std::string& file);

// Keys of `parallel` that only a run with groups has.
void erase_group_keys(Json& parallel);

// The group as the cluster of a plain run.
Json cluster_of_group(const Json& group);

// The run without a group and the links that name it.
Json without_group(Json run, std::size_t group, const std::string& name);

// A run with groups is of no use to those that know one kind of node.
void refuse_groups(const Reader& cluster);

// Keys of `parallel` that place a run on groups, in a run without any.
void refuse_group_keys(const StrategyRequest& request, const std::string& file);

}  // namespace orrery
