// SPDX-License-Identifier: Apache-2.0
//
// Parts of reading DeepSpeed's JSON (exchange/deepspeed/deepspeed.h): how gradients are kept and
// sent, and the three batch sizes.
#pragma once

#include "exchange/import_draft.h"

namespace orrery::deepspeed {

// After precision and optimizer: the bytes of a gradient, kept and on the wire.
void read_states_of(ImportDraft& d);

// After the degrees: what of the three sizes is not given follows from the others over the
// replicas.
void read_batches_of(ImportDraft& d, const Json& given);

}  // namespace orrery::deepspeed
