// SPDX-License-Identifier: Apache-2.0
//
// The answer to `search` of a run on several kinds of node, as a document and as JSON.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct MixedFound;
struct MixedSearchResult;
struct TypedRun;

// "a100 tp 8 → h100 tp 4"
std::string groups_words(const MixedFound& f);

AnswerDocument mixed_search_document(const MixedSearchResult& r, const TypedRun& run);
Json mixed_search_json(const MixedSearchResult& r);

}  // namespace orrery
