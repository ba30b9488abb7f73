// SPDX-License-Identifier: Apache-2.0
//
// The algorithms there are and which collectives each serves. A new one is one file and one line.
//
// An algorithm is a type with `id`, `has(library)`: whether that library has it, `applies(cluster,
// fold)` and `time<R>(cluster, group, fold, kind, S)`. The time of an algorithm must not fall with
// S or with more nodes of the same kind nor undercut network/cut_bound.h, and it must apply to no
// smaller group than it does to a larger one unless another of the same library is at least as fast
// there; in-switch under NCCL is the exception, which two ranks of a node lack. Two may have one
// `id` where they serve different collectives. NCCL and RCCL gather and reduce-scatter over many
// nodes by the flat ring (Singh et al., PCCL, arXiv:2504.18658), and so they do here, however much
// faster another would be. Errors: none.
#pragma once

#include <tuple>

#include "network/collective.h"
#include "network/direct.h"
#include "network/hierarchical.h"
#include "network/hierarchical_exchange.h"
#include "network/in_switch.h"
#include "network/pat.h"
#include "network/recursive.h"
#include "network/ring.h"
#include "network/tree.h"

namespace orrery {

template <class A, Collective... kinds>
struct Serves {
  using Implementation = A;
  static constexpr bool serves(Collective c) { return ((c == kinds) || ...); }
};

// Among equally fast ones the first is taken.
inline constexpr std::tuple<
    Serves<Ring, Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
           Collective::broadcast, Collective::reduce>,
    Serves<InSwitch, Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter>,
    Serves<Tree, Collective::all_reduce>,
    Serves<Pat, Collective::all_gather, Collective::reduce_scatter>,
    Serves<Hierarchical, Collective::all_reduce, Collective::all_gather,
           Collective::reduce_scatter>,
    Serves<Recursive, Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter>,
    Serves<Direct, Collective::all_to_all, Collective::point_to_point>,
    Serves<HierarchicalExchange, Collective::all_to_all>>
    kAlgorithms;

}  // namespace orrery
