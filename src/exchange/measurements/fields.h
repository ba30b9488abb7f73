// SPDX-License-Identifier: Apache-2.0
//
// One measurement from named fields: a row of CSV by its header, or an object of JSON.
//
// | work | fields |
// | --- | --- |
// | product | m, n, k, dtype; groups, weight_gradient (of a grouped one), layout (TN, NN, NT) |
// | attention | kernel, pass, batch, heads, sequence, head_dim, causal, dtype |
// | memory-bound kernel | kernel, bytes (read and written) |
// | collective | collective, ranks, bytes (S of network/collective.h) |
// | copy from or to the host | copy = "host" or "to host", bytes |
// | launch of an empty kernel | launch = "empty" |
//
// and each the time: `us`, or for products and attention `tflops` (for causal attention by the
// FLOPs of the causal half), for a collective `busbw` (network/bus_factor.h) in GB/s; `spread`,
// relative, is optional. Errors: InputError.
#pragma once

#include "calibrate/measurement.h"
#include "core/json_reader.h"

namespace orrery::detail {

Measurement read_measured(Reader r);

// The collective that `collective` names, and its `ranks`.
MeasuredCollective read_collective(Reader& r);

}  // namespace orrery::detail
