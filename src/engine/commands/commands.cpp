// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/commands.h"

#include <array>

namespace orrery {
namespace {

constexpr std::array kRows = {
    &kEstimateCommand, &kMemoryCommand,   &kExplainCommand,   &kListCommand,
    &kShowCommand,     &kSchemaCommand,   &kValidateCommand,  &kCollectiveCommand,
    &kSearchCommand,   &kSweepCommand,    &kCompareCommand,   &kSimulateCommand,
    &kCommCommand,     &kCapacityCommand, &kCalibrateCommand, &kImportCommand,
    &kExportCommand,   &kMergeCommand,    &kLimitsCommand,    &kDiagnoseCommand,
};

}  // namespace

std::span<const CommandRow* const> command_rows() { return kRows; }

}  // namespace orrery
