// SPDX-License-Identifier: Apache-2.0
//
// The answer to `simulate` of a run on several kinds of node, as a document and as JSON: the step
// played, the closed form with named differences, and the times of every stage of every class of
// replicas.
#pragma once

#include "core/json_fwd.h"
#include "document/document.h"

namespace orrery {

struct PlayedMixed;

AnswerDocument mixed_simulation_document(const PlayedMixed& p);
Json mixed_simulation_json(const PlayedMixed& p);

}  // namespace orrery
