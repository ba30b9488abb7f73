// SPDX-License-Identifier: Apache-2.0
//
// The names of an enumeration as files and answers write them, and the number of its enumerators,
// each said once. Beside an enum whose enumerators are 0, 1, 2, … stands
//
//   enum class Norm : std::uint8_t { layernorm, rmsnorm };
//   constexpr EnumNames<Norm> names_of(Norm) { return {"layernorm", "rmsnorm"}; }
//
// and gives name_of(Norm::rmsnorm), find_name<Norm>("rmsnorm"), kNamesOf<Norm>, kAllOf<Norm>. The
// compiler counts the enumerators, so that a table with a row too few or too many does not compile.
// Names are literals: their data() ends in a zero.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace orrery {
namespace detail {

// Compilers write a value that has no enumerator as a cast: "(orrery::Norm)2".
template <class E, E value>
constexpr bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i - 1] == ')' && text[i] >= '0' && text[i] <= '9') return false;
  }
  return true;
}

template <class E, std::size_t first = 0>
constexpr std::size_t count_enumerators() {
  if constexpr (is_enumerator<E, static_cast<E>(first)>()) {
    return count_enumerators<E, first + 1>();
  } else {
    return first;
  }
}

}  // namespace detail

template <class E>
inline constexpr std::size_t kCountOf = detail::count_enumerators<E>();

// A value for each enumerator, or for each of the first N: all of them given, or all of them zero.
template <class E, class T, std::size_t N = kCountOf<E>>
struct EnumArray {
  std::array<T, N> values{};

  constexpr EnumArray() = default;
  template <class... V>
  requires(sizeof...(V) > 0) constexpr EnumArray(V... v)  // NOLINT: `return {"a", "b"}`
      : values{static_cast<T>(v)...} {
    static_assert(sizeof...(V) == N, "an array needs one entry for every enumerator");
  }

  constexpr T& operator[](E e) { return values[static_cast<std::size_t>(e)]; }
  constexpr const T& operator[](E e) const { return values[static_cast<std::size_t>(e)]; }
  constexpr auto begin() { return values.begin(); }
  constexpr auto begin() const { return values.begin(); }
  constexpr auto end() { return values.end(); }
  constexpr auto end() const { return values.end(); }
  static constexpr std::size_t size() { return N; }

  bool operator==(const EnumArray&) const = default;
};

template <class E>
using EnumNames = EnumArray<E, std::string_view>;

template <class E>
inline constexpr std::array<std::string_view, kCountOf<E>> kNamesOf = names_of(E{}).values;

template <class E>
inline constexpr std::array<E, kCountOf<E>> kAllOf = [] {
  std::array<E, kCountOf<E>> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<E>(i);
  return all;
}();

template <class E>
requires requires(E e) { names_of(e); }
constexpr std::string_view name_of(E e) { return kNamesOf<E>[static_cast<std::size_t>(e)]; }

template <class E>
constexpr std::optional<E> find_name(std::string_view text) {
  for (const E e : kAllOf<E>) {
    if (name_of(e) == text) return e;
  }
  return {};
}

}  // namespace orrery
