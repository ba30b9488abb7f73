// SPDX-License-Identifier: Apache-2.0
#include "engine/collective_question.h"

#include <array>

#include "core/error.h"
#include "network/group_across.h"

namespace orrery {
namespace {

// The index of `text` in the names.
std::size_t index_of(const std::string& text, const std::vector<std::string>& names,
                     const std::string& where) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return i;
  }
  throw InputError("orrery collective", where, text.empty() ? "no collective" : "\"" + text + "\"",
                   alternatives(names), nearest_name(text, names));
}

struct GivenCluster {
  Json run = Json::object();  // with the one key `cluster`
  std::string file;
};

GivenCluster given_cluster(const CollectiveChoice& choice, const ConfigLookup& lookup) {
  GivenCluster given;
  given.file = choice.cluster                 ? choice.cluster->file
               : choice.asker == Asker::flags ? "command line"
                                              : "request";
  given.run["cluster"] = choice.cluster ? choice.cluster->json : Json::object();
  for (const Override& o : choice.overrides) apply_override(o, lookup, given.run);
  return given;
}

void read_cluster_into(CollectiveQuestion& q, const CollectiveChoice& choice,
                       const ConfigLookup& lookup) {
  if (choice.has_node == choice.cluster.has_value()) {
    throw InputError("command line", "", choice.has_node ? "--node and --cluster" : "no cluster",
                     "one of --node NAME --gpus N and --cluster FILE");
  }
  const GivenCluster given = given_cluster(choice, lookup);
  try {
    Reader run(given.run, given.file);
    q.cluster = read_cluster(run.at("cluster"), lookup.hardware);
    run.reject_unknown();
  } catch (const InputError& e) {
    throw named_after_flag(e, choice.overrides, given.file);
  }
  q.cluster_input = given.run["cluster"];
}

}  // namespace

std::vector<std::string> collective_names() {
  return {kNamesOf<Collective>.begin(), kNamesOf<Collective>.end()};
}

std::vector<std::string> collective_algorithm_names() {
  return {kNamesOf<Algorithm>.begin() + 1, kNamesOf<Algorithm>.end()};
}

CollectiveChoice collective_choice(Request& request) {
  constexpr std::int64_t kMostRanks = 1'000'000;
  constexpr double kMostLoad = 1e6;
  CollectiveChoice c;
  c.asker = request.asker();
  c.kind = request.text("kind");
  if (const auto cluster = request.find("cluster")) c.cluster = request_document(*cluster);
  c.has_node = request.has("node");
  c.has_gpus = request.has("gpus");
  for (const char* key : {"node", "gpus", "calibration"}) {
    if (auto o = given_override(request, key, "cluster." + std::string(key))) {
      c.overrides.push_back(*std::move(o));
    }
  }
  for (Override& o : given_sets(request)) c.overrides.push_back(std::move(o));
  c.size = request.text("size");
  c.step = request.text("step");
  c.algorithm = request.text("algorithm");
  c.ranks_per_node = request.count("ranks_per_node", 0, 1, kMostRanks);
  c.groups = request.count("groups", 0, 1, kMostRanks);
  c.busiest_rank = request.number("busiest_rank", 0, 1, kMostLoad);
  c.against = request.files("against");
  return c;
}

CollectiveQuestion collective_question(const CollectiveChoice& choice,
                                       const CommandContext& context) {
  CollectiveQuestion q;
  q.kind = static_cast<Collective>(index_of(choice.kind, collective_names(), "KIND"));
  if (!choice.algorithm.empty()) {
    q.algorithm = static_cast<Algorithm>(
        1 + index_of(choice.algorithm, collective_algorithm_names(), "--algorithm"));
  }
  read_cluster_into(q, choice, config_lookup(context.configs));
  q.groups = choice.groups == 0 ? 1 : choice.groups;
  q.busiest_rank = choice.busiest_rank == 0 ? 1 : choice.busiest_rank;
  q.ranks_per_node =
      choice.ranks_per_node == 0 ? most_ranks_per_node(q.cluster.cluster) : choice.ranks_per_node;
  return q;
}

}  // namespace orrery
