// SPDX-License-Identifier: Apache-2.0
//
// Documents of other tools (JSON, YAML) as settings by their dotted names, and the references
// within them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/settings.h"
#include "exchange/shell/shell.h"

namespace orrery {

// The leaves, as dotted names; an empty mapping and null are none. A mapping of object plumbing
// ({"_target_": "torch.bfloat16", "_call_": false}) is its target.
std::vector<ForeignSetting> flat_leaves(const Json& document, const std::string& prefix = "");
Settings settings_of(const Json& document, const std::string& file);

// OmegaConf's ${path}, ${.sibling}, ${multiply:a, b}, ${divide_ceil:a, b}, ${divide_floor:a, b},
// ${sum:a, b} and ${oc.env:NAME, otherwise}; and Primus's ${NAME:otherwise}, typed as YAML. One
// that cannot be followed stays as written, with its dollar sign. Bounded: eight rounds.
// A variable's default, taken where nothing sets the variable.
struct TakenDefault {
  std::string path;
  std::string name;
  std::string value;
};
void follow_references(Json& document, std::vector<TakenDefault>* taken = nullptr);

// Values of ${NAME:otherwise} and ${oc.env:NAME, otherwise} as a script sets them; one that only a
// running shell knows keeps its dollar sign.
void set_environment(Json& document, const ShellVariables& variables);

// Sets a setting by its dotted name. Objects are walked by recursion and keys searched one by one:
// an InputError of `file` beyond kDeepestNesting or kMostKeys.
void set_named(Json& document, std::string_view name, Json value, const std::string& file);

// A setting under another tool's name, where the document has one: "model.hidden_size".
struct NamedPath {
  std::string_view path;
  std::string_view name;
};

}  // namespace orrery
