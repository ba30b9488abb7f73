// SPDX-License-Identifier: Apache-2.0
//
// The exchange between sites (estimate/training.h).
//
//   V = 2(M − 1)/M · n · q/8
//
//   E = P · max(0, V/(P·W) + α − τ·t)
//
//   u = H·t/(H·t + E)
//
// V bytes that a site sends in a round of H steps, over a ring; E of a round, not hidden by
// training; u utilisation; for M sites, n parameters that train, q bits, P fragments, W bytes/s and
// α of a site's link, τ steps of time t that hide a fragment. Leaves out: the outer optimizer's own
// update, sums in more bits than are sent, other traffic of the links. Units: SI. Errors: none.
#pragma once

#include <cstdint>
#include <optional>

#include "core/number.h"
#include "estimate/training.h"

namespace orrery {

struct Run;

// V.
template <Number R>
BytesOf<R> outer_bytes(const Run& run);

// E, of inner steps that take `step`.
template <Number R>
SecondsOf<R> outer_exposed(const Run& run, SecondsOf<R> step);

// Bytes that all sites send to others in these steps; 0 on one site.
Bytes sent_between_sites(const Run& run, std::int64_t steps);

double outer_utilisation(const OuterSteps& outer, Seconds step, Seconds exposed);

// W at which a round is used to this share; nothing where latency alone takes more.
std::optional<BytesPerSecond> bandwidth_for(const Run& run, Seconds step, double utilisation);

}  // namespace orrery
