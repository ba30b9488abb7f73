// SPDX-License-Identifier: Apache-2.0
#include "insight/best_words.h"

#include <cmath>
#include <limits>

#include "core/units.h"
#include "document/words.h"

namespace orrery {

std::string the_best(const Conditions& c) {
  return c.objective ? "the best by " + c.objective->expression.text() : "the fastest";
}

double loss(double objective, double best) {
  if (objective == best) return 0;
  if (best == 0) return std::numeric_limits<double>::infinity();
  return best > 0 ? objective / best - 1 : 1 - objective / best;
}

std::string loss_words(const Conditions& c, double loss) {
  constexpr double kShown = 5e-4;  // less is 0.0 %
  if (loss < kShown) return (c.objective ? "as good as " : "as fast as ") + the_best(c);
  if (std::isinf(loss)) return "worse than " + the_best(c);
  return percent(loss) + (c.objective ? " worse than " : " over ") + the_best(c);
}

double stated_value(const Aim& aim, double objective) {
  return aim.maximize ? -objective : objective;
}

}  // namespace orrery
