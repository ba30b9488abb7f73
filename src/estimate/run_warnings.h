// SPDX-License-Identifier: Apache-2.0
//
// Warnings to the user of a resolved run, one line each: lossy or idle codecs, notes of the
// cluster, a parameter count far from the model's name, an attention kernel the device has no
// efficiency of or that is of 16 bits alone, recompute that the framework lacks, packed weights in
// shards, keys of a model file nothing is known of. Errors: none.
#pragma once

#include <string>
#include <vector>

namespace orrery {

struct ResolvedRun;
struct RlRun;

std::vector<std::string> run_warnings(const ResolvedRun& run);

// Keys of a placement of reinforcement learning that another kind of placement reads alone.
std::vector<std::string> placement_warnings(const RlRun& rl);

// A diffusion model that reads what text encoders and an autoencoder made, of which the run has
// none: beforehand, or on the device in every step, which nobody gave.
bool leaves_out_encoders(const ResolvedRun& run);

}  // namespace orrery
