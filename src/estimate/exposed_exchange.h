// SPDX-License-Identifier: Apache-2.0
//
// The exposed part of an exchange inside a block: the part that no compute hides.
//
// If the framework runs an exchange beside a compute, its time beyond that compute is exposed; else
// the framework's share for its group is exposed. Exchanges of one pass under the same compute
// share it evenly. Leaves out: exchanges of data parallelism (data_parallel.h), and pairs of passes
// that hide each other's (stage.h). Units: SI. Errors: none.
#pragma once

#include "core/number.h"

namespace orrery {

struct Exchange;
struct Run;
struct ShardedOperator;
template <Number R>
struct OperatorTime;

// The compute that an exchange can hide under.
template <Number R>
SecondsOf<R> cover_of(const ShardedOperator& op, const Exchange& e, const OperatorTime<R>& t);

// The exposed time of an exchange that takes `time`, beside `cover`.
template <Number R>
SecondsOf<R> exposed_part(const Exchange& e, SecondsOf<R> time, SecondsOf<R> cover, const Run& run);

}  // namespace orrery
