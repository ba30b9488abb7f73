// SPDX-License-Identifier: Apache-2.0
//
// A Python file that is a configuration: the values that its statements at the left margin give to
// names, as a document (mmengine's, XTuner's, InternEvo's, nanoGPT's files).
//
// Evaluated are literals, names, members and items of what the file has set, arithmetic,
// comparisons, `a if b else c`, dict(…), lists, and calls of classes with named arguments: an
// object of these with the class as `type`. os.environ.get(NAME, default) is its default. A value
// that only a running program knows stays as written behind a dollar sign, as is every name that a
// loop, or a branch whose condition is not known, sets. A name that is passed on whole
// (`f(size=SIZE)`) stands where it is passed to, and not at the top. An object of a class stands
// under the name of its class. `imports` lists what the text imports, `imports_all` the modules
// whose names it takes all. Functions and classes are not run. Errors: none; a text that is no
// Python gives few names or none.
#pragma once

#include <optional>
#include <string>

#include "core/json.h"

namespace orrery {

// Nothing for a text that sets no name.
std::optional<Json> python_values(const std::string& text);

}  // namespace orrery
