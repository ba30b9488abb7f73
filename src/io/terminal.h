// SPDX-License-Identifier: Apache-2.0
//
// Messages go to stderr, results to stdout; colour only on a terminal.
#pragma once

#include <cstddef>

namespace orrery {

enum class StandardStream { out, err };

// True on a terminal, unless $NO_COLOR, TERM=dumb or `forbidden` forbid it; $FORCE_COLOR forces it.
bool wants_color(StandardStream stream, bool forbidden);

// The terminal's columns; 0 if the stream is no terminal or does not say.
std::size_t terminal_width(StandardStream stream);

// The default logger writes to stderr: "warning: …". verbosity: −1 errors only, 0 warnings, 1
// progress, 2 everything.
void start_log(int verbosity, bool no_color);

}  // namespace orrery
