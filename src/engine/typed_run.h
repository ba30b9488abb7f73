// SPDX-License-Identifier: Apache-2.0
//
// A run of a request as a command line would say it, for the next command that an answer names.
// Errors: none.
#pragma once

#include "insight/settings.h"

namespace orrery {

struct GivenRun;
struct RunSource;

// RUN stands for a document without a name.
TypedRun typed_run(const GivenRun& given, const RunSource* source = nullptr);

}  // namespace orrery
