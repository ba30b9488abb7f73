// SPDX-License-Identifier: Apache-2.0
#include "cli/collective.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "engine/overrides.h"
#include "io/files.h"
#include "network/group_across.h"
#include "report/collective_sizes.h"
#include "report/collective_text.h"
#include "report/estimate_json.h"
#include "report/rests_on_text.h"

namespace orrery {
namespace {

template <std::size_t N>
std::vector<std::string> words(const std::array<std::string_view, N>& names, std::size_t from) {
  return {names.begin() + static_cast<std::ptrdiff_t>(from), names.end()};
}

// The index of `text` in `names`, of which the first `from` are not for users.
template <std::size_t N>
std::size_t index_of(const std::string& text, const std::array<std::string_view, N>& names,
                     std::size_t from, const std::string& where) {
  for (std::size_t i = from; i < N; ++i) {
    if (text == names[i]) return i;
  }
  throw InputError("orrery collective", where, text.empty() ? "no collective" : "\"" + text + "\"",
                   alternatives(words(names, from)), nearest_name(text, words(names, from)));
}

std::vector<Override> overrides_of(const CollectiveArguments& a) {
  std::vector<Override> list;
  if (!a.node.empty()) list.push_back(make_override("--node", "cluster.node", a.node));
  if (!a.gpus.empty()) list.push_back(make_override("--gpus", "cluster.gpus", a.gpus));
  if (!a.calibration.empty()) {
    list.push_back(make_override("--calibration", "cluster.calibration", a.calibration));
  }
  for (const std::string& text : a.sets) list.push_back(parse_set(text));
  return list;
}

struct GivenCluster {
  Json run = Json::object();  // with the one key `cluster`
  std::string file = "command line";
};

GivenCluster given_cluster(const CollectiveArguments& a, const ConfigLookup& lookup,
                           const std::vector<Override>& overrides) {
  GivenCluster given;
  given.run["cluster"] = Json::object();
  if (!a.cluster.empty()) {
    given.file = a.cluster == "-" ? "standard input" : a.cluster;
    given.run["cluster"] = parse_json(read_text(a.cluster), given.file);
  }
  for (const Override& o : overrides) apply_override(o, lookup, given.run);
  return given;
}

void read_cluster_into(CollectiveQuestion& q, const CollectiveArguments& a,
                       const ConfigLookup& lookup) {
  if (a.node.empty() == a.cluster.empty()) {
    throw InputError("command line", "", a.node.empty() ? "no cluster" : "--node and --cluster",
                     "one of --node NAME --gpus N and --cluster FILE");
  }
  const std::vector<Override> overrides = overrides_of(a);
  const GivenCluster given = given_cluster(a, lookup, overrides);
  try {
    Reader run(given.run, given.file);
    q.cluster = read_cluster(run.at("cluster"), lookup.hardware);
    run.reject_unknown();
  } catch (const InputError& e) {
    throw named_after_flag(e, overrides, given.file);
  }
  q.cluster_input = given.run["cluster"];
}

ExitCode run_curve(const CollectiveArguments& a, const Session& s) {
  CollectiveQuestion q = collective_question(a, s);
  q.sizes = collective_sizes(a.sizes.empty() ? "1MiB..16GiB" : a.sizes, a.step);
  for (const std::string& note : q.cluster.notes) spdlog::warn("{}", note);
  const std::vector<CollectivePoint> points = collective_curve(q);
  const std::vector<RestsOnPart> rests_on = network_rests_on(q.cluster);
  if (s.json) {
    Json j = collective_json(q, points);
    j["rests_on"] = rests_on_json(rests_on);
    give(s, dump(j));
  } else if (s.csv) {
    give(s, collective_csv(q, points));
  } else {
    const std::string line = calibration_line(q.cluster, rests_on);
    give(s, (line.empty() ? "" : line + "\n\n") + collective_text(q, points, style_of(s)));
  }
  return ExitCode::answer;
}

}  // namespace

CollectiveQuestion collective_question(const CollectiveArguments& a, const Session& s) {
  CollectiveQuestion q;
  q.kind = static_cast<Collective>(index_of(a.kind, kNamesOf<Collective>, 0, "KIND"));
  if (!a.algorithm.empty()) {
    q.algorithm =
        static_cast<Algorithm>(index_of(a.algorithm, kNamesOf<Algorithm>, 1, "--algorithm"));
  }
  read_cluster_into(q, a, config_lookup(dirs_of(s)));
  q.groups = a.groups == 0 ? 1 : a.groups;
  q.busiest_rank = a.busiest_rank == 0 ? 1 : a.busiest_rank;
  q.ranks_per_node =
      a.ranks_per_node == 0 ? most_ranks_per_node(q.cluster.cluster) : a.ranks_per_node;
  return q;
}

Action declare_collective(CLI::App& app) {
  auto a = std::make_shared<CollectiveArguments>();
  app.add_option("KIND", a->kind, alternatives(words(kNamesOf<Collective>, 0)));
  app.add_option("--node", a->node, "kind of node: name or path");
  app.add_option("--cluster", a->cluster, "the `cluster` object of a run file, or - for stdin")
      ->type_name("FILE");
  app.add_option("--gpus", a->gpus, "GPUs in all");
  app.add_option("--calibration", a->calibration,
                 "constants fitted on measurements: name or path (docs/calibrate.md)");
  app.add_option("--size", a->sizes,
                 "of the full buffer: a range, 64KiB,1MiB or one; without: 1MiB..16GiB");
  app.add_option("--step", a->step, "factor between the sizes of a range; without: 2");
  app.add_option("--algorithm", a->algorithm,
                 "force one: " + alternatives(words(kNamesOf<Algorithm>, 1)));
  app.add_option("--ranks-per-node", a->ranks_per_node,
                 "GPUs of each node in the group; without: all")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  app.add_option("--groups", a->groups, "groups of that kind that talk at once; without: 1")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  app.add_option("--busiest-rank", a->busiest_rank,
                 "of an all-to-all: what one rank sends over the mean; without: 1")
      ->check(CLI::Range(1.0, 1e6));
  app.add_option("--set", a->sets, "any key of the cluster: cluster.tiers.infiniband.latency=5us")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  app.add_option("--against", a->against,
                 "measured collectives to price as they were measured: nccl-tests' output, CSV of "
                 "collective,ranks,bytes,us (or busbw), JSON of validation/measurements")
      ->type_name("FILE ...");
  return [a](const Session& s) {
    return a->against.empty() ? run_curve(*a, s) : run_collective_against(*a, s);
  };
}

}  // namespace orrery
