// SPDX-License-Identifier: Apache-2.0
//
// The codec of each collective of each dimension, as a plain fixed-size value.
//
// Lossless on activations and lossy on gradients, and different rates by dimension, as in Xu et
// al., arXiv:2409.02423. The effect of a codec on bytes and time is in network/coded_cost.h; the
// `compression` of a run file is compression_json.h; quantization inside ZeRO++ is a switch of its
// own (Strategy::zeropp). Leaves out the effect of lossy gradients on training. Errors: none.
#pragma once

#include "network/codec.h"
#include "network/collective.h"
#include "parallel/comm_dimension.h"

namespace orrery {

struct Compression {
  EnumArray<CommDimension, EnumArray<Collective, Codec>> codecs;

  Codec& of(CommDimension d, Collective c) { return codecs[d][c]; }
  const Codec& of(CommDimension d, Collective c) const { return codecs[d][c]; }

  bool operator==(const Compression&) const = default;
};

inline bool compresses(const Compression& c, CommDimension d, Collective kind) {
  return is_on(c.of(d, kind));
}

inline bool compresses(const Compression& c) { return c != Compression{}; }

inline bool is_lossy(const Codec& c) { return is_on(c) && !c.lossless; }

}  // namespace orrery
