// SPDX-License-Identifier: Apache-2.0
//
// The answer to `search` of a run on several kinds of node, as a document and as JSON.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct MixedSearchResult;

AnswerDocument mixed_search_document(const MixedSearchResult& r);
Json mixed_search_json(const MixedSearchResult& r);

}  // namespace orrery
