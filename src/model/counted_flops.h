// SPDX-License-Identifier: Apache-2.0
//
// FLOPs as numbers that may be recorded: forward_flops() of model/operators.h and model_flops() of
// model/flops.h are these with R = double. Errors: none.
#pragma once

#include "core/number.h"
#include "model/flops.h"
#include "model/operators.h"

namespace orrery {

// 2mnk of every product, and for attention the `pairs` of query and key that count.
template <Number R>
FlopsOf<R> forward_flops_of(OpKind kind, const OperatorSizes& sizes, double pairs);

template <Number R>
FlopsOf<R> model_flops_of(const Architecture& a, FlopsConvention convention,
                          const CountedStep& step);

}  // namespace orrery
