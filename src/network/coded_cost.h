// SPDX-License-Identifier: Apache-2.0
//
// The cost of a collective with a codec (network/codec.h).
//
// Bytes fall by the ratio; the codec's time is added to the collective's, hop by hop where a
// reduction must be recompressed, because addition needs decompressed data. For n ranks and
// the full buffer S a ring's reduce-scatter then compresses and decompresses (n − 1)/n·S in n − 1
// hops, and an all-gather compresses S/n once and decompresses (n − 1)/n·S (Huang et al., gZCCL,
// ICS 2024). A codec whose compressed form can be added compresses before and decompresses after.
// Switches cannot add what is compressed, so in-network reduction is not used. Leaves out:
// pipelining of codec and wire, processors the codec takes from compute, ratios that depend on the
// data. Units: SI. Errors: none.
#pragma once

#include <cstdint>

#include "network/codec.h"
#include "network/collective_cost.h"

namespace orrery {

// `full` is the buffer before compression.
template <Number R>
SecondsOf<R> codec_time(const Codec& codec, Collective kind, std::int64_t ranks, BytesOf<R> full);

template <Number R>
CollectiveCost<R> coded_cost(const Cluster& c, const Group& g, Collective kind, BytesOf<R> full,
                             const Codec& codec);

}  // namespace orrery
