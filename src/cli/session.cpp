// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include "document/rows.h"
#include "document/text.h"
#include "io/files.h"
#include "io/terminal.h"

namespace orrery {

ConfigDirs dirs_of(const Session& s) { return config_dirs(s.config_dir); }

Style style_of(const Session& s) {
  const bool to_file = !s.output.empty() && s.output != "-";
  return {!to_file && wants_color(StandardStream::out, s.no_color)};
}

void give(const Session& s, const std::string& text) { write_text(s.output, text); }

void give(const Session& s, const AnswerDocument& answer) {
  give(s, s.csv ? csv_of(answer.rows) : text_of(answer, style_of(s)));
}

}  // namespace orrery
