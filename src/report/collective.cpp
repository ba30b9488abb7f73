// SPDX-License-Identifier: Apache-2.0
#include "report/collective.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/json.h"
#include "core/units.h"
#include "estimate/training.h"
#include "network/group_across.h"
#include "report/fields.h"
#include "report/frame.h"
#include "report/frame_json.h"

namespace orrery {
namespace {

// The meaning of S, by Collective.
constexpr EnumArray<Collective, const char*> kBuffers = {
    "the buffer every rank reduces", "the gathered output of a rank",
    "the input of a rank",           "what one rank sends, its own part included",
    "the message between two ranks", "the buffer that is broadcast",
    "the buffer every rank adds to"};

std::string spread(const CollectiveQuestion& q) {
  const NodesFilled n = nodes_filled(q.cluster.cluster, q.ranks_per_node);
  if (n.rest == 0 && n.full == 1) return grouped(q.ranks_per_node) + " on one node";
  if (n.rest == 0) return grouped(q.ranks_per_node) + " on each of " + counted(n.full, "node");
  if (n.full == 0) return grouped(n.rest) + " on one node";
  return grouped(q.ranks_per_node) + (n.full == 1 ? " on " : " on each of ") +
         counted(n.full, "node") + " and " + grouped(n.rest) + " on one more";
}

std::string explanation(const CollectiveQuestion& q) {
  return "size is " + std::string(kBuffers[q.kind]) +
         "; algbw = size / time; busbw and its factors as nccl-tests has them; GB/s of 10⁹ bytes";
}

// How much faster the point could be by what the library lacks or the user did not ask for.
double gain(const CollectivePoint& p) {
  return p.time > Seconds() ? double(p.time / p.fastest_time) : 1.0;
}

constexpr double kGainWorthSaying = 1.05;

std::string why_slower(const CollectiveQuestion& q) {
  if (q.algorithm) return "--algorithm says otherwise";
  return std::string(name_of(q.cluster.cluster.library)) + " does not choose it here";
}

std::string advice(const CollectiveQuestion& q, const std::vector<CollectivePoint>& points) {
  const auto best = std::max_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return gain(a) < gain(b); });
  if (gain(*best) < kGainWorthSaying) return "";
  return "At " + collective_size_text(best->size) + " " + std::string(name_of(best->fastest)) +
         " would take " + pretty(best->fastest_time) + ", " + fixed(gain(*best), 1) +
         " times less; " + why_slower(q) + ".";
}

Cell rate_cell(BytesPerSecond rate) { return {collective_rate_text(rate), gb_per_s(rate)}; }

// A point with the question that it answers.
struct AnsweredPoint {
  const CollectiveQuestion& q;
  const CollectivePoint& p;
};

// Tables count bytes as numbers with a fraction, the JSON in whole bytes.
constexpr std::array<RowField<AnsweredPoint>, 9> kCollectiveFields = {{
    {"size_bytes", nullptr, "",
     [](const AnsweredPoint& a) { return data_cell(std::llround(a.p.size.si())); }},
    {nullptr, "size", "size_bytes",
     [](const AnsweredPoint& a) { return Cell(collective_size_text(a.p.size), a.p.size.si()); }},
    {"time_s", "time", "time_s",
     [](const AnsweredPoint& a) { return Cell(pretty(a.p.time), a.p.time.si()); }},
    {"algbw", "algbw, GB/s", "algbw_gb_per_s",
     [](const AnsweredPoint& a) { return rate_cell(a.p.algbw); }},
    {"busbw", "busbw, GB/s", "busbw_gb_per_s",
     [](const AnsweredPoint& a) { return rate_cell(a.p.busbw); }},
    {"algorithm", "algorithm", "",
     [](const AnsweredPoint& a) { return Cell(name_of(a.p.algorithm)); }, false},
    {"tier", "tier", "",
     [](const AnsweredPoint& a) { return Cell(collective_tier_name(a.q, a.p)); }, false},
    {"fastest_algorithm", nullptr, "",
     [](const AnsweredPoint& a) { return data_cell(name_of(a.p.fastest)); }},
    {"fastest_time_s", nullptr, "",
     [](const AnsweredPoint& a) { return data_cell(a.p.fastest_time.si()); }},
}};

std::vector<AnsweredPoint> answered(const CollectiveQuestion& q,
                                    const std::vector<CollectivePoint>& points) {
  std::vector<AnsweredPoint> all;
  for (const CollectivePoint& p : points) all.push_back({q, p});
  return all;
}

Json answered_json(const AnsweredPoint& point) {
  Json j;
  add_fields(kCollectiveFields, point, j);
  return j;
}

Json inputs_json(const CollectiveQuestion& q) {
  Json j;
  j["cluster"] = *q.cluster_input;
  j["ranks"] = ranks_of(q);
  j["ranks_per_node"] = q.ranks_per_node;
  j["nodes"] = node_count(q.cluster.cluster);
  const std::int64_t rest = nodes_filled(q.cluster.cluster, q.ranks_per_node).rest;
  if (rest > 0) j["ranks_on_last_node"] = rest;
  j["groups"] = q.groups;
  j["busiest_rank"] = q.busiest_rank;
  j["collective_library"] = name_of(q.cluster.cluster.library);
  j["algorithm"] = q.algorithm ? std::string(name_of(*q.algorithm)) : "auto";
  return j;
}

}  // namespace

std::string collective_size_text(Bytes b) {
  const BinaryAmount size = binary_amount(b.si());
  return plain_number(std::round(size.amount * 1000) / 1000) + " " + size.unit;
}

std::string collective_rate_text(BytesPerSecond r) {
  const double x = gb_per_s(r);
  return fixed(x, x < 10 ? 3 : x < 100 ? 2 : 1);
}

std::string collective_tier_name(const CollectiveQuestion& q, const CollectivePoint& p) {
  return std::string(q.cluster.cluster.tiers[p.tier].name.view());
}

std::string collective_heading(const CollectiveQuestion& q) {
  const Cluster& c = q.cluster.cluster;
  std::string text = std::string(name_of(q.kind)) +
                     (q.kind == Collective::point_to_point ? " between neighbours of " : " over ") +
                     counted(ranks_of(q), "rank") + ", " + spread(q) + " " +
                     std::string(c.node.view());
  if (q.busiest_rank > 1)
    text += ", the busiest with " + plain_number(q.busiest_rank) + " times the mean";
  if (q.groups > 1) text += ", " + grouped(q.groups) + " such groups at once";
  return text;
}

AnswerDocument collective_document(const CollectiveQuestion& q,
                                   const std::vector<CollectivePoint>& points) {
  const Table table = field_table(kCollectiveFields, answered(q, points));
  AnswerDocument d{collective_heading(q), {}, table, ""};
  const std::string line = calibration_line(q.cluster, network_rests_on(q.cluster));
  if (!line.empty()) d.add({"", {Paragraph{line}}});
  d.add({bold(collective_heading(q)), {Paragraph{explanation(q)}}});
  d.add({"", {table}});
  const std::string faster = advice(q, points);
  if (!faster.empty()) d.add({"", {Paragraph{faster}}});
  return d;
}

Json collective_json(const CollectiveQuestion& q, const std::vector<CollectivePoint>& points) {
  Json j;
  j["collective"] = name_of(q.kind);
  j["points"] = json_list(answered(q, points), answered_json);
  j["units"] = {{"algbw", "GB/s"}, {"busbw", "GB/s"}};
  j["inputs"] = inputs_json(q);
  return versioned(j);
}

}  // namespace orrery
