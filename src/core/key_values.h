// SPDX-License-Identifier: Apache-2.0
//
// The value of a key, from JSON into a member and back, by the member's type: truth, whole number,
// number, quantity, text, enum, optional, list, array by names, struct with a table of its own.
// Reading is Reader's, with its messages; this header only picks what fits the type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/json_fwd.h"
#include "core/key_form.h"
#include "orrery/quantity.h"

namespace orrery {

class Reader;

namespace key_values {

template <class X>
struct Kind {
  static constexpr FormKind value = FormKind::object;
};
template <class X>
requires std::is_enum_v<X>
struct Kind<X> {
  static constexpr FormKind value = FormKind::choice;
};
template <class X>
requires(std::is_integral_v<X> && !std::is_same_v<X, bool>) struct Kind<X> {
  static constexpr FormKind value = FormKind::whole;
};
template <>
struct Kind<bool> {
  static constexpr FormKind value = FormKind::boolean;
};
template <>
struct Kind<double> {
  static constexpr FormKind value = FormKind::number;
};
template <>
struct Kind<std::string> {
  static constexpr FormKind value = FormKind::text;
};
template <Dimension D>
struct Kind<Quantity<D>> {
  static constexpr FormKind value = FormKind::quantity;
};
template <class X>
struct Kind<std::vector<X>> {
  static constexpr FormKind value = FormKind::list;
};
template <class E, class X, std::size_t N>
struct Kind<EnumArray<E, X, N>> {
  static constexpr FormKind value = FormKind::map;
};
template <>
struct Kind<GivenJson> {
  static constexpr FormKind value = FormKind::any;
};
template <>
struct Kind<Reader> {
  static constexpr FormKind value = FormKind::any;
};
template <class X>
struct Kind<std::optional<X>> : Kind<X> {};

// Whether a value of type X can be told from its first form, and whether that is all of it.
template <class X>
constexpr bool is_written_by(const Forms& forms) {
  return Kind<X>::value == FormKind::any || Kind<X>::value == forms.front().kind;
}
template <class X>
constexpr bool is_read_by(const Forms& forms) {
  return std::is_same_v<X, std::optional<Reader>> || (forms.count == 1 && is_written_by<X>(forms));
}

// Defined in keys.cpp, which knows Reader and Json.
bool read_boolean(const Reader& r);
std::int64_t read_whole(const Reader& r, const Form& f);
double read_number(const Reader& r, const Form& f);
double read_quantity(const Reader& r, const Form& f);
std::string read_text(const Reader& r);
std::size_t read_choice(const Reader& r, const Form& f);
GivenJson read_json(const Reader& r, const Form& f);
void read_object(const Reader& r, const KeyTable& keys, void* out);
void read_list(const Reader& r, const Form& f, void* list,
               void (*append)(void* list, const Reader& r, const Form& item));
void read_map(const Reader& r, const Form& map, void* values,
              void (*read)(void* values, std::size_t i, const Reader& r, const Form& item));

template <class X>
void read_value(const Reader& r, const Form& f, X& out);
template <class X>
void read_value(const Reader& r, const Form& f, std::optional<X>& out);
template <class X>
void read_value(const Reader& r, const Form& f, std::vector<X>& out);
template <class E, class X, std::size_t N>
void read_value(const Reader& r, const Form& f, EnumArray<E, X, N>& out);

template <class X>
void read_value(const Reader& r, const Form& f, X& out) {
  constexpr FormKind kind = Kind<X>::value;
  if constexpr (kind == FormKind::boolean) {
    out = read_boolean(r);
  } else if constexpr (kind == FormKind::whole) {
    out = static_cast<X>(read_whole(r, f));
  } else if constexpr (kind == FormKind::number) {
    out = read_number(r, f);
  } else if constexpr (kind == FormKind::quantity) {
    out = X(read_quantity(r, f));
  } else if constexpr (kind == FormKind::text) {
    out = read_text(r);
  } else if constexpr (kind == FormKind::choice) {
    out = static_cast<X>(read_choice(r, f));
  } else if constexpr (kind == FormKind::any) {
    out = read_json(r, f);
  } else {
    read_object(r, *f.object, &out);
  }
}

// A Reader is the value where it stands, for code elsewhere that knows more.
template <class X>
void read_value(const Reader& r, const Form& f, std::optional<X>& out) {
  if constexpr (std::is_same_v<X, Reader>) {
    out = r;
  } else {
    X value{};
    read_value(r, f, value);
    out = std::move(value);
  }
}

template <class X>
void read_value(const Reader& r, const Form& f, std::vector<X>& out) {
  out.clear();
  read_list(r, f, &out, [](void* list, const Reader& item, const Form& form) {
    X value{};
    read_value(item, form, value);
    static_cast<std::vector<X>*>(list)->push_back(std::move(value));
  });
}

// Entries that the map does not name keep their value.
template <class E, class X, std::size_t N>
void read_value(const Reader& r, const Form& f, EnumArray<E, X, N>& out) {
  read_map(r, f, out.values.data(),
           [](void* values, std::size_t i, const Reader& item, const Form& form) {
             read_value(item, form, static_cast<X*>(values)[i]);
           });
}

void write_boolean(bool x, Json& out);
void write_whole(std::int64_t x, Json& out);
void write_number(double x, Json& out);
void write_quantity(double x, const Form& f, Json& out);
void write_text(std::string_view x, Json& out);
bool write_json(const GivenJson& x, Json& out);
bool write_read(const Reader& x, Json& out);
bool write_object(const void* object, const KeyTable& keys, Json& out);
void write_list(const void* list, std::size_t size, const Form& item, Json& out,
                bool (*write)(const void* list, std::size_t i, const Form& item, Json& out));
void write_map(const void* values, const Form& map, Json& out,
               bool (*write)(const void* values, std::size_t i, const Form& item, Json& out));

// False where there is nothing to write.
template <class X>
bool write_value(const X& x, const Form& f, Json& out);
template <class X>
bool write_value(const std::optional<X>& x, const Form& f, Json& out);
template <class X>
bool write_value(const std::vector<X>& x, const Form& f, Json& out);
template <class E, class X, std::size_t N>
bool write_value(const EnumArray<E, X, N>& x, const Form& f, Json& out);

template <class X>
bool write_value(const X& x, const Form& f, Json& out) {
  constexpr FormKind kind = Kind<X>::value;
  if constexpr (kind == FormKind::boolean) {
    write_boolean(x, out);
  } else if constexpr (kind == FormKind::whole) {
    write_whole(static_cast<std::int64_t>(x), out);
  } else if constexpr (kind == FormKind::number) {
    write_number(x, out);
  } else if constexpr (kind == FormKind::quantity) {
    write_quantity(x.si(), f, out);
  } else if constexpr (kind == FormKind::text) {
    write_text(x, out);
  } else if constexpr (kind == FormKind::choice) {
    write_text(f.names[static_cast<std::size_t>(x)], out);
  } else if constexpr (kind == FormKind::any) {
    return write_json(x, out);
  } else {
    return write_object(&x, *f.object, out);
  }
  return true;
}

template <class X>
bool write_value(const std::optional<X>& x, const Form& f, Json& out) {
  if constexpr (std::is_same_v<X, Reader>) {
    return x && write_read(*x, out);
  } else {
    return x && write_value(*x, f, out);
  }
}

template <class X>
bool write_value(const std::vector<X>& x, const Form& f, Json& out) {
  write_list(&x, x.size(), *f.item, out,
             [](const void* list, std::size_t i, const Form& item, Json& element) {
               return write_value((*static_cast<const std::vector<X>*>(list))[i], item, element);
             });
  return true;
}

template <class E, class X, std::size_t N>
bool write_value(const EnumArray<E, X, N>& x, const Form& f, Json& out) {
  write_map(x.values.data(), f, out,
            [](const void* values, std::size_t i, const Form& item, Json& element) {
              return write_value(static_cast<const X*>(values)[i], item, element);
            });
  return true;
}

}  // namespace key_values
}  // namespace orrery
