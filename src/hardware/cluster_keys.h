// SPDX-License-Identifier: Apache-2.0
//
// The keys of `cluster` that are not a node's, one row each (core/keys.h). All other keys of the
// object change the node.
#pragma once

#include <string>
#include <vector>

#include "core/keys.h"
#include "hardware/cluster.h"
#include "hardware/dimensions.h"
#include "hardware/node_document.h"

namespace orrery {

// One kind of node of a mixed cluster, and how many of its GPUs the run uses. All other keys of
// the object change its node.
struct GroupRequest {
  std::string name;
  Elsewhere node, gpus, calibration;
};

// The network between two groups, or between all.
struct GroupLinkRequest {
  std::vector<std::string> between;  // two names; empty: all groups that no other link joins
  BytesPerSecond bandwidth{};        // of one node, in each direction
  Seconds latency{};
};

struct ClusterRequest {
  Elsewhere node, gpus, calibration, site, sites, groups;
  std::vector<GroupLinkRequest> links;
};

inline constexpr std::int64_t kMostGpus = 100'000'000;

inline constexpr Form kCalibrationName =
    form::any("a name in configs/hardware/calibrated, a path or an object");

inline constexpr auto kSiteLinkRows = keys<SiteLinks>(
    key<&SiteLinks::count>("count", form::whole(1, 100'000, "sites"), kRequired, Vary::run,
                           "sites with an even share of the GPUs each"),
    key<&SiteLinks::bandwidth>("bandwidth", form::quantity(kRate), kRequired, Vary::run,
                               "of one site to the others, in each direction"),
    key<&SiteLinks::latency>("latency", form::quantity(kSeconds, true), kRequired, Vary::run,
                             "of one exchange between sites"));
inline constexpr Keys<SiteLinks> kSiteLinkKeys{"cluster.sites", kSiteLinkRows};
template <>
struct KeysOf<SiteLinks> {
  static constexpr const Keys<SiteLinks>& table = kSiteLinkKeys;
};

inline constexpr std::int64_t kMostGroups = 16;

inline constexpr auto kGroupRows = keys<GroupRequest>(
    key<&GroupRequest::name>("name", form::text("a name of its own"), otherwise("the node's"),
                             Vary::run, "by which links and stages call the group"),
    key<&GroupRequest::node>("node", form::changes(form::document("node", &kNodeDocument)),
                             kRequired, Vary::run, "kind of node of this group"),
    key<&GroupRequest::gpus>("gpus", form::whole(1, kMostGpus, "GPUs"), kRequired, Vary::run,
                             "GPUs of this group that the run uses, all of them"),
    key<&GroupRequest::calibration>("calibration",
                                    either(kCalibrationName, form::list(kCalibrationName)),
                                    kNothing, Vary::run, "constants fitted on measurements"));
inline constexpr Keys<GroupRequest> kGroupKeys{
    "cluster.groups", kGroupRows, {.changes = &kNodeDocument}};
template <>
struct KeysOf<GroupRequest> {
  static constexpr const Keys<GroupRequest>& table = kGroupKeys;
};
inline constexpr Form kGroupForm = form::object(kGroupKeys);

inline constexpr Form kGroupName = form::text("the name of a group");
inline constexpr auto kGroupLinkRows = keys<GroupLinkRequest>(
    key<&GroupLinkRequest::between>("between", form::list(kGroupName, 2, 2),
                                    otherwise("all groups that no other link joins"), Vary::run,
                                    "the two groups that the link joins"),
    key<&GroupLinkRequest::bandwidth>("bandwidth", form::quantity(kRate), kRequired, Vary::run,
                                      "of one node of either group, in each direction"),
    key<&GroupLinkRequest::latency>("latency", form::quantity(kSeconds, true), kRequired, Vary::run,
                                    "of one message between the groups"));
inline constexpr Keys<GroupLinkRequest> kGroupLinkKeys{"cluster.links", kGroupLinkRows};
template <>
struct KeysOf<GroupLinkRequest> {
  static constexpr const Keys<GroupLinkRequest>& table = kGroupLinkKeys;
};
inline constexpr Form kGroupLinkForm = form::object(kGroupLinkKeys);

inline constexpr auto kClusterRows = keys<ClusterRequest>(
    key<&ClusterRequest::node>("node", form::changes(form::document("node", &kNodeDocument)),
                               kNothing, Vary::run, "kind of node; without it, its keys stand here")
        .flagged("--node", "kind of node: name or path"),
    key<&ClusterRequest::gpus>("gpus", form::whole(1, kMostGpus, "GPUs"), kNothing, Vary::run,
                               "GPUs of the run; required, unless `groups` has them")
        .flagged("--gpus", "GPUs in all"),
    key<&ClusterRequest::calibration>(
        "calibration", either(kCalibrationName, form::list(kCalibrationName)), kNothing, Vary::run,
        "constants fitted on measurements, over the documents'")
        .flagged("--calibration",
                 "constants fitted on measurements: name or path (docs/calibrate.md)",
                 "calibration"),
    key<&ClusterRequest::site>("site", form::any("a path or an object"), kNothing, Vary::run,
                               "levels of your own site, that `orrery calibrate site` learned")
        .flagged("--site", "levels of your own site: path (docs/calibrate.md)", "calibration"),
    key<&ClusterRequest::sites>("sites", form::object(kSiteLinkKeys), otherwise("one site"),
                                Vary::run,
                                "several sites that the replicas are spread over (training.outer)"),
    key<&ClusterRequest::groups>("groups", form::list(kGroupForm, 1, kMostGroups),
                                 otherwise("one kind of node"), Vary::run,
                                 "several kinds of node in place of `node` and `gpus` "
                                 "(docs/mixed.md)"),
    key<&ClusterRequest::links>("links", form::list(kGroupLinkForm, 1, kMostGroups* kMostGroups),
                                otherwise("the slower of the networks of both nodes"), Vary::run,
                                "with `groups`: the networks between them"));
inline constexpr Keys<ClusterRequest> kClusterKeys{
    "cluster", kClusterRows, {.changes = &kNodeDocument}};
template <>
struct KeysOf<ClusterRequest> {
  static constexpr const Keys<ClusterRequest>& table = kClusterKeys;
};

}  // namespace orrery
