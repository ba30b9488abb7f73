// SPDX-License-Identifier: Apache-2.0
//
// The `compression` object of a run file, and of the documents in configs/compression.
//
//   {"dp": {"ratio": 4, "throughput": "50 GB/s"},
//    "tp": {"all-reduce": {"bits": 8, "compress": "100 GB/s", "decompress": "unlimited"}}}
//
// A codec is of a dimension, or of each of its collectives by name. `ratio` is bytes before over
// bytes after, at least 1; or `bits` of an element, at most those it has. `throughput` is of
// compression and decompression, in bytes before compression; or each for itself; "unlimited"
// takes no time. `call` (0) is what starting either costs, `recompress` (true) whether each hop of
// a reduction must, `lossless` (false) a label. etp takes tp's codecs and edp dp's where they have
// none of their own. Errors: InputError.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "core/json_reader.h"
#include "parallel/compression.h"

namespace orrery {

// Bytes of an element on the wire, before compression.
struct WireElements {
  double activation = 2;
  double gathered_weight = 2;
  double reduced_gradient = 2;
};

struct CompressionProfile {
  Compression compression;
  std::string name;  // "" for one without
};

CompressionProfile read_compression(Reader document, const WireElements& elements);

// The profile as resolved: every codec that is on, ratios in place of bits. Reads back the same.
Json compression_json(const CompressionProfile& profile);

}  // namespace orrery
