// SPDX-License-Identifier: Apache-2.0
//
// The operators of a model for whoever reads them at once: one list a thread, on the heap, because
// two of them are more than a thread's stack has space for. Errors: none.
#pragma once

#include "model/operators.h"

namespace orrery {

// model_operators(), which stand until the next call in this thread.
const ModelOperators& listed_operators(const Architecture& a, const ListOptions& options);

}  // namespace orrery
