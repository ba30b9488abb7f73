// SPDX-License-Identifier: Apache-2.0
//
// The plain curve beside which the form of cost/product.h is judged: a product of F FLOPs takes
//
//   t = launch + (F + F½)/rate
//
// whatever its shape, so that it attains half its rate at F½. Nothing estimates by it; where waves
// of tiles decide, it fits worse. Units: SI. Errors: none. Source: Hockney's r∞ and n½ (1982).
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

// Of products alone, at least one; `peak` is where the rate's prior starts.
SaturatingCurve fit_saturating(std::span<const Measurement* const> products, FlopsPerSecond peak);

}  // namespace orrery
