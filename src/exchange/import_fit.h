// SPDX-License-Identifier: Apache-2.0
//
// What an import can only say once names are looked up, by the model and the profile the run will
// have, which the command line may name.
//
// - A switch the profile lacks: assumed, it goes, the profile's habit holds; given, it becomes our
//   own key where there is one, and is otherwise listed.
// - Every n-th layer checkpointed (ImportedRun::checkpointed_every): as many layers of each chunk,
//   the first instead of the n-th: the same bytes and the same work.
//
// Errors: InputError where a name the command line gives is not known.
#pragma once

#include "exchange/foreign.h"

namespace orrery {

// `given`: the run as far as the command line says it.
void fit_import(ImportedRun& imported, const Json& given, const ConfigLookup& lookup);

}  // namespace orrery
