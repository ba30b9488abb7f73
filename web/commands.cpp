// SPDX-License-Identifier: Apache-2.0
//
// The commands that the page offers, in place of src/engine/commands/commands.cpp: the linker drops
// what the others alone need.
#include "engine/commands/commands.h"

#include <array>

namespace orrery {
namespace {

constexpr std::array kRows = {
    CommandRow{"estimate", answer_estimate}, CommandRow{"explain", answer_explain},
    CommandRow{"list", answer_list},         CommandRow{"show", answer_show},
    CommandRow{"search", answer_search},     CommandRow{"sweep", answer_sweep},
    CommandRow{"compare", answer_compare},   CommandRow{"simulate", answer_simulate},
    CommandRow{"capacity", answer_capacity}, CommandRow{"import", answer_import},
    CommandRow{"export", answer_export},
};

}  // namespace

std::span<const CommandRow> command_rows() { return kRows; }

}  // namespace orrery
