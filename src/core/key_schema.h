// SPDX-License-Identifier: Apache-2.0
//
// Tables of keys as JSON Schema, draft 7: what an editor or a validator can know of a document.
//
// A schema says names, kinds, ranges, units and choices; rules between keys it does not. A document
// that may stand in another is a definition, once as a whole and once as changes of one by name.
#pragma once

#include <string>

#include "core/json_fwd.h"
#include "core/keys.h"

namespace orrery {

// `title` names the document: "run". `what` is one sentence about it.
Json json_schema(const Form& document, const std::string& title, const std::string& what);

}  // namespace orrery
