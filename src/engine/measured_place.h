// SPDX-License-Identifier: Apache-2.0
//
// The hosts and GPUs that a file of measurements names, against those of the machine of a question.
// Errors: InputError with the file, what it says and what the machine has.
#pragma once

#include <cstdint>

#include "calibrate/measurement.h"
#include "hardware/cluster.h"

namespace orrery {

// Refuses times of a GPU that is known to be another than the device.
void check_gpu(const MeasurementSet& set, const Device& device);

// 0 where the ranks of a file fill hosts in order, or where it does not say; else the nodes that
// hold as many of them each.
std::int64_t nodes_of_hosts(const MeasurementSet& set, const Cluster& cluster);

}  // namespace orrery
