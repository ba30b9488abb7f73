// SPDX-License-Identifier: Apache-2.0
//
// A search shared by processes: one leads; the others ask it for work items and send it the best
// they have; at the end each hands over its tally. The answer is the same as of one process,
// because no count depends on the assignment of work (explore/search.h).
//
// Messages are the bytes of plain values, between processes of one program on machines of one kind.
// Errors: std::runtime_error for malformed messages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Incumbents;
class SharedFront;
struct SearchTally;

struct SearchTeam {
  // The answer to others; empty: they are done.
  using Answering = std::function<std::optional<std::string>(const std::string& question)>;

  std::function<void(const Answering&)> serve;  // of the leader; unset at the others
  std::function<std::optional<std::string>(const std::string& question)> ask;  // of the others

  bool leads() const { return static_cast<bool>(serve); }
};

// The best values that a process knows; its bounds are compared with them.
struct SharedBest {
  Incumbents& incumbents;
  SharedFront& front;
};

// A process that hears nothing of the others while it searches, as a worker of a page: it takes the
// places part, part + of, part + 2·of, … and appends what it hands over to `handed`, a text a
// search.
SearchTeam share_of_search(std::size_t part, std::size_t of, std::vector<std::string>& handed);

// The leader of such processes, of which each has handed over one text.
SearchTeam leader_of_shares(std::vector<std::string> handed);

// Hands out places 0 … n − 1 and passes the tallies of all to `add`.
void lead_search(const SearchTeam& team, std::size_t places, const SharedBest& best,
                 const std::function<void(const SearchTally&)>& add);

// The next place, nothing when there is none; on the way the best of both sides is shared. A share
// does not know how many there are.
std::optional<std::size_t> next_place(const SearchTeam& team, const SharedBest& best);

// Ends this process's part.
void hand_over(const SearchTeam& team, const SharedBest& best, const SearchTally& tally);

}  // namespace orrery
