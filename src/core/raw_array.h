// SPDX-License-Identifier: Apache-2.0
//
// Room for N values, of which the first few mean something; its owner counts them.
//
// An array would make them all. A list of operators has room for 80 kB, so that making one took
// longer than a whole estimate. A value means nothing before it is assigned. Errors: none.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace orrery {

template <class T, std::size_t N>
class RawArray {
  // Then bytes become values by assignment, and nothing has to be undone.
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  // The default clears the bytes of a `RawArray{}`. NOLINTNEXTLINE(modernize-use-equals-default)
  RawArray() {}

  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  T* begin() { return std::launder(reinterpret_cast<T*>(bytes_)); }
  const T* begin() const { return std::launder(reinterpret_cast<const T*>(bytes_)); }

 private:
  alignas(T) std::byte bytes_[N * sizeof(T)];
};

}  // namespace orrery
