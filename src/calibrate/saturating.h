// SPDX-License-Identifier: Apache-2.0
//
// A plain curve for comparison with the formula of cost/product.h: a product of F FLOPs takes
//
//   t = launch + (F + F½)/rate
//
// independent of its shape, so it attains half its rate at F½. No estimate uses it; it fits worse
// when waves of tiles matter. Units: SI. Errors: none. Source: Hockney's r∞ and n½ (1982).
#pragma once

#include <span>

#include "calibrate/measurement.h"

namespace orrery {

struct SaturatingCurve {
  FlopsPerSecond rate{};
  Flops half{};
  Seconds launch{};
};

Seconds time_by(const SaturatingCurve& c, Flops work);

// Needs at least one point, all of products; `peak` is the prior of the rate.
SaturatingCurve fit_saturating(std::span<const Measurement* const> products, FlopsPerSecond peak);

}  // namespace orrery
