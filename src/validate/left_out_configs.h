// SPDX-License-Identifier: Apache-2.0
//
// The documents of configs/ as if nobody had seen one source of published runs.
//
// A constant of a framework's profile whose provenance (`on`, core/provenance.h) names this source
// alone is taken out: the profile then has what it inherits, from the framework it is a release of
// or from its class, and a class the key's default. Constants that a parameter of the fit names
// stay: the fit moves them. Leaves out constants of several sources, and of devices and nodes,
// which the parameters name. Errors: none of its own.
#pragma once

#include <string>

#include "estimate/config_lookup.h"
#include "validate/parameters.h"

namespace orrery {

// Each document is read once. The parameters must outlive the result.
ConfigLookup without_source(const ConfigLookup& lookup, const std::string& source,
                            const FitParameters& parameters);

// Paths of a document that this source alone was fitted on and that no parameter names.
std::vector<std::string> seen_by_one(const Json& document, FitDocument kind,
                                     const std::string& name, const std::string& source,
                                     const FitParameters& parameters);

}  // namespace orrery
