// SPDX-License-Identifier: Apache-2.0
#include "engine/commands/validate_generation.h"

#include "report/rl_validation.h"
#include "validate/decode_rows.h"
#include "validate/rl_rows.h"

namespace orrery {

std::optional<CommandAnswer> validate_generation(const NamedText& file, const OutputForm& output,
                                                 const ConfigLookup& lookup) {
  if (is_decode_file(file.text)) {
    const DecodeReport r = judge_decode(file.text, file.name, lookup);
    return CommandAnswer{ExitCode::answer, output.json() ? AnswerText(decode_json(r))
                                                         : drawn(decode_document(r), output)};
  }
  if (!is_rl_file(file.text)) return {};
  const RlValidation v = judge_rl(file.text, file.name, lookup);
  return CommandAnswer{ExitCode::answer, output.json() ? AnswerText(rl_validation_json(v))
                                                       : drawn(rl_validation_document(v), output)};
}

}  // namespace orrery
