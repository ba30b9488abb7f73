// SPDX-License-Identifier: Apache-2.0
//
// A value with its range, as stated by a source or given by an interval.
#pragma once

namespace orrery {

template <class T>
struct Ranged {
  T value{};
  T low{};
  T high{};

  bool is_exact() const { return low == value && high == value; }
};

template <class T>
Ranged<T> exactly(T value) {
  return {value, value, value};
}

}  // namespace orrery
