// SPDX-License-Identifier: Apache-2.0
//
// Equal flows that a switch hashes on equal links (ECMP): each takes one by chance and keeps to it,
// and all end when the fullest link is through.
//
//   P(X ≤ x) = k!/uᵏ · [zᵏ] (Σ_{j ≤ x} zʲ/j!)ᵘ      X flows on the fullest of u links, k flows
//
// Exact up to 512 flows; beyond by Levin's representation of it, P(Y ≤ x)ᵘ·P(W = k)/P(Poisson(k) =
// k) with Y of mean k/u and W the sum of u of them cut at x (Annals of Statistics 9, 1981), whose
// density is taken to the fourth cumulant (Edgeworth): within 0.1 % of the exact mean at 512. The
// links carry (k/u)/X of what they do where every flow uses all of them (adaptive routing, packet
// spray). Leaves out: flows of unlike rates, hashes that follow one another, flows that end apart.
// Units: flows. Errors: none.
#pragma once

#include <cstdint>

namespace orrery {

struct FullestLink {
  double mean = 0;         // flows on it
  std::int64_t at_95 = 0;  // or fewer, in 95 of 100 cases
};

FullestLink fullest_link(std::int64_t flows, std::int64_t links);

}  // namespace orrery
