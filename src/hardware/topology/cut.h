// SPDX-License-Identifier: Apache-2.0
//
// The rate from one set of devices to another: the least capacity of any cut between them, which is
// the largest flow (Ford and Fulkerson, Canad. J. Math. 8, 1956). Only arcs with a load count, so
// that a cut is one of the routes in use, not of all cables there are. Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hardware/topology/routes.h"
#include "orrery/quantity.h"

namespace orrery {

// A link in use; rates in bytes a second.
struct Pipe {
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int64_t forth = 0;
  std::int64_t back = 0;
};

class Cuts {
 public:
  // The routes outlive the cuts.
  Cuts(const Routes& routes, const ArcLoads& usable);

  // The sets have no device in common.
  BytesPerSecond between(std::span<const std::int32_t> from,
                         std::span<const std::int32_t> to) const;

 private:
  std::int32_t touch(std::int32_t v);

  const Routes* routes_;
  std::vector<Pipe> pipes_;          // between vertices by index
  std::vector<std::int32_t> index_;  // of the vertices with pipes; kNone else
  std::int32_t touched_ = 0;
};

}  // namespace orrery
