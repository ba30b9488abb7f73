// SPDX-License-Identifier: Apache-2.0
//
// A value, or {"value", "low", "high"} with low ≤ value ≤ high; `low` and `high` are optional.
#pragma once

#include <functional>

#include "capacity/ranged.h"
#include "core/json.h"
#include "core/json_reader.h"

namespace orrery {

// `si` turns a value into a number with the same order.
template <class T, class Read, class Order>
Ranged<T> read_ranged(Reader r, const Read& read, const Order& order) {
  if (!r.json().is_object()) return exactly<T>(read(r));
  Ranged<T> range = exactly<T>(read(r.at("value")));
  if (auto low = r.find("low")) {
    range.low = read(*low);
    if (order(range.value) < order(range.low)) low->fail("at most the value");
  }
  if (auto high = r.find("high")) {
    range.high = read(*high);
    if (order(range.high) < order(range.value)) high->fail("at least the value");
  }
  for (const char* known : {"source", "kind", "on"}) r.allow(known);
  r.allow("date");
  r.reject_unknown();
  return range;
}

inline Ranged<double> read_ranged_number(const Reader& r, double lowest, double highest) {
  return read_ranged<double>(
      r, [=](const Reader& v) { return v.number(lowest, highest); }, [](double x) { return x; });
}

template <Dimension D>
Ranged<Quantity<D>> read_ranged_quantity(const Reader& r, bool zero_allowed) {
  return read_ranged<Quantity<D>>(
      r, [=](const Reader& v) { return v.quantity<D>(zero_allowed); },
      [](Quantity<D> q) { return q.si(); });
}

}  // namespace orrery
