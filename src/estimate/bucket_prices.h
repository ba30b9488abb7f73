// SPDX-License-Identifier: Apache-2.0
//
// Prices of blocks where samples are of several sizes (model/buckets.h): each bucket's, and the
// mean over the micro batches of the slowest rank, by which all else of the chain follows.
//
// Ranks wait for each other at the end of a step, or at every micro batch where they gather
// weights. Which bucket is slower is judged by compute and exposed exchanges of the layers. Memory
// is the largest bucket's; FLOPs are the mean of all ranks. Copies of offloaded activations are
// those of the largest bucket. Leaves out: a stage of a pipeline that waits for a larger micro
// batch of another. Errors: none.
#pragma once

#include "estimate/price.h"

namespace orrery {

template <Number R>
void price_buckets(const Run& run, PriceScratch& scratch, Prices<R>& prices);

}  // namespace orrery
