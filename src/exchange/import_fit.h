// SPDX-License-Identifier: Apache-2.0
//
// The part of an import that needs the model and the profile of the run, which the command line may
// name.
//
// - A switch that the profile lacks: if it was assumed it is dropped; if it was given it becomes
// our
//   own key if there is one, and is otherwise listed.
// - Every n-th layer checkpointed (ImportedRun::checkpointed_every): the same number of layers at
// the
//   beginning of each chunk, with the same bytes and the same work.
//
// Errors: InputError for an unknown name of the command line.
#pragma once

#include "exchange/foreign.h"

namespace orrery {

// `given`: the run as far as the command line says it.
void fit_import(ImportedRun& imported, const Json& given, const ConfigLookup& lookup);

}  // namespace orrery
