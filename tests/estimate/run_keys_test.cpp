// SPDX-License-Identifier: Apache-2.0
//
// Properties of the tables of keys of a run file: any value that a form allows is read, written and
// read again as the same.
#include "estimate/run_keys.h"

#include <doctest/doctest.h>

#include <random>
#include <set>

#include "core/json.h"
#include "core/json_reader.h"
#include "core/key_words.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

using Random = std::mt19937;

std::int64_t between(Random& random, std::int64_t lowest, std::int64_t highest) {
  return std::uniform_int_distribution<std::int64_t>(lowest, highest)(random);
}

Json value_of(const Form& f, Random& random);

Json object_value(const KeyTable& table, Random& random) {
  Json object = Json::object();
  for (const Key& k : table.keys) {
    if (k.read == nullptr || (!k.otherwise.required && between(random, 0, 1) == 0)) continue;
    object[std::string(k.name)] = value_of(k.forms.front(), random);
  }
  return object;
}

Json list_value(const Form& f, Random& random) {
  Json list = Json::array();
  // Sets of names hold each once, in the order of the enum.
  for (std::size_t i = 0; f.item->kind == FormKind::choice && i < f.item->names.size(); ++i) {
    if (between(random, 0, 1) == 1) list.push_back(std::string(f.item->names[i]));
  }
  for (std::int64_t n = f.item->kind == FormKind::choice ? 0 : between(random, 1, 5); n > 0; --n) {
    list.push_back(value_of(*f.item, random));
  }
  return list;
}

// Texts have a grammar of their own, which the forms do not say.
Json value_of(const Form& f, Random& random) {
  switch (f.kind) {
    case FormKind::boolean:
      return between(random, 0, 1) == 1;
    case FormKind::whole:
      return between(random, f.lowest, std::min<std::int64_t>(f.highest, 1 << 20));
    case FormKind::number:
      return std::uniform_real_distribution<double>(f.least, std::min(f.most, 1e6))(random);
    case FormKind::choice:
      return std::string(f.names[static_cast<std::size_t>(
          between(random, 0, static_cast<std::int64_t>(f.names.size()) - 1))]);
    case FormKind::list:
      return list_value(f, random);
    case FormKind::object:
      return object_value(*f.object, random);
    case FormKind::map:
      return Json{{"switch", "on"}};
    case FormKind::document:
      return "a-name";
    case FormKind::text:  // one that an object of a list has to have
      return f.pattern == strategy_forms::kRange ? Json("experts") : Json();
    case FormKind::either:
    case FormKind::quantity:
    case FormKind::any:
      return nullptr;
  }
  return nullptr;
}

template <class T>
void check_round_trips(const Keys<T>& table, Random& random) {
  const Json given = object_value(table, random);
  Json once = Json::object();
  write_keys(table, read_keys(table, Reader(given, "run.json", table.path)), once);
  Json twice = Json::object();
  write_keys(table, read_keys(table, Reader(once, "run.json", table.path)), twice);
  CHECK(once.dump() == twice.dump());
  for (const Key& k : table.keys) {
    const std::string name(k.name);
    CAPTURE(name);
    if (given.contains(name) && !given[name].empty()) CHECK(once.contains(name));
  }
}

TEST_CASE("whatever a table allows is read and written back as it was") {
  Random random(7);
  for (int i = 0; i < 300; ++i) {
    check_round_trips(kStrategyKeys, random);
    check_round_trips(kStackKeys, random);
    check_round_trips(kOffloadKeys, random);
    check_round_trips(kOverlapKeys, random);
    check_round_trips(kPartitionKeys, random);
  }
}

TEST_CASE("no two keys of a run file share a path or a flag") {
  std::set<std::string> paths;
  std::set<std::string> flags;
  for (const KeyLine& line : key_lines(kRunKeys)) {
    CAPTURE(line.path);
    CHECK(paths.insert(line.path).second);
    const std::string flag = line.key->flag.name;
    if (!flag.empty()) CHECK(flags.insert(flag).second);
  }
  CHECK(paths.count("parallel.offload.optimizer_fraction") == 1);
  CHECK(flags.count("--tp") == 1);
}

}  // namespace
}  // namespace orrery
