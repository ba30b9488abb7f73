// SPDX-License-Identifier: Apache-2.0
//
// A strategy for a run that does not fit, found by a short search; or the fewest GPUs on which one
// fits, with the keys to type.
//
// The short search looks through the layouts that most people run: tensor parallelism up to a node,
// up to four chunks a stage, micro batches up to four, recompute by whole kinds, context
// parallelism of long sequences. Sharding groups,
// offload, placement and the framework's options stay as the run has them. Sizes are those below a
// node that divide it, then nodes by powers of two, then between the last that fails and the first
// that fits. Over machines of one or two GPUs a pipeline, of at most eight stages, is taken
// where nothing else fits. The answer fits as surely as the run asks (estimate/risk.h). Errors:
// none; a size that the batch or the cluster does not take is skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json_fwd.h"
#include "estimate/config_lookup.h"
#include "insight/settings.h"
#include "orrery/quantity.h"

namespace orrery {

struct Key;
struct ResolvedRun;

struct Remedy {
  std::int64_t gpus = 0;
  Bytes host{};                   // of a node, that it has more than is assumed; 0: as assumed
  std::vector<Setting> settings;  // over the run file; each key that differs
  Seconds step_time{};
  Bytes peak{};
  double fit_probability = 0;
};

// On the run's own GPUs, by a change (insight/advice.h) that needs more of a node's host memory
// than it is assumed to have, where nobody gave how much that is.
std::optional<Remedy> with_more_host_memory(const ResolvedRun& run);

// Lengths at which context parallelism is tried: any, or 65,536 tokens and more alone.
enum class CpRange : bool { of_long, any };

// On the run's own GPUs.
std::optional<Remedy> strategy_that_fits(const Json& run, const std::string& file,
                                         const ConfigLookup& lookup, CpRange cp = CpRange::of_long);

// On as few as it takes; nothing where no size up to kMostGpusTried does.
inline constexpr std::int64_t kMostGpusTried = 65536;
std::optional<Remedy> fewest_gpus(const Json& run, const std::string& file,
                                  const ConfigLookup& lookup);

// The same for a search, which keeps the strategy that the run sets and the axes and constraints of
// `search` (an object or null). Sizes are then multiples of the degrees that are set.
std::optional<Remedy> fewest_gpus_of_search(const Json& run, const Json& search,
                                            const std::string& file, const ConfigLookup& lookup);

// The best common layouts of a search as run files, none where none fits.
std::vector<Json> common_layouts(const Json& run, const Json& search, std::size_t most,
                                 const std::string& file, const ConfigLookup& lookup);

// A key of `parallel` that a search finds itself.
bool is_freed(const Key& k);

void set_gpus(std::int64_t gpus, Json& run);

// The run file without what it says of its strategy, but sharding groups, offload, placement and
// options.
Json without_strategy(Json run);

}  // namespace orrery
