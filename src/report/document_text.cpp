// SPDX-License-Identifier: Apache-2.0
#include "report/document_text.h"

#include "core/json.h"
#include "core/provenance.h"
#include "document/words.h"

namespace orrery {
namespace {

bool is_plain_array(const Json& j) {
  if (!j.is_array()) return false;
  for (const Json& item : j) {
    if (item.is_structured()) return false;
  }
  return true;
}

void add_values(const Json& document, const Json& at, const std::string& path, Table& list) {
  if (!at.is_structured() || is_plain_array(at)) {
    const std::string source = source_text(listed_source(document, path));
    const std::string value = at.is_string()
                                  ? at.get<std::string>()
                                  : at.dump(-1, ' ', false, Json::error_handler_t::replace);
    list.add({path, {value, value_of(at)}, source});
    return;
  }
  std::size_t index = 0;
  for (auto it = at.begin(); it != at.end(); ++it, ++index) {
    const std::string key = at.is_object() ? it.key() : std::to_string(index);
    if (path.empty() && (key == "source" || key == "sources")) continue;
    add_values(document, it.value(), path.empty() ? key : path + "." + key, list);
  }
}

}  // namespace

Table value_list(const Json& document) {
  Table list({{"key", "path"}, {"value", "value"}, {"source", "source"}});
  add_values(document, document, "", list);
  return list;
}

std::string source_line(const Json& document) {
  const auto at = document.find("source");
  return at == document.end() ? "" : source_text(read_source(*at));
}

}  // namespace orrery
