// SPDX-License-Identifier: Apache-2.0
//
// How much of an exchange inside a block shows: the part that no compute hides.
//
// An exchange either runs beside a compute that covers it, where the framework does so, and what is
// longer shows; or the framework's share for its group shows. Exchanges of one pass with one cover
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

// What the framework leaves exposed of an exchange that takes `time`, beside `cover`.
template <Number R>
SecondsOf<R> exposed_part(const Exchange& e, SecondsOf<R> time, SecondsOf<R> cover, const Run& run);

}  // namespace orrery
