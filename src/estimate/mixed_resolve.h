// SPDX-License-Identifier: Apache-2.0
//
// A run file with `cluster.groups` to a MixedRun.
//
// Every group is resolved as a plain run of its own kind of node (resolve.h), with the degrees of
// the whole; then layers, micro batches and shards are balanced over the kinds (mixed_balance.h)
// where the run leaves them open. A link that the run does not give is the slower of the networks
// of both nodes, and stands among the open values. A single group is today's cluster:
// without_single_group() writes it so. Errors: InputError, as resolve.h.
#pragma once

#include <string>
#include <vector>

#include "estimate/mixed_document.h"
#include "estimate/mixed_run.h"
#include "estimate/resolve.h"

namespace orrery {

template <Number R>
struct MixedWorkspaceOf;  // estimate/mixed_estimate.h

struct ResolvedMixed {
  MixedRun run;
  std::vector<std::string> names;      // of the groups
  std::vector<ResolvedRun> kinds;      // each as if all stages were on it
  std::vector<ResolvedCluster> nodes;  // of the groups as given
  ResolvedRun whole;                   // inputs, origins and warnings of the run as given
  bool balanced = false;               // layers were spread by mixed_balance.h
};

ResolvedMixed resolve_mixed(const Json& run, const std::string& file, const ConfigLookup& lookup,
                            const std::vector<Fact>& changes = {});

// The same without inputs, origins and warnings, for who wants only numbers of many runs and keeps
// a workspace.
ResolvedMixed resolve_mixed_for_numbers(const Json& run, const std::string& file,
                                        const ConfigLookup& lookup,
                                        MixedWorkspaceOf<double>& workspace);

}  // namespace orrery
