// SPDX-License-Identifier: Apache-2.0
//
// The processes of a job that mpirun started, where this build has MPI (ORRERY_MPI) and the job has
// more than one; else this process alone.
//
// Rank 0 leads: it hands out work and collects; the others ask it, one question and one answer at a
// time. Which rank does what is decided as they ask, so no result may depend on it. Errors:
// std::runtime_error where MPI fails.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace orrery {

// Starts MPI where the environment says that a launcher did, and ends it with the process. One, in
// run_program().
class Ranks {
 public:
  Ranks();
  ~Ranks();  // NOLINT(performance-trivially-destructible): only without MPI
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
};

std::int64_t rank_count();
std::int64_t this_rank();
inline bool is_leader() { return this_rank() == 0; }

// Whether others are there to be led.
inline bool is_led() { return rank_count() > 1; }

// What a rank is told; nothing: it is done.
using Answering = std::function<std::optional<std::string>(const std::string& question)>;

// What another rank failed with, at the leader.
class RankFailed : public std::runtime_error {
 public:
  RankFailed(const std::string& what, bool by_input) : runtime_error(what), by_input_(by_input) {}
  bool by_input() const { return by_input_; }

 private:
  bool by_input_;
};

// Rank 0: answers until every other rank is done. Where answer() throws or a rank fails, all are
// told that they are done before that goes on.
void answer_ranks(const Answering& answer);

// The others, until they are told that they are done. From any thread.
std::optional<std::string> ask_leader(const std::string& question);

// For who fails: a leader tells all that are not done yet that they are, others tell the leader
// why. Nobody then waits for anybody.
void leave_ranks(const std::exception& why);

}  // namespace orrery
