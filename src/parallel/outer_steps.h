// SPDX-License-Identifier: Apache-2.0
//
// Replicas that are spread over several sites, and how rarely they agree.
//
// Each site trains with its own share of the replicas; every H steps the sites sum what changed
// since the last time, over the links between them (local SGD, DiLoCo, arXiv:2311.08105; H = 1 is
// plain data parallelism across sites). Streaming sends the parameters in P fragments, each beside
// τ steps of training (arXiv:2501.18512). Leaves out: convergence, sites of different speed or
// rate, pipelines across sites. Units: SI. Errors: none.
#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

// Where the outer copy and its momentum are: on the device they are sharded as the optimizer's
// states, on the host they are not counted.
enum class OuterPlace : std::uint8_t { host, device };
constexpr EnumNames<OuterPlace> names_of(OuterPlace) { return {"host", "device"}; }

struct OuterSteps {
  std::int64_t every = 1;      // H, inner steps
  std::int64_t bits = 32;      // of a parameter's outer gradient on the wire
  std::int64_t fragments = 1;  // P
  double overlap = 0;          // τ, inner steps that hide a fragment's exchange
  OuterPlace states = OuterPlace::host;

  bool operator==(const OuterSteps&) const = default;
};

// Outer copy and Nesterov momentum in fp32 (arXiv:2311.08105, algorithm 1).
inline constexpr double kOuterStateBytes = 8;

}  // namespace orrery
