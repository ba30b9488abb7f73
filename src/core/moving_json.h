// SPDX-License-Identifier: Apache-2.0
//
// The containers of Json in builds with the address sanitizer: an insertion moves all members to
// new memory, up to kMostMoved of them, beyond which a long list would take its length squared. A
// reference into a document that outlives an insertion is then a finding, whatever capacity the
// vector happened to have. Nothing else differs from nlohmann's ordered_json.
#pragma once

#include <cstddef>
#include <nlohmann/ordered_map.hpp>
#include <utility>
#include <vector>

namespace orrery {

inline constexpr std::size_t kMostMoved = 256;

// Into a buffer with room for one more.
template <class Container>
void move_members(Container& members) {
  if (members.size() > kMostMoved) return;
  Container moved;
  moved.reserve(members.size() + 1);
  for (auto& m : members) moved.emplace_back(std::move(m));
  members.swap(moved);
}

template <class T, class... Rest>
struct MovingList : std::vector<T, Rest...> {
  using Base = std::vector<T, Rest...>;
  using Base::Base;

  void push_back(T value) { emplace_back(std::move(value)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    T made(std::forward<Args>(args)...);
    move_members<Base>(*this);
    return Base::emplace_back(std::move(made));
  }
  template <class... Args>
  typename Base::iterator insert(typename Base::const_iterator at, Args&&... args) {
    const std::ptrdiff_t index = at - this->cbegin();
    move_members<Base>(*this);
    return Base::insert(this->cbegin() + index, std::forward<Args>(args)...);
  }
};

template <class Key, class T, class... Rest>
struct MovingMap : nlohmann::ordered_map<Key, T, Rest...> {
  using Base = nlohmann::ordered_map<Key, T, Rest...>;
  using Base::Base;
  using typename Base::iterator;

  template <class K>
  std::pair<iterator, bool> emplace(K&& key, T&& value) {
    if (const auto known = this->find(key); known != this->end()) return {known, false};
    move_members<typename Base::Container>(*this);
    return Base::emplace(std::forward<K>(key), std::move(value));
  }
  template <class K>
  T& operator[](K&& key) {
    return emplace(std::forward<K>(key), T()).first->second;
  }
  template <class K>
  const T& operator[](K&& key) const {
    return this->at(std::forward<K>(key));
  }
  template <class Member>
  std::pair<iterator, bool> insert(Member&& member) {
    return emplace(member.first, T(member.second));
  }
  template <class Iterator>
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
};

}  // namespace orrery
