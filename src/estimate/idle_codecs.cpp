// SPDX-License-Identifier: Apache-2.0
#include "estimate/idle_codecs.h"

#include <algorithm>

#include "estimate/estimate.h"

namespace orrery {
namespace {

bool sends(const Answer& a, CommDimension d, Collective kind) {
  return std::any_of(a.comm.begin(), a.comm.begin() + a.comm_count, [&](const auto& line) {
    return line.dimension == d && line.collective == kind;
  });
}

// The messages that dimension `d` has a codec for and never sends: "dp all-to-all", or "dp" alone
// if it has one for everything.
std::string idle_codecs(const Run& run, const Answer& a, CommDimension d) {
  const auto& codecs = run.compression.codecs[static_cast<std::size_t>(d)];
  const std::string name(name_of(d));
  std::string idle;
  bool applies = false;
  for (std::size_t i = 0; i < kCollectives; ++i) {
    if (!is_on(codecs[i])) continue;
    const auto kind = static_cast<Collective>(i);
    if (sends(a, d, kind)) {
      applies = true;
    } else {
      idle += (idle.empty() ? "" : ", ") + name + " " + std::string(name_of(kind));
    }
  }
  const bool of_all = std::all_of(codecs.begin(), codecs.end(), is_on);
  if (!of_all) return idle;
  return applies ? "" : name;
}

}  // namespace

std::string idle_codecs(const Run& run) {
  if (!compresses(run.compression)) return "";
  const Answer a = estimate(run);
  std::string idle;
  for (const CommDimension d : {CommDimension::tp, CommDimension::cp, CommDimension::ep,
                                CommDimension::pp, CommDimension::dp}) {
    const std::string here = idle_codecs(run, a, d);
    if (!here.empty()) idle += (idle.empty() ? "" : ", ") + here;
  }
  return idle;
}

}  // namespace orrery
