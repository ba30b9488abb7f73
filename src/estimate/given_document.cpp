// SPDX-License-Identifier: Apache-2.0
#include "estimate/given_document.h"

#include "core/error.h"

namespace orrery {

GivenDocument find_document(
    const Reader& given, const std::string& what,
    const std::function<std::optional<ConfigText>(const std::string&)>& find,
    const std::function<std::vector<std::string>()>& names) {
  if (given.json().is_object()) return {given.json(), given.file(), given.path(), ""};
  if (!given.json().is_string())
    given.fail(ErrorCode::wrong_type, brief(given.json()), "a name, a path or an object");
  const std::string name = given.text();
  const std::optional<ConfigText> found = find(name);
  if (!found) {
    const std::vector<std::string> known = names();
    given.fail(ErrorCode::unknown_name, brief(given.json()),
               "a " + what + " (see `orrery list " + what + "s`) or a path",
               nearest_name(name, known));
  }
  return {parse_json(found->text, found->file), found->file, "", name};
}

}  // namespace orrery
