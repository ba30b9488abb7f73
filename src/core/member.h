// SPDX-License-Identifier: Apache-2.0
//
// The types of a member named in a template: of its struct, and of its value.
#pragma once

namespace orrery {

template <class T, class V>
T object_type(V T::*);
template <class T, class V>
V value_type(V T::*);
template <auto Member>
using ObjectOf = decltype(object_type(Member));
template <auto Member>
using ValueOf = decltype(value_type(Member));

}  // namespace orrery
