// SPDX-License-Identifier: Apache-2.0
#include "estimate/sites_resolve.h"

#include <cmath>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/json.h"
#include "core/key_access.h"
#include "core/units.h"
#include "estimate/resolve.h"
#include "estimate/run_keys.h"
#include "hardware/cluster_keys.h"

namespace orrery {
namespace {

// Data parallelism across sites sends gradients as within one; outer gradients are in fp32 unless
// the run gives their bits (arXiv:2311.08105).
void take_outer_bits(const std::optional<Reader>& outer, ResolvedRun& out) {
  Training& t = out.run.training;
  if (outer && outer->json().contains(key_name<&OuterSteps::bits>)) return;
  if (!outer) t.outer.bits = std::llround(8 * t.recipe.reduced);
  out.assumed.push_back({key_path<&OuterSteps::bits>, std::to_string(t.outer.bits),
                         outer ? "not given" : "of a reduced gradient",
                         outer ? Known::tool_default : Known::derived, kOurDefault});
}

}  // namespace

void take_sites(Reader& root, ResolvedRun& out) {
  Reader cluster = at_key<&RunRequest::cluster>(root);
  if (const auto given = find_key<&ClusterRequest::sites>(cluster)) {
    out.run.sites = read_keys(kSiteLinkKeys, *given);
  }
  Training& t = out.run.training;
  Reader training = at_key<&RunRequest::training>(root);
  const std::optional<Reader> outer = find_key<&TrainingRequest::outer>(training);
  if (out.run.sites.count == 1) {
    if (!outer) return;
    throw InputError(out.file, key_path<&TrainingRequest::outer>, "outer steps on one site",
                     std::string(key_path<&ClusterRequest::sites>) + " beside it");
  }
  take_outer_bits(outer, out);
  const double hidden = t.outer.overlap * static_cast<double>(t.outer.fragments);
  if (hidden > static_cast<double>(t.outer.every)) {
    throw InputError(out.file, key_path<&OuterSteps::overlap>, shortest(t.outer.overlap),
                     "at most every/fragments: a round hides no more than its own steps");
  }
  if (t.outer.states == OuterPlace::device) {
    t.recipe.optimizer += kOuterStateBytes;
  }
}

}  // namespace orrery
