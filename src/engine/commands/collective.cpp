// SPDX-License-Identifier: Apache-2.0
#include "report/collective.h"

#include <array>
#include <variant>

#include "core/divide.h"
#include "core/error.h"
#include "engine/collective_question.h"
#include "engine/commands/commands.h"
#include "engine/measured_place.h"
#include "exchange/collective_names.h"
#include "exchange/measurements/measurements.h"
#include "report/against.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

void read_cluster_key(Request& request, const Option& option, CollectiveChoice& choice) {
  const std::string key = key_of(option);
  auto given = given_override(request, key, "cluster." + key);
  if (!given) return;
  choice.has_node = choice.has_node || key == "node";
  choice.has_gpus = choice.has_gpus || key == "gpus";
  choice.overrides.push_back(*std::move(given));
}

void read_given_cluster(Request& request, const Option& option, CollectiveChoice& choice) {
  if (const auto given = request.find(key_of(option))) choice.cluster = request_document(*given);
}

void read_sets(Request& request, const Option& /*option*/, CollectiveChoice& choice) {
  for (Override& o : given_sets(request)) choice.overrides.push_back(std::move(o));
}

constexpr std::int64_t kMostRanks = 1'000'000;
constexpr std::int64_t kMostLoad = 1'000'000;

constexpr auto kCollectiveOptions = [] {
  using C = CollectiveChoice;
  return std::array{
      Option{into<&C::kind>(collective_names), "KIND", "", ""},
      Option{by<C, read_cluster_key>(), "--node", "", "kind of node: name or path", "", "", "node"},
      Option{by<C, read_given_cluster>(OptionKind::file), "--cluster", "FILE",
             "the `cluster` object of a run file, or - for stdin"},
      Option{by<C, read_cluster_key>(), "--gpus", "", "GPUs in all"},
      Option{by<C, read_cluster_key>(), "--calibration", "",
             "constants fitted on measurements: name or path (docs/calibrate.md)", "", "",
             "calibration"},
      Option{into<&C::size>(), "--size", "",
             "size of the full buffer: a range, a list (64KiB,1MiB) or one (1MiB..16GiB)"},
      Option{into<&C::step>(), "--step", "", "factor between the sizes of a range (2)"},
      Option{into<&C::algorithm>(collective_algorithm_names), "--algorithm", "",
             "use this one, even if it is slower: "},
      Option{into<&C::ranks_per_node>(1, kMostRanks), "--ranks-per-node", "",
             "GPUs of each node in the group (all)"},
      Option{into<&C::groups>(1, kMostRanks), "--groups", "",
             "equal groups that communicate at the same time (1)"},
      Option{into<&C::busiest_rank>(1, kMostLoad), "--busiest-rank", "",
             "of an all-to-all: bytes of the busiest rank over the mean (1)"},
      Option{by<C, read_sets>(OptionKind::texts), "--set", "PATH=VALUE",
             "any key of the cluster: cluster.tiers.infiniband.latency=5us"},
      Option{into<&C::against>(), "--against", "FILE",
             "measured collectives to compare with: nccl-tests' output, CSV of "
             "collective,ranks,bytes,us (or busbw), JSON of validation/measurements"},
  };
}();

// Refuses flags for what the file already says.
void check_flags(const CollectiveChoice& a) {
  const std::array<std::pair<const char*, bool>, 5> flags = {
      {{"--gpus", a.has_gpus},
       {"--size", !a.size.empty()},
       {"--step", !a.step.empty()},
       {"--groups", a.groups > 0},
       {"--busiest-rank", a.busiest_rank > 0}}};
  for (const auto& [flag, given] : flags) {
    if (!given) continue;
    throw InputError("command line", flag, "it beside --against",
                     "the file's own ranks and sizes, alone");
  }
}

MeasurementSet measured_in(const NamedText& file, const CollectiveChoice& a) {
  MeasurementHints hints;
  hints.collective = collective_named(a.kind);
  return read_measurements(file.text, file.name, hints);
}

// The question as it was measured: on the file's own node if no other is named. The cluster has
// more GPUs than the ranks if these fill their nodes in part.
CollectiveChoice choice_for(const CollectiveChoice& a, const MeasurementSet& set,
                            const MeasuredCollective& m, std::int64_t gpus) {
  CollectiveChoice one = a;
  one.kind = name_of(m.kind);
  const auto set_first = [&one](const std::string& flag, const std::string& value) {
    one.overrides.insert(one.overrides.begin(),
                         make_override("--" + flag, "cluster." + flag, value));
  };
  set_first("gpus", std::to_string(gpus));
  if (m.nodes != 0) {
    const std::int64_t own = m.ranks / m.nodes;
    if (a.ranks_per_node > 0 && a.ranks_per_node != own) {
      throw InputError(set.file, "", std::to_string(own) + " ranks a node",
                       "--ranks-per-node of the file's own, or none");
    }
    one.ranks_per_node = own;
  }
  if (m.algorithm != Algorithm::none) one.algorithm = name_of(m.algorithm);
  if (!a.algorithm.empty() && a.algorithm != one.algorithm) {
    throw InputError(set.file, "algorithm", one.algorithm, a.algorithm + ", as asked");
  }
  if (!one.has_node && !one.cluster && !set.node.empty()) {
    set_first("node", set.node);
    one.has_node = true;
  }
  if (!one.has_node && !one.cluster) {
    throw InputError(set.file, "", "no node it was measured on", "--node NAME beside it");
  }
  if (!a.kind.empty() && a.kind != one.kind) {
    throw InputError(set.file, "", one.kind, a.kind + ", as asked");
  }
  return one;
}

CollectiveQuestion question_of(const CollectiveChoice& a, const MeasurementSet& set,
                               const MeasuredCollective& m, const CommandContext& context) {
  // Output that is cut says no nodes: --ranks-per-node does.
  const std::int64_t nodes = m.nodes != 0            ? m.nodes
                             : a.ranks_per_node == 0 ? 0
                                                     : divided_up(m.ranks, a.ranks_per_node);
  CollectiveChoice whole = a;
  if (m.nodes == 0) whole.ranks_per_node = 0;
  CollectiveQuestion q = collective_question(choice_for(whole, set, m, m.ranks), context);
  if (nodes == 0) return q;
  const std::int64_t gpus = nodes * q.cluster.cluster.devices_per_node;
  return collective_question(choice_for(a, set, m, gpus), context);
}

using WorkOfCurve = std::vector<std::pair<MeasuredCollective, Seconds>>;

// Groups the measurements that differ in size alone, in the order of the file.
std::vector<WorkOfCurve> curves_in(const MeasurementSet& set) {
  std::vector<WorkOfCurve> curves;
  for (const Measurement& m : set.points) {
    const auto* c = std::get_if<MeasuredCollective>(&m.work);
    if (c == nullptr) continue;
    const auto same = [&](const WorkOfCurve& w) {
      MeasuredCollective of_size = *c;
      of_size.size = w.front().first.size;
      return w.front().first == of_size;
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

// An error of what the file says of its ranks names the file, not a flag.
std::vector<CollectivePoint> curve_in(const MeasurementSet& set, const MeasuredCollective& m,
                                      const CollectiveQuestion& q) {
  try {
    return collective_curve(q);
  } catch (const InputError& e) {
    const bool is_given = e.path() == "--algorithm" && m.algorithm != Algorithm::none;
    if (!is_given && m.nodes == 0) throw;
    throw InputError(set.file, is_given ? "algorithm" : "nodes", e.found(), e.allowed());
  }
}

// With the nodes that the hosts of its ranks say.
MeasuredCollective placed(const CollectiveChoice& a, const MeasurementSet& set,
                          MeasuredCollective m, const CommandContext& context) {
  const CollectiveQuestion q = collective_question(choice_for(a, set, m, m.ranks), context);
  check_gpu(set, q.cluster.cluster.device);
  if (m.nodes == 0) m.nodes = nodes_of_hosts(set, q.cluster.cluster);
  return m;
}

AgainstCurve curve_of(const CollectiveChoice& a, const MeasurementSet& set, const WorkOfCurve& work,
                      const CommandContext& context) {
  const MeasuredCollective measured = placed(a, set, work.front().first, context);
  AgainstCurve curve;
  curve.file = set.file;
  curve.source = set.source;
  curve.role = set.role;
  curve.question = question_of(a, set, measured, context);
  for (const auto& [collective, time] : work) curve.question.sizes.push_back(collective.size);
  const std::vector<CollectivePoint> predicted = curve_in(set, measured, curve.question);
  for (std::size_t i = 0; i < work.size(); ++i) {
    curve.points.push_back({predicted[i], work[i].second});
  }
  return curve;
}

Json document_of(const CollectiveQuestion& q, const std::vector<CollectivePoint>& points,
                 const std::vector<RestsOnPart>& rests_on) {
  Json j = collective_json(q, points);
  j["rests_on"] = rests_on_json(rests_on);
  return j;
}

CommandAnswer answer_curve(const CollectiveChoice& choice, const OutputForm& output,
                           const CommandContext& context) {
  CollectiveQuestion q = collective_question(choice, context);
  q.sizes = collective_sizes(choice.size.empty() ? "1MiB..16GiB" : choice.size, choice.step);
  CommandAnswer answer;
  answer.warnings = q.cluster.notes;
  const std::vector<CollectivePoint> points = collective_curve(q);
  answer.text = output.json() ? AnswerText(document_of(q, points, network_rests_on(q.cluster)))
                              : drawn(collective_document(q, points), output);
  return answer;
}

}  // namespace

CommandAnswer collective_against(const CollectiveChoice& choice, const OutputForm& output,
                                 const CommandContext& context) {
  check_flags(choice);
  std::vector<AgainstCurve> curves;
  for (const NamedText& file : choice.against) {
    const MeasurementSet set = measured_in(file, choice);
    for (const WorkOfCurve& work : curves_in(set)) {
      curves.push_back(curve_of(choice, set, work, context));
    }
  }
  CommandAnswer answer;
  answer.warnings = curves.front().question.cluster.notes;
  answer.text = output.json() ? AnswerText(collective_against_json(curves))
                              : drawn(collective_against_document(curves), output);
  return answer;
}

static CommandAnswer answer_collective(Request& request, const CommandContext& context) {
  auto choice = read_options<CollectiveChoice>(kCollectiveOptions, request);
  choice.asker = request.asker();
  const OutputForm output = request.output();
  request.done();
  return choice.against.empty() ? answer_curve(choice, output, context)
                                : collective_against(choice, output, context);
}

const CommandRow kCollectiveCommand = {"collective", answer_collective, kCollectiveOptions};

}  // namespace orrery
