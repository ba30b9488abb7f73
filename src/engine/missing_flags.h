// SPDX-License-Identifier: Apache-2.0
//
// Keys that a run described by flags still lacks, all at once and as they are typed.
#pragma once

#include "core/error.h"
#include "core/json_fwd.h"
#include "engine/request.h"
#include "estimate/config_lookup.h"

namespace orrery {

// The error with every flag that such a run lacks, where it is about one of them; else as it is.
// False of a model whose samples are no text: they give their length otherwise (model/trunk.h).
bool is_text_model(const Json& run, const ConfigLookup& lookup);

InputError with_missing_flags(const InputError& e, const Json& run, const ConfigLookup& lookup,
                              Asker asker);

}  // namespace orrery
