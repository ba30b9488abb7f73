// SPDX-License-Identifier: Apache-2.0
//
// The keys of a fleet document, one row each (core/keys.h). A plan's rows
// (capacity/plan_keys.h) are those of a training and a site.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capacity/plan_keys.h"

namespace orrery {

struct FleetPoolKeys {
  std::string name;
  std::optional<Reader> cluster;
  std::int64_t gpus = 0;
  std::optional<Reader> rent;
};

struct FleetTrainingKeys {
  std::string name;
  std::optional<Reader> gpus;
  double priority = 1;
  std::optional<Seconds> deadline;
  Seconds ready{};
};

// Keys of the document alone; those of the site are handed on to the plans of its trainings.
struct FleetFrame {
  std::string name;
  Currency currency;
  std::optional<Date> start;
  std::optional<Reader> exchange, pools, trainings;
};

struct FleetSite {
  std::optional<Reader> failures, recovery, storage, energy, checkpoint, prices;
};

namespace fleet_forms {

inline constexpr std::size_t kMostPools = 16;
inline constexpr std::size_t kMostTrainings = 64;
inline constexpr Form kPlainCluster = form::object(plan_forms::kPlanClusterKeys);
inline constexpr Forms kCounts = plan_forms::kCounts;

}  // namespace fleet_forms

inline constexpr auto kFleetPoolRows = keys<FleetPoolKeys>(
    fact<&FleetPoolKeys::name>("name", form::text("text"), kRequired, "its name in the answer"),
    fact<&FleetPoolKeys::cluster>("cluster", fleet_forms::kPlainCluster, kRequired,
                                  "the kind of its nodes"),
    fact<&FleetPoolKeys::gpus>("gpus", plan_forms::kGpus, kRequired,
                               "that it has, or that may be rented at once"),
    fact<&FleetPoolKeys::rent>("rent", form::any("an amount for the hour of a GPU: \"2.5 USD/h\""),
                               kNothing, "what a GPU-hour costs; without it the pool is owned"));
inline constexpr Keys<FleetPoolKeys> kFleetPoolKeys{"pools", kFleetPoolRows};

inline constexpr auto kFleetOwnRows = keys<FleetTrainingKeys>(
    fact<&FleetTrainingKeys::name>("name", form::text("text"), kRequired, "its name in the answer"),
    fact<&FleetTrainingKeys::gpus>("gpus", fleet_forms::kCounts,
                                   otherwise("a pool's GPUs, a half, a quarter, an eighth"),
                                   "numbers of GPUs that it may take"),
    fact<&FleetTrainingKeys::priority>("priority", form::number(0.001, 1000, ""), otherwise("1"),
                                       "what a day late weighs, beside one of another training"),
    fact<&FleetTrainingKeys::deadline>("deadline", form::quantity(kSeconds), kNothing,
                                       "from the start of the plan")
        .only_read_by<read_deadline>(),
    fact<&FleetTrainingKeys::ready>("ready", form::quantity(kSeconds, true), otherwise("0 s"),
                                    "it starts no earlier, from the start of the plan"));
inline constexpr Keys<FleetTrainingKeys> kFleetOwnKeys{"", kFleetOwnRows};

namespace fleet_forms {

inline constexpr auto kTrainingRows = joined(kFleetOwnRows, without_required(kWorkRows));
inline constexpr KeyTable kTrainingKeys{"trainings", kTrainingRows};
inline constexpr Form kTraining = form::object(kTrainingKeys);
inline constexpr Form kPool = form::object(kFleetPoolKeys);

}  // namespace fleet_forms

inline constexpr auto kFleetFrameRows = keys<FleetFrame>(
    kSourceKey,
    fact<&FleetFrame::name>("name", form::text("text"), kNothing, "its name in the answer"),
    fact<&FleetFrame::currency>("currency", form::text("three letters", "[A-Z]{3}"),
                                otherwise("USD"), "of the answer")
        .only_read_by<read_plan_currency>(),
    fact<&FleetFrame::start>("start",
                             form::text("a date: 2027-01-31", "[0-9]{4}-[0-9]{2}-[0-9]{2}"),
                             kNothing, "the first day")
        .only_read_by<read_start>(),
    fact<&FleetFrame::exchange>("exchange", form::any("by currency, {value, source, date}"),
                                kNothing, "what other currencies are worth"),
    fact<&FleetFrame::pools>("pools", form::list(fleet_forms::kPool, 1, fleet_forms::kMostPools),
                             kRequired, "GPUs that are owned, and that may be rented"),
    fact<&FleetFrame::trainings>("trainings",
                                 form::list(fleet_forms::kTraining, 1, fleet_forms::kMostTrainings),
                                 kRequired, "what is trained"));
inline constexpr Keys<FleetFrame> kFleetFrameKeys{"", kFleetFrameRows};

inline constexpr auto kFleetSiteRows = keys<FleetSite>(
    fact<&FleetSite::failures>("failures", site_forms::of("failures"), kNothing,
                               "what interrupts a training, and for how long"),
    fact<&FleetSite::recovery>("recovery", site_forms::of("recovery", &site_tables::kRecoveryKeys),
                               otherwise("a restart from the storage"), "what a failure costs"),
    fact<&FleetSite::storage>("storage", site_forms::of("storage", &kStorageKeys), kNothing,
                              "where checkpoints go"),
    fact<&FleetSite::energy>("energy", site_forms::of("energy"), otherwise("by-load"),
                             "what devices draw, and the facility"),
    fact<&FleetSite::checkpoint>("checkpoint", form::object(kCheckpointKeys), kNothing,
                                 "how checkpoints are written"),
    fact<&FleetSite::prices>("prices", site_forms::of("prices"), kNothing,
                             "of what may be added to a pool that is owned"));
inline constexpr Keys<FleetSite> kFleetSiteKeys{"", kFleetSiteRows};

}  // namespace orrery
