// SPDX-License-Identifier: Apache-2.0
#include "engine/collective_question.h"

#include <array>
#include <optional>

#include "core/units.h"
#include "core/unknown_name.h"
#include "engine/given_names.h"
#include "network/group_across.h"

namespace orrery {
namespace {

// The index of `text` in the names.
std::size_t index_of(const std::string& text, const std::vector<std::string>& names,
                     const std::string& where) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return i;
  }
  throw unknown_name("orrery collective", where, text, names, "no collective");
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
  std::vector<Fact> names;  // the answer names the node
  take_node(lookup, given.file, {}, given.run, names);
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

constexpr std::size_t kMostSizes = 10'000;
constexpr double kSmallestStep = 1.001;
constexpr double kLargestStep = 1024;
constexpr double kLargestSize = 1e18;
// A last step that misses the end by rounding still reaches it.
constexpr double kReached = 1 + 1e-9;

[[noreturn]] void refuse(const char* flag, const std::string& found, const std::string& allowed) {
  throw InputError("command line", flag, "\"" + found + "\"", allowed);
}

Bytes size_of(const std::string& text) {
  std::optional<double> si = parse_quantity(text, kBytes);
  if (!si) si = parse_number(text);
  if (!si || !(*si >= 1 || *si == 0) || *si > kLargestSize) {
    refuse("--size", text, "0 or bytes from 1 B to 1 EB as 1MiB..16GiB or 64KiB,1MiB");
  }
  return Bytes(*si);
}

double step_of(const std::string& text) {
  if (text.empty()) return 2;
  const std::optional<double> factor = parse_number(text);
  if (!factor || !(*factor >= kSmallestStep) || *factor > kLargestStep) {
    refuse("--step", text, "a factor from 1.001 to 1024");
  }
  return *factor;
}

std::vector<Bytes> range(const std::string& text, std::size_t dots, double factor) {
  const Bytes first = size_of(text.substr(0, dots));
  const Bytes last = size_of(text.substr(dots + 2));
  if (last < first || first == Bytes())
    refuse("--size", text, "a range that rises from 1 B or more");
  std::vector<Bytes> sizes;
  for (Bytes b = first; b <= last * kReached; b = b * factor) {
    sizes.push_back(b < last ? b : last);
    if (sizes.size() > kMostSizes) refuse("--size", text, "at most 10,000 sizes");
  }
  return sizes;
}

std::vector<Bytes> list(const std::string& text) {
  std::vector<Bytes> sizes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    sizes.push_back(size_of(text.substr(at, comma - at)));
    if (sizes.size() > kMostSizes) refuse("--size", "a longer list", "at most 10,000 sizes");
    at = comma + 1;
  }
  return sizes;
}

}  // namespace

std::vector<std::string> collective_names() { return names_in<Collective>(); }

std::vector<std::string> collective_algorithm_names() {
  return {kNamesOf<Algorithm>.begin() + 1, kNamesOf<Algorithm>.end()};
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

std::vector<Bytes> collective_sizes(const std::string& text, const std::string& step) {
  const double factor = step_of(step);
  const std::size_t dots = text.find("..");
  if (dots != std::string::npos) return range(text, dots, factor);
  if (!step.empty()) refuse("--step", step, "it beside a range of sizes only");
  return list(text);
}

}  // namespace orrery
