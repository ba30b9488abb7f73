// SPDX-License-Identifier: Apache-2.0
//
// The answer to `compare`: as a document and as JSON; CSV has a row a number.
#pragma once

#include <string>

#include "document/document.h"
#include "insight/compare.h"

namespace orrery {

Json comparison_json(const Comparison& c);
AnswerDocument comparison_document(const Comparison& c);

}  // namespace orrery
