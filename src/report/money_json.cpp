// SPDX-License-Identifier: Apache-2.0
#include "report/money_json.h"

#include "capacity/prices_json.h"
#include "core/json.h"
#include "report/frame_json.h"

namespace orrery {

Json money_json(const std::optional<Money>& m) {
  return json_or_null(m, [](const Money& x) { return x.amount(); });
}

Json assumptions_json(const std::vector<Assumption>& all) {
  return json_list(all, [&](const Assumption& a) -> Json {
    return {{"what", a.what}, {"value", a.value}, {"source", a.source}, {"date", a.date}};
  });
}

}  // namespace orrery
