// SPDX-License-Identifier: Apache-2.0
#include "validate/tolerance.h"

#include <array>
#include <cmath>

#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "document/words.h"

namespace orrery {
namespace {

struct Bound {
  const char* name;
  double ErrorSummary::*value;
  bool at_least;
};

constexpr std::array<Bound, 5> kBounds = {{{"median", &ErrorSummary::median, false},
                                           {"p90", &ErrorSummary::p90, false},
                                           {"mean", &ErrorSummary::mean, false},
                                           {"bias", &ErrorSummary::bias, false},
                                           {"within_10", &ErrorSummary::within_10, true}}};

const Summary& find_summary(Reader& r, const ValidationReport& report) {
  const std::optional<Reader> given = r.find("scope");
  const std::string scope = given ? given->text() : "all";
  std::vector<std::string> known;
  for (const Summary& s : report.summaries) {
    if (s.scope == scope) return s;
    known.push_back(s.scope);
  }
  const Reader& at = given ? *given : r;
  at.fail("\"" + scope + "\"", alternatives(known), nearest_name(scope, known));
}

void check(Reader r, const ValidationReport& report, std::vector<std::string>& broken) {
  r.must_be_object();
  const Summary& s = find_summary(r, report);
  bool any = false;
  for (const Bound& b : kBounds) {
    const std::optional<Reader> limit = r.find(b.name);
    if (!limit) continue;
    any = true;
    const double bound = limit->number(0, 1e6);
    const double value = std::abs(s.error.*b.value);
    const bool kept = s.error.count > 0 && (b.at_least ? value >= bound : value <= bound);
    if (kept) continue;
    broken.push_back(s.scope + ": " + b.name + " " + percent(value) +
                     (b.at_least ? ", at least " : ", at most ") + percent(bound) +
                     (s.error.count == 0 ? " (no row was judged)" : ""));
  }
  if (auto limit = r.find("refused")) {
    any = true;
    const std::int64_t bound = limit->integer(0, 1 << 30);
    if (s.refused > bound) {
      broken.push_back(s.scope + ": refused " + std::to_string(s.refused) + " rows, at most " +
                       std::to_string(bound));
    }
  }
  r.reject_unknown();
  if (!any) r.fail("no bound", "at least one of median, p90, mean, bias, within_10 and refused");
}

}  // namespace

std::vector<std::string> broken_tolerances(std::string_view tolerances, const std::string& file,
                                           const ValidationReport& report) {
  const Json document = parse_json(tolerances, file);
  const Reader root(document, file);
  std::vector<std::string> broken;
  if (!document.is_array()) {
    check(root, report, broken);
    return broken;
  }
  for (const Reader& item : root.items()) check(item, report, broken);
  return broken;
}

}  // namespace orrery
