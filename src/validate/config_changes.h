// SPDX-License-Identifier: Apache-2.0
//
// The changes of a fit in configs/: values, and their new sources.
//
// A value is written with three significant digits; a quantity keeps its unit. Constants that are
// not pinned go back to their prior. Errors: InputError if a parameter names a document or a
// path that does not exist.
#pragma once

#include <string>
#include <vector>

#include "validate/fit_constants.h"

namespace orrery {

struct ConfigLookup;

struct ConfigChange {
  std::string document;  // "device a100-sxm4-80gb"
  std::string path;
  std::string from;
  std::string to;
};

struct ChangedDocument {
  FitDocument kind = FitDocument::device;
  std::string name;
  std::string text;
};

struct ConfigChanges {
  std::vector<ConfigChange> changes;
  std::vector<ChangedDocument> documents;  // only those that change
  std::string parameters;                  // the table of parameters, with what is now contained
};

ConfigChanges config_changes(const FitRuns& runs, const ConstantsFit& fit,
                             const ConfigLookup& lookup, const std::string& parameters_text);

}  // namespace orrery
