// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/simulate_files.h"

#include "core/error.h"
#include "exchange/chakra/chakra.h"
#include "exchange/simai/simai.h"
#include "report/perfetto.h"
#include "report/timeline_html.h"

namespace orrery {
namespace {

void check_asked(const SimulateFiles& asked, const Run& run) {
  if (asked.trace.empty() && asked.chakra.empty() && !asked.trace_ranks.empty()) {
    throw InputError("command line", "--trace-ranks", "no --trace",
                     "--trace FILE or --chakra PREFIX beside it");
  }
  if (const std::string why = why_no_chakra(run); !asked.chakra.empty() && !why.empty()) {
    throw InputError("command line", "--chakra", why, "runs without");
  }
  if (const std::string why = why_no_simai(run); !asked.simai.empty() && !why.empty()) {
    throw InputError("command line", "--simai", why,
                     "runs without: the format has no word for them");
  }
}

void add_chakra(const std::string& prefix, const SimulationReport& r,
                const std::vector<std::int64_t>& ranks, std::vector<NamedText>& files) {
  const Run& run = r.run.resolved.run;
  for (const std::int64_t rank : ranks) {
    files.push_back(
        {prefix + "." + std::to_string(rank) + ".et", chakra_trace(run, r.simulation, rank)});
  }
  files.push_back({prefix + ".json", chakra_groups(run, r.simulation, ranks)});
}

}  // namespace

std::vector<NamedText> simulate_files(const SimulateFiles& asked, const SimulationReport& r) {
  const Run& run = r.run.resolved.run;
  check_asked(asked, run);
  const std::vector<std::int64_t> ranks = trace_ranks(r, asked.trace_ranks);
  std::vector<NamedText> files;
  if (!asked.trace.empty()) files.push_back({asked.trace, perfetto_trace(r, ranks)});
  if (!asked.html.empty()) files.push_back({asked.html, timeline_html(r)});
  if (!asked.simai.empty()) files.push_back({asked.simai, simai_workload(run, r.simulation)});
  if (!asked.chakra.empty()) add_chakra(asked.chakra, r, ranks, files);
  return files;
}

}  // namespace orrery
