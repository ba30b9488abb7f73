// SPDX-License-Identifier: Apache-2.0
#include "insight/collective_against.h"

#include <cmath>

#include "validate/summary.h"

namespace orrery {

double error_of(const AgainstPoint& p) { return p.predicted.time / p.measured - 1.0; }

CurveErrors errors_of(std::span<const AgainstCurve> curves) {
  std::vector<double> all;
  std::vector<double> sizes;
  for (const AgainstCurve& c : curves) {
    for (const AgainstPoint& p : c.points) {
      all.push_back(error_of(p));
      sizes.push_back(std::abs(all.back()));
    }
  }
  return {all.size(), quantile(sizes, 0.5), quantile(sizes, 1), quantile(all, 0.5)};
}

}  // namespace orrery
