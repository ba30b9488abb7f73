// SPDX-License-Identifier: Apache-2.0
#include "core/enum_names.h"

#include <doctest/doctest.h>

#include <cstdint>

#include "core/json.h"
#include "core/json_reader.h"

namespace orrery {
namespace {

enum class Paint : std::uint8_t { red, deep_blue, grey_50 };
constexpr EnumNames<Paint> names_of(Paint) { return {"red", "deep-blue", "50 % grey"}; }

struct Outer {
  enum class Inner { one, two };
};

TEST_CASE("the compiler counts enumerators, of any scope and spelling") {
  CHECK(kCountOf<Paint> == 3);
  CHECK(kCountOf<Outer::Inner> == 2);
  CHECK(kAllOf<Paint>.back() == Paint::grey_50);
}

TEST_CASE("a name is found from its enumerator and back") {
  for (const Paint c : kAllOf<Paint>) CHECK(find_name<Paint>(name_of(c)) == c);
  CHECK(name_of(Paint::deep_blue) == "deep-blue");
  CHECK_FALSE(find_name<Paint>("deep_blue"));
  CHECK_FALSE(find_name<Paint>(""));
}

TEST_CASE("an array by an enumeration holds a value for each enumerator") {
  EnumArray<Paint, int> used;
  used[Paint::deep_blue] += 2;
  int sum = 0;
  for (const int n : used) sum += n;
  CHECK(sum == 2);
  CHECK(used == EnumArray<Paint, int>(0, 2, 0));
  static_assert(EnumArray<Paint, int, 2>(4, 5)[Paint::deep_blue] == 5);
}

TEST_CASE("a reader takes an enumerator by its name") {
  const Json value = "deep-blue";
  CHECK(Reader(value, "f", "p").choice<Paint>() == Paint::deep_blue);
}

}  // namespace
}  // namespace orrery
