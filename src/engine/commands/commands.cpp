// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/commands.h"

#include <array>

namespace orrery {
namespace {

constexpr std::array kRows = {
    CommandRow{"estimate", answer_estimate},   CommandRow{"memory", answer_memory},
    CommandRow{"explain", answer_explain},     CommandRow{"list", answer_list},
    CommandRow{"show", answer_show},           CommandRow{"schema", answer_schema},
    CommandRow{"validate", answer_validate},   CommandRow{"collective", answer_collective},
    CommandRow{"search", answer_search},       CommandRow{"sweep", answer_sweep},
    CommandRow{"compare", answer_compare},     CommandRow{"simulate", answer_simulate},
    CommandRow{"comm", answer_comm},           CommandRow{"capacity", answer_capacity},
    CommandRow{"calibrate", answer_calibrate}, CommandRow{"import", answer_import},
    CommandRow{"export", answer_export},       CommandRow{"merge", answer_merge},
};

}  // namespace

std::span<const CommandRow> command_rows() { return kRows; }

}  // namespace orrery
