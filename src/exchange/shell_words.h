// SPDX-License-Identifier: Apache-2.0
//
// The words of a shell script, as far as launch scripts of training use the shell: comments,
// quotes, continued lines, NAME=value, NAME=( … ), $NAME, ${NAME}, ${NAME:-otherwise}, and
// whole-number
// $(( … )). What only a running shell knows stays as written, with its dollar sign. An assigned
// text of arguments (ARGS="--tp 8 …") counts where it is assigned; it ends with a word ";", as an
// array does.
//
// Bounded: values grow to 4,096 bytes by expansion. Errors: InputError where a quote does not end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

std::vector<std::string> shell_words(std::string_view text, const std::string& file);

}  // namespace orrery
