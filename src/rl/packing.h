// SPDX-License-Identifier: Apache-2.0
//
// Tokens of the packs into which a learner puts prompts with their answers.
//
//   T = max(n·mean/replicas, longest)     tokens of the fullest replica
//   k = ⌈T / (s·b)⌉                       micro batches of b packs of up to s tokens
//   T / (k·b)                             tokens of a pack
//
// A replica shares its tokens evenly over as few micro batches as hold them, and the replicas share
// those of the batch evenly (volcengine/verl verl/utils/seqlen_balancing.py @b178a3cd: as many
// micro batches as ⌈tokens/limit⌉, partitions of equal sums); none holds less than its longest
// sequence. Leaves out: partitions that are not even (longest-first is at most 4/3 of T, R. L.
// Graham, Bounds on multiprocessing timing anomalies, 1969), replicas whose mini batches were dealt
// by number and not by tokens. Memory is that of full packs, which another step may have. Units:
// tokens. Errors: none.
#pragma once

#include <cstdint>

#include "estimate/run.h"

namespace orrery {

double tokens_of_fullest_replica(double sequences, double mean, double longest, double replicas);

// Micro batches of up to `most` tokens each.
std::int64_t micro_batches_for(double tokens, double most);

// The learner with packs of so many tokens, rounded up to whole rows of products for each rank that
// shares a sequence, and no more than the learner's own.
Run with_packs_of(const Run& learner, double tokens);

}  // namespace orrery
