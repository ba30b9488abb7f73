// SPDX-License-Identifier: Apache-2.0
//
// The words of collective communication, and the buffer they are measured by.
//
// S, the full buffer, of n ranks: the buffer of an all-reduce, broadcast or reduce, the gathered
// output of an all-gather, the input of a reduce-scatter, what one rank sends in an all-to-all (its
// own part included), the message between two points. The cost of each is in
// network/collective_cost.h. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"

namespace orrery {

enum class Collective : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  point_to_point,
  broadcast,
  reduce,
};
constexpr EnumNames<Collective> names_of(Collective) {
  return {"all-reduce",     "all-gather", "reduce-scatter", "all-to-all",
          "point-to-point", "broadcast",  "reduce"};
}

// none: one rank, or no bytes.
enum class Algorithm : std::uint8_t {
  none,
  ring,
  tree,
  in_switch,
  hierarchical,
  direct,
  recursive,
  pat,
};
constexpr EnumNames<Algorithm> names_of(Algorithm) {
  return {"none", "ring", "tree", "in-switch", "hierarchical", "direct", "recursive", "pat"};
}

}  // namespace orrery
