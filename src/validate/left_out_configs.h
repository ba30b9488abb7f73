// SPDX-License-Identifier: Apache-2.0
//
// The documents of configs/ as if nobody had seen some sources of published runs.
//
// A constant of a framework's profile whose provenance (`on`, core/provenance.h) names
// these sources alone is taken out: the profile then has what it inherits, from the framework it is
// a release of or from its class, and a class the key's default. Constants that a parameter of the
// fit names stay: the fit moves them. Leaves out constants of several sources, and of devices and
// nodes, which the parameters name. Errors: none of its own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "estimate/config_lookup.h"
#include "validate/parameters.h"

namespace orrery {

// Each document is read once. The parameters must outlive the result.
ConfigLookup without_sources(const ConfigLookup& lookup, const std::set<std::string>& sources,
                             const FitParameters& parameters);

// Paths of a document that these sources alone were fitted on and that no parameter names.
std::vector<std::string> seen_by_them_alone(const Json& document, FitDocument kind,
                                            const std::string& name,
                                            const std::set<std::string>& sources,
                                            const FitParameters& parameters);

// Options of a framework, its own or inherited, that these sources alone were fitted on.
std::set<std::string> options_of_them_alone(const ConfigLookup& lookup,
                                            const std::string& framework,
                                            const std::set<std::string>& sources,
                                            const FitParameters& parameters);

}  // namespace orrery
