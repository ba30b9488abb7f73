// SPDX-License-Identifier: Apache-2.0
//
// Samples of several sizes in one job: buckets of resolutions. A micro batch is of one bucket.
//
// Ranks of data parallelism draw the buckets of their micro batches by share and wait for the
// slowest of them. A step is a draw of `draws` micro batches by each of `ranks`: the expected
// maximum of their times follows from their distribution to the power of the ranks (order
// statistics, H. A. David, Order Statistics, 1981, section 2.1). The sums of few draws are counted
// one by one; of many, a sum is taken as normal and the shares are tilted towards slow buckets
// until their mean is its expected maximum. Leaves out: samplers that sort or balance samples over
// ranks. Units: pixels, frames, tokens, samples; times in any unit. Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

// Shares of the slowest rank's micro batches by bucket, where a micro batch of each takes such a
// time. They sum to 1.
std::vector<double> slowest_shares(std::span<const double> shares, std::span<const double> times,
                                   std::int64_t ranks, std::int64_t draws);

}  // namespace orrery
