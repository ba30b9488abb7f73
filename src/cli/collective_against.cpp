// SPDX-License-Identifier: Apache-2.0
#include <spdlog/spdlog.h>

#include <array>
#include <variant>

#include "cli/collective.h"
#include "core/error.h"
#include "exchange/logs/comm_log.h"
#include "exchange/measurements/measurements.h"
#include "io/files.h"
#include "report/collective_against_text.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

// What the file says already.
void check_flags(const CollectiveArguments& a) {
  const std::array<std::pair<const char*, bool>, 6> flags = {
      {{"--gpus", !a.gpus.empty()},
       {"--size", !a.sizes.empty()},
       {"--step", !a.step.empty()},
       {"--ranks-per-node", a.ranks_per_node > 0},
       {"--groups", a.groups > 0},
       {"--busiest-rank", a.busiest_rank > 0}}};
  for (const auto& [flag, given] : flags) {
    if (!given) continue;
    throw InputError("command line", flag, "it beside --against",
                     "the file's own ranks and sizes, alone");
  }
}

MeasurementSet measured_in(const std::string& file, const CollectiveArguments& a) {
  MeasurementHints hints;
  hints.collective = collective_named(a.kind);
  return read_measurements(read_text(file), file, hints);
}

// As it was measured: on the file's own node where no other is named.
CollectiveArguments question_for(const CollectiveArguments& a, const MeasurementSet& set,
                                 const MeasuredCollective& m) {
  CollectiveArguments one = a;
  one.kind = name_of(m.kind);
  one.gpus = std::to_string(m.ranks);
  if (one.node.empty() && one.cluster.empty()) one.node = set.node;
  if (one.node.empty() && one.cluster.empty()) {
    throw InputError(set.file, "", "no node it was measured on", "--node NAME beside it");
  }
  if (!a.kind.empty() && a.kind != one.kind) {
    throw InputError(set.file, "", one.kind, a.kind + ", as asked");
  }
  return one;
}

using WorkOfCurve = std::vector<std::pair<MeasuredCollective, Seconds>>;

// Those of one collective and number of ranks, in the order of the file.
std::vector<WorkOfCurve> curves_in(const MeasurementSet& set) {
  std::vector<WorkOfCurve> curves;
  for (const Measurement& m : set.points) {
    const auto* c = std::get_if<MeasuredCollective>(&m.work);
    if (c == nullptr) continue;
    const auto same = [&](const WorkOfCurve& w) {
      return w.front().first.kind == c->kind && w.front().first.ranks == c->ranks;
    };
    auto at = std::find_if(curves.begin(), curves.end(), same);
    if (at == curves.end()) at = curves.emplace(curves.end());
    at->emplace_back(*c, m.timed.time);
  }
  if (curves.empty()) {
    throw InputError(set.file, "", "no collective in it", "collectives, their ranks and times");
  }
  return curves;
}

AgainstCurve curve_of(const CollectiveArguments& a, const MeasurementSet& set,
                      const WorkOfCurve& work, const Session& s) {
  AgainstCurve curve;
  curve.file = set.file;
  curve.source = set.source;
  curve.role = set.role;
  curve.question = collective_question(question_for(a, set, work.front().first), s);
  for (const auto& [collective, time] : work) curve.question.sizes.push_back(collective.size);
  const std::vector<CollectivePoint> predicted = collective_curve(curve.question);
  for (std::size_t i = 0; i < work.size(); ++i) {
    curve.points.push_back({predicted[i], work[i].second});
  }
  return curve;
}

}  // namespace

ExitCode run_collective_against(const CollectiveArguments& a, const Session& s) {
  check_flags(a);
  std::vector<AgainstCurve> curves;
  for (const std::string& file : a.against) {
    const MeasurementSet set = measured_in(file, a);
    for (const WorkOfCurve& work : curves_in(set)) curves.push_back(curve_of(a, set, work, s));
  }
  for (const std::string& note : curves.front().question.cluster.notes) spdlog::warn("{}", note);
  give(s, s.json  ? dump(collective_against_json(curves))
          : s.csv ? collective_against_csv(curves)
                  : collective_against_text(curves, style_of(s)));
  return ExitCode::answer;
}

}  // namespace orrery
