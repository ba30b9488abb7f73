// SPDX-License-Identifier: Apache-2.0
//
// The commands that the page offers, in place of src/engine/commands/commands.cpp: the linker drops
// what the others alone need.
#include "engine/commands/commands.h"

#include <array>

namespace orrery {
namespace {

constexpr std::array kRows = {
    &kEstimateCommand, &kExplainCommand, &kListCommand,     &kShowCommand,     &kSearchCommand,
    &kSweepCommand,    &kCompareCommand, &kSimulateCommand, &kCapacityCommand, &kImportCommand,
    &kExportCommand,   &kLimitsCommand,  &kDiagnoseCommand,
};

}  // namespace

std::span<const CommandRow* const> command_rows() { return kRows; }

}  // namespace orrery
