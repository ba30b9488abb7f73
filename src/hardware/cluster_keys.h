// SPDX-License-Identifier: Apache-2.0
//
// The keys of `cluster` that are not a node's, one row each (core/keys.h). All other keys of the
// object change the node.
#pragma once

#include "core/keys.h"
#include "hardware/cluster.h"
#include "hardware/dimensions.h"

namespace orrery {

// All keys of a device and of a node (device_keys.h, node_keys.h), as other documents refer to
// them.
extern const KeyTable kDeviceDocument;
extern const KeyTable kNodeDocument;

struct ClusterRequest {
  Elsewhere node, gpus, calibration, site, sites;
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

inline constexpr auto kClusterRows = keys<ClusterRequest>(
    key<&ClusterRequest::node>("node", form::changes(form::document("node", &kNodeDocument)),
                               kNothing, Vary::run, "kind of node; without it, its keys stand here")
        .flagged("--node", "kind of node: name or path"),
    key<&ClusterRequest::gpus>("gpus", form::whole(1, kMostGpus, "GPUs"), kRequired, Vary::run,
                               "GPUs of the run")
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
    key<&ClusterRequest::sites>(
        "sites", form::object(kSiteLinkKeys), otherwise("one site"), Vary::run,
        "several sites that the replicas are spread over (training.outer)"));
inline constexpr Keys<ClusterRequest> kClusterKeys{
    "cluster", kClusterRows, {.changes = &kNodeDocument}};
template <>
struct KeysOf<ClusterRequest> {
  static constexpr const Keys<ClusterRequest>& table = kClusterKeys;
};

}  // namespace orrery
