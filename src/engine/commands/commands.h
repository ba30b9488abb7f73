// SPDX-License-Identifier: Apache-2.0
//
// The commands: a row each, of its function and its options, in a file of this folder (`sweep` and
// `merge`: sweep_job.cpp). A function reads its options, calls done(), and answers. Errors:
// InputError and UsageError.
#pragma once

#include <span>
#include <string_view>

#include "engine/answer.h"
#include "engine/hooks.h"
#include "engine/options.h"
#include "engine/request.h"

namespace orrery {

struct CommandRow {
  std::string_view name;
  CommandAnswer (*answer)(Request&, const CommandContext&);
  OptionRows options;
};

std::span<const CommandRow* const> command_rows();

extern const CommandRow kEstimateCommand;
extern const CommandRow kMemoryCommand;
extern const CommandRow kExplainCommand;
extern const CommandRow kListCommand;
extern const CommandRow kShowCommand;
extern const CommandRow kSchemaCommand;
extern const CommandRow kValidateCommand;
extern const CommandRow kCollectiveCommand;
extern const CommandRow kSearchCommand;
extern const CommandRow kSweepCommand;
extern const CommandRow kCompareCommand;
extern const CommandRow kSimulateCommand;
extern const CommandRow kCommCommand;
extern const CommandRow kCapacityCommand;
extern const CommandRow kCalibrateCommand;
extern const CommandRow kImportCommand;
extern const CommandRow kExportCommand;
extern const CommandRow kMergeCommand;
extern const CommandRow kLimitsCommand;
extern const CommandRow kDiagnoseCommand;

}  // namespace orrery
