// SPDX-License-Identifier: Apache-2.0
//
// The words of a shell script, as far as launch scripts of training use the shell: comments,
// quotes, continued lines, NAME=value, NAME=( … ), $NAME, ${NAME}, ${NAME:-otherwise}, and
// $(( … )) of whole numbers. A value that only a running shell knows stays as written, with its
// dollar sign. An assigned text of arguments (ARGS="--tp 8 …") counts at its assignment; it ends
// with a word ";", like an array.
//
// Bounded: values grow to at most 4,096 bytes by expansion. Errors: InputError for a quote without
// end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

std::vector<std::string> shell_words(std::string_view text, const std::string& file);

}  // namespace orrery
