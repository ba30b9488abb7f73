// SPDX-License-Identifier: Apache-2.0
#include "validate/doubts.h"

#include "core/json_reader.h"

namespace orrery {
namespace {

bool names(const std::string& pattern, const std::string& id) {
  if (pattern.empty() || pattern.back() != '*') return pattern == id;
  return id.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
}

Doubt read_doubt(Reader r) {
  Doubt d;
  for (const Reader& item : r.at("rows").items()) d.rows.push_back(item.text());
  if (auto v = r.find("of")) d.of = v->choice<DoubtOf>();
  d.whose = r.at("whose").choice<Whose>();
  d.why = r.at("why").text();
  r.reject_unknown();
  return d;
}

}  // namespace

std::vector<Doubt> read_doubts(std::string_view text, const std::string& file) {
  const Json document = parse_json(text, file);
  std::vector<Doubt> doubts;
  for (const Reader& r : Reader(document, file).items()) doubts.push_back(read_doubt(r));
  return doubts;
}

const Doubt* doubt_of(const std::vector<Doubt>& doubts, DoubtOf of, const std::string& id) {
  for (const Doubt& d : doubts) {
    if (d.of != of) continue;
    for (const std::string& pattern : d.rows) {
      if (names(pattern, id)) return &d;
    }
  }
  return nullptr;
}

}  // namespace orrery
