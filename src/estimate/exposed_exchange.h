// SPDX-License-Identifier: Apache-2.0
//
// The exposed part of an exchange inside a block: the part that no compute hides.
//
// If the framework runs an exchange beside a compute, its time beyond that compute is exposed; else
// the framework's share for its group is exposed. Exchanges of one pass under the same compute
// share it evenly. Tensor parallelism's copies beside its products go over the links of a node:
// over a fabric its exchanges stand in the open. Leaves out: exchanges of data parallelism
// (data_parallel.h), and pairs of passes that hide each other's (stage.h). Units: SI. Errors: none.
#pragma once

#include <cstdint>

#include "core/number.h"

namespace orrery {

struct Exchange;
struct Run;
struct ShardedOperator;
template <Number R>
struct OperatorTime;

// True where `ep_exposed_interleaved` holds: in an interleaved pipeline the exchanges of experts
// run beside the chunks of other micro batches. Megatron-Core refuses that beside full recompute
// [from memory, unverified].
bool hides_experts(const Run& run);

// The compute that an exchange can hide under.
template <Number R>
SecondsOf<R> cover_of(const ShardedOperator& op, const Exchange& e, const OperatorTime<R>& t);

// The exposed time of an exchange that takes `time` over links up to those of `tier`, beside
// `cover`.
template <Number R>
SecondsOf<R> exposed_part(const Exchange& e, SecondsOf<R> time, std::uint8_t tier,
                          SecondsOf<R> cover, const Run& run);

}  // namespace orrery
