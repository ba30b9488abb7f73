// SPDX-License-Identifier: Apache-2.0
//
// The processes of a job started by mpirun, if this build has MPI (ORRERY_MPI) and the job has more
// than one; else this process alone.
//
// Rank 0 is the leader: it hands out work and collects results; the others ask it, one question and
// one answer at a time. The assignment of work depends on timing, so no result may depend on it.
// Errors: std::runtime_error if MPI fails.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace orrery {

// Starts MPI if the environment shows a launcher, and ends it with the process. There is one, in
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

// Whether there are other ranks.
inline bool is_led() { return rank_count() > 1; }

// The answer to a rank; empty: it is done.
using Answering = std::function<std::optional<std::string>(const std::string& question)>;

// At the leader: the failure of another rank.
class RankFailed : public std::runtime_error {
 public:
  RankFailed(const std::string& what, bool by_input) : runtime_error(what), by_input_(by_input) {}
  bool by_input() const { return by_input_; }

 private:
  bool by_input_;
};

// Rank 0: answers until every other rank is done. If answer() throws or a rank fails, all ranks
// are ended before the error goes on.
void answer_ranks(const Answering& answer);

// Other ranks: ask until the leader ends them. From any thread.
std::optional<std::string> ask_leader(const std::string& question);

// After a failure: the leader tells all other ranks to end; other ranks tell the leader why. Then
// no rank waits for another.
void leave_ranks(const std::exception& why);

}  // namespace orrery
