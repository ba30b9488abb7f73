// SPDX-License-Identifier: Apache-2.0
//
// The arguments of the calls by which a Python script or notebook sets a training up
// (TrainingArguments, SFTConfig, LoraConfig, from_pretrained, get_peft_model, …), as a document.
//
// Expressions are evaluated with the names that the text sets to one value
// (exchange/python_names.h). One that is not known stays as written behind a dollar sign, as a
// value that only a running program knows. Arguments of TrainingArguments and its kin stand at the
// top, others below their call's name; `imports` lists what the text imports. Entries of a
// dictionary behind ** are arguments, and so is what is written to the object afterwards (args.bf16
// = True, setattr). Where only the running program knows arguments, `unread_arguments` says which,
// and `unread.CALL` of another call: no default holds then. Leaves out control flow: a call in a
// branch counts as made. Errors: none; a text that cannot be read so has no such call.
#pragma once

#include <optional>

#include "core/json.h"
#include "exchange/foreign_file.h"
#include "exchange/settings.h"

namespace orrery {

// The document's first line, by which it is known in place of the source.
inline constexpr const char* kOfPythonCalls = "# arguments of Python's calls\n";

// Nothing for a text without such a call. `arguments`: of the command that starts the program,
// which argparse reads; nullptr where none is known.
std::optional<Json> python_settings(const ForeignFile& file, const Settings* arguments = nullptr);

}  // namespace orrery
