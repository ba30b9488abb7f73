// SPDX-License-Identifier: Apache-2.0
//
// Why a job ran out of memory: what its message states, weighed, and beside a run what the estimate
// predicts.
//
// From the message alone: the allocator holds enough in pieces (reserved − allocated against what
// was asked), another process or an engine beside it (the device's memory that this process does
// not use), a limit set on the process, private pools of graphs, or simply more tensors than the
// device holds. With a run, the last splits: tensors of the size that was asked for
// (known_tensors.h), recompute and encoders of a diffusion model that nobody gave, and ways in
// which the run may differ (hypotheses.h), each weighted by the probability that its allocated
// peak, lognormal about the prediction (estimate/risk.h), reaches what was allocated and asked for.
// Weights are judgements; they are scaled to a sum of one. Leaves out two causes together. Units:
// bytes. Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "exchange/messages/memory_message.h"
#include "insight/diagnosed_cause.h"

namespace orrery {

struct RunReport;

// Without a run (nullptr), from the message alone. The likeliest first; those below two in a
// hundred are left out.
std::vector<DiagnosedCause> memory_causes_of(const MemoryMessage& m, const RunReport* run);

// Memory of the device that neither this process nor anything free accounts for; nothing where the
// message does not state enough.
std::optional<Bytes> held_by_others(const MemoryMessage& m);

}  // namespace orrery
