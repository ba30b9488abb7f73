// SPDX-License-Identifier: Apache-2.0
//
// What every command is told by its options, and how it gives its answer.
#pragma once

#include <string>

#include "document/document.h"
#include "engine/exit_code.h"
#include "io/config_dirs.h"

namespace orrery {

struct Session {
  bool json = false;
  bool csv = false;
  bool no_color = false;
  std::string output;  // -o; "" and "-": standard output
  std::string config_dir;
  bool quiet = false;
  int verbose = 0;
};

ConfigDirs dirs_of(const Session& s);
Style style_of(const Session& s);

// To -o or standard output.
void give(const Session& s, const std::string& text);
void give(const Session& s, const AnswerDocument& answer);  // as text or CSV

}  // namespace orrery
