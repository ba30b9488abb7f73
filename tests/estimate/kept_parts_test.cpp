// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "core/json.h"
#include "estimate/cached_parts.h"
#include "estimate/config_lookup.h"

namespace orrery {
namespace {

// A lookup whose one model reads `text`; parts count how often they were made.
struct Shop {
  std::string text = "first";
  int made = 0;

  ConfigLookup lookup() const {
    ConfigLookup lookup;
    lookup.model = [this](const std::string& name) -> std::optional<ConfigText> {
      if (name == "none") return {};
      return ConfigText{text, name};
    };
    lookup.parts = std::make_shared<CachedParts>();
    return lookup;
  }

  std::string part(const Json& from, const ConfigLookup& lookup) {
    return *cached_part<std::string>(RunPart::model, "run.json", {&from}, lookup,
                                     [&](const ConfigLookup& asked) {
                                       ++made;
                                       const auto found = asked.model(from.get<std::string>());
                                       return found ? found->text : "nothing";
                                     });
  }
};

TEST_CASE("a part is made once while its documents read the same") {
  Shop shop;
  const ConfigLookup lookup = shop.lookup();
  CHECK(shop.part("m", lookup) == "first");
  CHECK(shop.part("m", lookup) == "first");
  CHECK(shop.made == 1);
  CHECK(shop.part("other", lookup) == "first");
  CHECK(shop.made == 2);
}

TEST_CASE("a table of intervals that comes or goes makes a part anew") {
  Shop shop;
  ConfigLookup without = shop.lookup();
  ConfigLookup with = without;
  with.accuracy = [] { return ConfigText{"{}", "accuracy.json"}; };
  const Json name = "m";
  const auto has_table = [&](const ConfigLookup& lookup) {
    return *cached_part<bool>(
        RunPart::model, "run.json", {&name}, lookup,
        [](const ConfigLookup& asked) { return asked.accuracy && asked.accuracy().has_value(); });
  };
  CHECK_FALSE(has_table(without));
  CHECK(has_table(with));
  CHECK_FALSE(has_table(without));
}

TEST_CASE("a part is made anew where a document changed, came or went") {
  Shop shop;
  ConfigLookup lookup = shop.lookup();
  CHECK(shop.part("m", lookup) == "first");
  shop.text = "second";
  CHECK(shop.part("m", lookup) == "second");
  CHECK(shop.part("none", lookup) == "nothing");
  lookup.model = [](const std::string&) { return ConfigText{"another lookup", ""}; };
  CHECK(shop.part("none", lookup) == "another lookup");
  CHECK(shop.part("m", lookup) == "another lookup");
}

TEST_CASE("values that are printed differently make parts of their own") {
  ConfigLookup lookup;
  lookup.parts = std::make_shared<CachedParts>();
  const auto printed = [&](const Json& from) {
    return *cached_part<std::string>(RunPart::cluster, "run.json", {&from}, lookup,
                                     [&](const ConfigLookup&) { return from.dump(); });
  };
  CHECK(printed(8) == "8");
  CHECK(printed(8.0) == "8.0");
  CHECK(printed("8") == "\"8\"");
}

TEST_CASE("a part that could not be made is not kept") {
  ConfigLookup lookup;
  lookup.parts = std::make_shared<CachedParts>();
  const Json from = "x";
  const auto fails = [](const ConfigLookup&) -> int { throw 1; };
  CHECK_THROWS_AS(cached_part<int>(RunPart::model, "", {&from}, lookup, fails), int);
  CHECK(*cached_part<int>(RunPart::model, "", {&from}, lookup,
                          [](const ConfigLookup&) { return 3; }) == 3);
}

}  // namespace
}  // namespace orrery
