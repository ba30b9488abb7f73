// SPDX-License-Identifier: Apache-2.0
//
// A launch script as a shell would run it, as far as its text tells.
//
// Followed: assignments, arrays (also +=, by number and by name), export and its kin, if / elif /
// else, case, && and ||, [ ], [[ ]] and (( )), let, functions and their $1, here-documents, read
// and mapfile from one, pipelines of texts, `bash -c` and eval, ${NAME:-b}, ${NAME%.*} and its kin,
// ${NAME[@]:1:2}, $(( … )) of whole numbers, $(cat <<E …), $(echo …), $(expr …), $(seq …), #SBATCH
// lines, loops with break and continue, and the other files given where the script sources or
// starts them. The body of a loop over a list that the text does not tell runs once, with a
// variable that is unknown. A value that only a running shell knows stays as written, with its
// dollar sign; [ -z "$NAME" ] is true of a name that nothing sets.
//
// A branch whose condition cannot be evaluated is in doubt: what it assigns becomes one of several
// values, and the words of its commands stand in `doubts` with the line of the condition.
//
// Bounded: kDeepestNesting levels of commands and words, and as much text made as kLongestDocument;
// a command counts 256 bytes. Errors: InputError with the line for more, for a quote, a bracket or
// a construct without end.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

using ShellFiles = std::map<std::string, std::string, std::less<>>;
using ShellVariables = std::map<std::string, std::vector<std::string>, std::less<>>;

struct ShellDocument {
  std::string target;  // the file it goes to, as written; "" where there is none
  std::string text;
};

// Words of a command in ShellRun::words, without the ";".
struct ShellCommand {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t line = 0;
  std::size_t outer = kNone;      // the command that starts it: srun … bash -c "…"
  std::string visible_gpus = {};  // CUDA_VISIBLE_DEVICES where it starts
};

struct ShellDoubt {
  std::size_t line = 0;
  std::string condition;
  std::vector<std::string> words;
};

struct ShellRun {
  std::vector<std::string> words;  // of all commands; each command ends with ";"
  ShellVariables variables;        // a variable that is no array has one value
  std::vector<ShellDocument> documents;
  std::vector<ShellDoubt> doubts;
  std::vector<std::string> doubted;  // names that a branch in doubt assigns
  std::vector<ShellCommand> commands;
  std::vector<std::string> sources;   // files not given that `source` and `.` name, as expanded
  std::vector<std::string> included;  // files given that it sources or starts
};

// `given`: variables from before the script, as a file that sources this one has them. `files`:
// the other files given, by the last part of their paths; a script reads and starts them.
ShellRun run_shell(std::string_view text, const std::string& file, const ShellVariables& given = {},
                   const ShellFiles& files = {});

std::vector<std::string> words_of(const ShellRun& run, const ShellCommand& command);

// The one value of a variable; "" where there is none.
std::string shell_value(const ShellVariables& variables, std::string_view name);

}  // namespace orrery
