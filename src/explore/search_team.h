// SPDX-License-Identifier: Apache-2.0
//
// A search that processes share: one leads, the others ask it for places in the order of units and
// tell it the best they have; at the end each hands over its tally. Answers are those of one
// process, as no count depends on who did what (explore/search.h).
//
// What travels are the bytes of plain values, between processes of one program on machines of one
// kind. Errors: std::runtime_error where bytes are not what they should be.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explore/worker.h"

namespace orrery {

struct SearchTeam {
  // What others are told; nothing: they are done.
  using Answering = std::function<std::optional<std::string>(const std::string& question)>;

  std::function<void(const Answering&)> serve;  // of the leader; unset at the others
  std::function<std::optional<std::string>(const std::string& question)> ask;  // of the others

  bool leads() const { return static_cast<bool>(serve); }
};

// What a process knows to be reached, and its bounds are held against.
struct SharedBest {
  Incumbents& incumbents;
  SharedFront& front;
};

// Hands out places 0 … n − 1 and passes the tallies of all to `add`.
void lead_search(const SearchTeam& team, std::size_t places, const SharedBest& best,
                 const std::function<void(const SearchTally&)>& add);

// The next place, nothing when there is none; on the way the best of both sides is shared.
std::optional<std::size_t> next_place(const SearchTeam& team, const SharedBest& best);

// Ends this process's part.
void hand_over(const SearchTeam& team, const SharedBest& best, const SearchTally& tally);

}  // namespace orrery
