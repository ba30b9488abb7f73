// SPDX-License-Identifier: Apache-2.0
//
// Settings that a run file can state in two places: by our keys, and by a framework's own switch or
// by the order in a schedule's file.
//
// Both say the same, or one is silent and takes what the other says. Errors: InputError where they
// differ, naming both.
#pragma once

namespace orrery {

struct ResolvedRun;
struct StrategyRequest;

// cp_type and a profile's cp_comm_type.
void agree_on_context(const StrategyRequest& request, ResolvedRun& run);

// ZeRO++ and partition, and DeepSpeed's switches of the same.
void agree_on_sharding(const StrategyRequest& request, ResolvedRun& run);

// A profile's float8, which stands beside training.precision fp8.
void agree_on_precision(const ResolvedRun& run);

// pp, vpp and the micro batches, and those of an order of the user's own.
void check_own_order(const ResolvedRun& run);

}  // namespace orrery
