// SPDX-License-Identifier: Apache-2.0
//
// Axes of a search that are keys of the run file: each choice of their values is a run of its own.
//
//   "axes": {"gpus": {"min": 512, "max": 2048, "factor": 2}, "precision": ["bf16", "fp8"],
//            "overlap": "free", "cluster.node": ["dgx-h100", "hgx-h200"]}
//
// A list holds any values of the key. {"min", "max"} with "step" or "factor" is a range of numbers;
// `gpus` without either goes by whole nodes. "free" means every precision of the device, and for
// overlap every dimension that the framework overlaps, on and off. Errors: InputError.
#pragma once

#include <string>
#include <vector>

#include "core/json_reader.h"
#include "estimate/open_run.h"
#include "explore/space.h"

namespace orrery {

// The path a key of `search.axes` stands for, where it is an outer axis; else nothing: "gpus" is
// cluster.gpus, and a key with a dot stands for itself.
std::string outer_path(const std::string& key);

// The axes of `axes` that are outer ones. `run` is the run file.
std::vector<OuterAxis> read_outer_axes(Reader& axes, const Json& run, const ConfigLookup& lookup);

// The run file with one choice in it.
Json with_choice(Json run, const std::vector<OuterAxis>& outer,
                 const std::vector<std::size_t>& choice);

// All choices, the last axis fastest.
std::vector<std::vector<std::size_t>> choices_of(const std::vector<OuterAxis>& outer,
                                                 const std::string& file);

}  // namespace orrery
