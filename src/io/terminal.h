// SPDX-License-Identifier: Apache-2.0
//
// Talk goes to stderr, results to stdout; colour only where a person reads.
#pragma once

namespace orrery {

enum class StandardStream { out, err };

// A terminal, unless $NO_COLOR, TERM=dumb or `forbidden` say no, or $FORCE_COLOR says yes.
bool wants_color(StandardStream stream, bool forbidden);

// The default logger writes to stderr: "warning: …". verbosity: −1 errors only, 0 warnings, 1 what
// is done, 2 everything.
void start_log(int verbosity, bool no_color);

}  // namespace orrery
