// SPDX-License-Identifier: Apache-2.0
//
// Tables of keys: what may stand in a document is said once, a constexpr row a key.
//
//   struct Offload { OffloadTarget optimizer = …; double optimizer_fraction = 1; };
//
//   inline constexpr auto kOffloadRows = keys<Offload>(
//       key<&Offload::optimizer>("optimizer", form::one_of<OffloadTarget>(),
//       otherwise("none"),
//                                Vary::stages, "where optimizer states live"),
//       key<&Offload::optimizer_fraction>("optimizer_fraction", form::number(0, 1, "share"), …));
//   inline constexpr Keys<Offload> kOffloadKeys{"parallel.offload", kOffloadRows};
//   template <>
//   struct KeysOf<Offload> { static constexpr const Keys<Offload>& table = kOffloadKeys; };
//
// Reading, writing back, refusing what is unknown, the JSON Schema, `orrery list keys` and the
// tables of the documentation are loops over the rows (below and key_words.h, key_schema.h). Other
// code names a key by its member: key_name<&Offload::optimizer>, key_path<…>. A row without one of
// its parts, with a form that its member cannot hold, or a member without a row does not compile.
//
// A document is read into the struct of what was asked; where the run holds the same value in
// another struct, that member is the row's second: key<&StrategyRequest::tp, &Strategy::tp>.
// Errors: InputError, from Reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/json_fwd.h"
#include "core/key_form.h"
#include "core/key_values.h"
#include "core/member.h"
#include "core/vary.h"

namespace orrery {

// The default of an absent key: a value, or words for one that depends on other keys.
struct Otherwise {
  std::string_view value;  // "" where the key is required, or has no default
  std::string_view why;    // as `assumed` says it
  bool required = false;
};

constexpr Otherwise otherwise(std::string_view value, std::string_view why = "default") {
  return {value, why};
}
inline constexpr Otherwise kRequired{"", "", true};
inline constexpr Otherwise kNothing{};  // absent: there is none

// A flag of the command line that sets the key.
struct KeyFlag {
  const char* name = "";
  const char* help = "";   // "": the values that are allowed
  const char* names = "";  // a kind of document whose names are values, where no form says it
};

// One key of an object.
struct Key {
  std::string_view name;
  Forms forms;
  Otherwise otherwise;
  Vary vary;
  std::string_view meaning;
  KeyFlag flag{};
  // The physics of a key that only one shipped document has, and where that is documented.
  std::string_view physics{};

  // The members that hold the key: in what was asked, and in what the run holds. Empty: none.
  std::string_view asked{};
  std::string_view held{};

  // Null where the key is read elsewhere. Objects are of the types that `asked` and `held` say.
  void (*read)(void* asking, const Reader& value, const Key& key) = nullptr;
  bool (*write)(const void* asking, const Key& key, Json& out) = nullptr;
  // From one struct to the other. Null without the second.
  void (*ask)(const void* holding, void* asking) = nullptr;
  void (*take)(const void* asking, void* holding) = nullptr;  // what is not asked stays

  constexpr Key flagged(const char* name_of_flag, const char* help = "",
                        const char* names = "") const {
    Key k = *this;
    k.flag = {name_of_flag, help, names};
    return k;
  }
};

// The member of a key whose value is read elsewhere: it only gives the key a name in C++.
struct Elsewhere {};

struct KeyTable;

// A key that an earlier version read, and what to write now: files that have it are refused.
struct GoneKey {
  std::string_view name;
  std::string_view instead;
};

// A document may hold these besides its keys.
struct Besides {
  const KeyTable* changes = nullptr;  // keys of another document, as changes of it
  std::string_view foreign_key = "";  // a document with one of these is not bound by the rest
  bool has_paths = false;             // keys of a run file by their paths, with dots
  bool has_sources = false;  // a value within {"value", "kind", "source"}, core/provenance.h
  bool has_base = false;     // in place of a name: "base", a name, and changes of that document
  bool in_words = false;     // few and plain: lists of keys say {min, max}, and no more
  std::span<const GoneKey> gone{};
};

struct KeyTable {
  const char* path;  // of the object in its document: "parallel"; "" for the document itself
  std::span<const Key> keys;
  Besides besides{};
};

// --- making rows

// Tells members apart by their names, which g++ compares in constants also where it is sanitized.
template <auto Member>
constexpr std::string_view member_tag() {
  return __PRETTY_FUNCTION__;
}

namespace key_rows {

template <class V>
struct Plain {
  using type = V;
};
template <class V>
struct Plain<std::optional<V>> {
  using type = V;
};

template <auto Member>
void read(void* asking, const Reader& value, const Key& key) {
  key_values::read_value(value, key.forms.front(), static_cast<ObjectOf<Member>*>(asking)->*Member);
}

template <auto Member>
bool write(const void* asking, const Key& key, Json& out) {
  return key_values::write_value(static_cast<const ObjectOf<Member>*>(asking)->*Member,
                                 key.forms.front(), out);
}

template <auto Asked, auto Held>
void ask(const void* holding, void* asking) {
  static_cast<ObjectOf<Asked>*>(asking)->*Asked =
      static_cast<const ObjectOf<Held>*>(holding)->*Held;
}

template <auto Asked, auto Held>
void take(const void* asking, void* holding) {
  const auto& value = static_cast<const ObjectOf<Asked>*>(asking)->*Asked;
  auto& to = static_cast<ObjectOf<Held>*>(holding)->*Held;
  if constexpr (std::is_same_v<typename Plain<ValueOf<Asked>>::type, ValueOf<Asked>>) {
    to = value;
  } else if (value) {
    to = *value;
  }
}

}  // namespace key_rows

// A row over the struct T; its data is Key's. It counts what it has by itself: sanitized, g++ takes
// no comparison of a function with nullptr for a constant.
template <class T, auto Member>
struct KeyOf : Key {
  bool is_read = false;
  bool is_written = false;

  constexpr KeyOf flagged(const char* name, const char* help = "", const char* names = "") const {
    KeyOf k = *this;
    k.flag = {name, help, names};
    return k;
  }

  constexpr KeyOf documented(std::string_view physics_and_source) const {
    KeyOf k = *this;
    k.physics = physics_and_source;
    return k;
  }

  // For a member that its forms alone do not say how to read: void(const Reader&, V&), V the
  // member or the whole struct.
  template <auto Read>
  constexpr KeyOf read_by() const {
    KeyOf k = *this;
    k.is_read = true;
    k.read = [](void* asking, const Reader& value, const Key&) {
      T& object = *static_cast<T*>(asking);
      if constexpr (std::is_invocable_v<decltype(Read), const Reader&, T&>) {
        Read(value, object);
      } else {
        Read(value, object.*Member);
      }
    };
    return k;
  }

  // For a document that Orrery reads and never writes.
  template <auto Read>
  constexpr KeyOf only_read_by() const {
    KeyOf k = read_by<Read>();
    k.is_written = true;
    k.write = [](const void*, const Key&, Json&) { return false; };
    return k;
  }

  // bool(const V&, Json&), false where there is nothing to write.
  template <auto Write>
  constexpr KeyOf written_by() const {
    KeyOf k = *this;
    k.is_written = true;
    k.write = [](const void* asking, const Key&, Json& out) {
      const T& object = *static_cast<const T*>(asking);
      if constexpr (std::is_invocable_v<decltype(Write), const T&, Json&>) {
        return Write(object, out);
      } else {
        return Write(object.*Member, out);
      }
    };
    return k;
  }
};

template <auto Member>
constexpr KeyOf<ObjectOf<Member>, Member> key(std::string_view name, Forms forms,
                                              Otherwise otherwise, Vary vary,
                                              std::string_view meaning) {
  KeyOf<ObjectOf<Member>, Member> k{{name, forms, otherwise, vary, meaning}};
  k.asked = member_tag<Member>();
  if constexpr (!std::is_same_v<ValueOf<Member>, Elsewhere>) {
    k.is_read = key_values::is_read_by<ValueOf<Member>>(forms);
    if (k.is_read) k.read = key_rows::read<Member>;
    k.is_written = key_values::is_written_by<ValueOf<Member>>(forms);
    if (k.is_written) k.write = key_rows::write<Member>;
  }
  return k;
}

template <auto Asked, auto Held>
constexpr KeyOf<ObjectOf<Asked>, Asked> key(std::string_view name, Forms forms, Otherwise otherwise,
                                            Vary vary, std::string_view meaning) {
  auto k = key<Asked>(name, forms, otherwise, vary, meaning);
  k.held = member_tag<Held>();
  k.ask = key_rows::ask<Asked, Held>;
  k.take = key_rows::take<Asked, Held>;
  return k;
}

// Keys that a search varies within a run: axes, and what says more of their values.
constexpr bool is_inner(const Key& k) { return k.vary != Vary::never && k.vary != Vary::run; }

// A key of a document that no search varies.
template <auto Member>
constexpr KeyOf<ObjectOf<Member>, Member> fact(std::string_view name, Forms forms,
                                               Otherwise otherwise, std::string_view meaning) {
  return key<Member>(name, forms, otherwise, Vary::never, meaning);
}

// The same of a member within a member.
template <auto Outer, auto Inner>
constexpr KeyOf<ObjectOf<Outer>, Outer> fact_in(std::string_view name, Forms forms,
                                                Otherwise otherwise, std::string_view meaning) {
  using T = ObjectOf<Outer>;
  KeyOf<T, Outer> k{{name, forms, otherwise, Vary::never, meaning}};
  k.is_read = k.is_written = true;
  k.read = [](void* asking, const Reader& value, const Key& key) {
    key_values::read_value(value, key.forms.front(), (static_cast<T*>(asking)->*Outer).*Inner);
  };
  k.write = [](const void* asking, const Key& key, Json& out) {
    const auto& inner = (static_cast<const T*>(asking)->*Outer).*Inner;
    return key_values::write_value(inner, key.forms.front(), out);
  };
  return k;
}

// A key that the document may have and that is read elsewhere, or by nobody.
constexpr Key elsewhere(std::string_view name, Forms forms, Otherwise otherwise, Vary vary,
                        std::string_view meaning) {
  return {name, forms, otherwise, vary, meaning};
}

inline constexpr Key kNoKey = elsewhere("", form::any(""), kNothing, Vary::never, "");

template <class T, std::size_t N>
struct KeyRows {
  std::array<Key, N> rows;
};

namespace key_rows {

constexpr bool is_described(const Key& k) { return !k.name.empty() && !k.meaning.empty(); }

template <class T, class U, auto Member>
constexpr Key checked(const KeyOf<U, Member>& k) {
  static_assert(std::is_same_v<T, U>, "a key of another struct");
  // A throw is not constant: the row does not compile.
  constexpr bool has_value = !std::is_same_v<ValueOf<Member>, Elsewhere>;
  if (!is_described(k) || k.is_read != has_value || k.is_written != has_value)
    throw "a row lacks its name, meaning, or a way to read and write it";
  return static_cast<const Key&>(k);
}
template <class T>
constexpr Key checked(const Key& k) {
  if (!is_described(k)) throw "a row lacks its name or its meaning";
  return k;
}
}  // namespace key_rows

template <class T, class... Rows>
consteval KeyRows<T, sizeof...(Rows)> keys(const Rows&... rows) {
  return {{key_rows::checked<T>(rows)...}};
}

template <std::size_t... I>
constexpr std::array<Key, sizeof...(I)> copies_of(const Key& k, std::index_sequence<I...>) {
  return {{(static_cast<void>(I), k)...}};
}

// The rows of several structs that one document fills: to be shown, not read, as one table.
template <class... T, std::size_t... N>
constexpr std::array<Key, (N + ...)> joined(const KeyRows<T, N>&... parts) {
  std::array<Key, (N + ...)> all = copies_of(kNoKey, std::make_index_sequence<(N + ...)>());
  std::size_t at = 0;
  const auto add = [&](const auto& rows) {
    for (const Key& k : rows) all[at++] = k;
  };
  (add(parts.rows), ...);
  return all;
}

// The same rows, none of them required: keys that another object has too.
template <class T, std::size_t N>
constexpr KeyRows<T, N> without_required(KeyRows<T, N> rows) {
  for (Key& k : rows.rows) k.otherwise.required = false;
  return rows;
}

template <class T>
struct Keys : KeyTable {
  template <std::size_t N>
  constexpr Keys(const char* path, const KeyRows<T, N>& rows, Besides besides = {})
      : KeyTable{path, rows.rows, besides} {}
};

// The table of a struct, beside it: static constexpr const Keys<…>& table.
template <class T>
struct KeysOf;

// --- a key by its member

namespace key_rows {

template <auto Member>
consteval const Key& find() {
  const KeyTable& table = KeysOf<ObjectOf<Member>>::table;
  for (const Key& k : table.keys) {
    if (k.asked == member_tag<Member>() || k.held == member_tag<Member>()) return k;
  }
  throw "a member without a key";
}

constexpr std::size_t length(std::string_view path, std::string_view name) {
  return path.size() + (path.empty() ? 0 : 1) + name.size() + 1;
}

template <auto Member>
consteval auto path() {
  const Key& k = find<Member>();
  const std::string_view of = KeysOf<ObjectOf<Member>>::table.path;
  std::array<char, length(KeysOf<ObjectOf<Member>>::table.path, find<Member>().name)> text{};
  std::size_t n = 0;
  for (const char c : of) text[n++] = c;
  if (!of.empty()) text[n++] = '.';
  for (const char c : k.name) text[n++] = c;
  return text;
}

template <auto Member>
inline constexpr auto kPath = path<Member>();

}  // namespace key_rows

template <auto Member>
inline constexpr const Key& key_row = key_rows::find<Member>();

// "tp" and "parallel.tp"
template <auto Member>
inline constexpr std::string_view key_name = key_rows::find<Member>().name;
template <auto Member>
inline constexpr const char* key_path = key_rows::kPath<Member>.data();

// --- loops over rows

// The value of a key that `object` must have.
Reader required(Reader& object, const Key& k);

// Reads what `r` has of the table, in its order, and refuses keys that are not in it. To read more
// than the table says, use read_known() and then Reader::reject_unknown().
void read_known(const KeyTable& table, Reader& r, void* asking);
void read_all(const KeyTable& table, const Reader& r, void* asking);

template <class T>
void read_known(const Keys<T>& table, Reader& r, T& out) {
  read_known(static_cast<const KeyTable&>(table), r, static_cast<void*>(&out));
}
// An absent key keeps its value.
template <class T>
void read_all(const Keys<T>& table, const Reader& r, T& out) {
  read_all(static_cast<const KeyTable&>(table), r, static_cast<void*>(&out));
}
template <class T>
T read_keys(const Keys<T>& table, const Reader& r) {
  T out{};
  read_all(table, r, &out);
  return out;
}

// The given keys as an object, without absent ones. `out` keeps its other keys.
void write_known(const KeyTable& table, const void* asking, Json& out);

template <class T>
void write_keys(const Keys<T>& table, const T& asking, Json& out) {
  write_known(table, &asking, out);
}

// Every row's second member, as if it had been asked.
template <class T, class Holding>
void ask_for(const Keys<T>& table, const Holding& holding, T& out) {
  for (const Key& k : table.keys) {
    if (k.ask != nullptr) k.ask(&holding, &out);
  }
}

// And back: what is not asked for stays.
template <class T, class Holding>
void take_given(const Keys<T>& table, const T& asking, Holding& out) {
  for (const Key& k : table.keys) {
    if (k.take != nullptr) k.take(&asking, &out);
  }
}

}  // namespace orrery
