// SPDX-License-Identifier: Apache-2.0
//
// A launch script as a shell would run it, as far as its text tells.
//
// Followed: assignments, arrays (also +=, by number and by name), export and its kin, if / elif /
// else, case, && and ||, [ ], [[ ]] and (( )), let, functions and their $1, here-documents, read
// and mapfile from one, `bash -c` and eval, $NAME, ${NAME}, ${NAME:-b}, ${NAME%.*} and its kin,
// ${NAME[@]}, $(( … )) of whole numbers, $(cat <<E …), $(echo …), $(expr …), #SBATCH lines. A
// loop's body runs once, and its variable is unknown unless the list has one word. A value that
// only a running shell knows stays as written, with its dollar sign; [ -z "$NAME" ] is true of a
// name that nothing sets.
//
// A branch whose condition cannot be evaluated is in doubt: what it assigns becomes unknown, and
// the words of its commands stand in `doubts` with the line of the condition.
//
// Bounded: 1 MiB of words, 64 levels of nesting, 64 KiB a value. Errors: InputError with the line
// for a quote, a bracket or a construct without end.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

using ShellVariables = std::map<std::string, std::vector<std::string>, std::less<>>;

struct ShellDocument {
  std::string target;  // the file it goes to, as written; "" where there is none
  std::string text;
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
  std::vector<std::string> sources;  // files that `source` and `.` name, as expanded
};

// `given`: variables from before the script, as a file that sources this one has them.
ShellRun run_shell(std::string_view text, const std::string& file, ShellVariables given = {});

// The one value of a variable; "" where there is none.
std::string shell_value(const ShellVariables& variables, std::string_view name);

}  // namespace orrery
