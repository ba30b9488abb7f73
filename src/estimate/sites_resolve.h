// SPDX-License-Identifier: Apache-2.0
//
// `cluster.sites` and `training.outer` of a run file: replicas spread over several sites, and how
// rarely these agree (estimate/outer_steps.h). Errors: InputError.
#pragma once

namespace orrery {

class Reader;
struct ResolvedRun;

// After the training is resolved.
void take_sites(Reader& root, ResolvedRun& out);

}  // namespace orrery
