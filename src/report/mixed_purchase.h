// SPDX-License-Identifier: Apache-2.0
//
// The answer to `capacity` of a run on several kinds of node, as a document and as JSON. Errors:
// none.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct MixedPurchase;

AnswerDocument mixed_purchase_document(const MixedPurchase& p);
Json mixed_purchase_json(const MixedPurchase& p);

}  // namespace orrery
