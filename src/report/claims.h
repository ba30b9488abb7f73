// SPDX-License-Identifier: Apache-2.0
//
// The answer to `validate` of claims: each claim, what it assumes, what is computed, its verdicts.
#pragma once

#include <vector>

#include "core/json_fwd.h"
#include "document/document.h"
#include "validate/claim_verdict.h"

namespace orrery {

AnswerDocument claims_document(const std::vector<JudgedClaim>& claims);
Json claims_json(const std::vector<JudgedClaim>& claims);

}  // namespace orrery
