// SPDX-License-Identifier: Apache-2.0
//
// The basis of an answer: for each part of a step, the kind of source (core/provenance.h) of the
// constant that decides it.
#pragma once

#include <string>
#include <vector>

namespace orrery {

struct ResolvedCluster;
struct ResolvedRun;

struct RestsOnPart {
  std::string part;   // "matrix products", "network: nvswitch"
  std::string basis;  // "datasheet", "fitted on published runs", "measured on this machine", …
  std::string calibration;  // its name; "" where none is used
};

std::vector<RestsOnPart> parts_rest_on(const ResolvedRun& r);

// The basis of the tiers alone, without a run.
std::vector<RestsOnPart> network_rests_on(const ResolvedCluster& c);

}  // namespace orrery
