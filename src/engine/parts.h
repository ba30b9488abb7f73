// SPDX-License-Identifier: Apache-2.0
//
// Options of `simulate` that name a part of the cluster: `slow` gpu:17=1.3 and `fail` node:3.
//
// Parts are numbered from 0: GPUs by rank, nodes in order, and of links each node's to the others.
// Errors: InputError with what is allowed.
#pragma once

#include <string>
#include <vector>

#include "sim/fail.h"

namespace orrery {

Slow read_slow(const std::string& text, const Run& run);

// Refuses failures after which the run cannot go on. With replicas left out, ranks have other
// numbers: then nothing else may be named by number.
std::vector<Failure> read_failures(const std::vector<std::string>& texts,
                                   const std::vector<std::string>& slow, const Run& run);

}  // namespace orrery
