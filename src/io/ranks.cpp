// SPDX-License-Identifier: Apache-2.0
#include "io/ranks.h"

#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "core/error.h"

#ifdef ORRERY_HAS_MPI
#include <mpi.h>
#endif

namespace orrery {
namespace {

std::int64_t all = 1;
std::int64_t this_one = 0;
std::int64_t not_done = 0;  // ranks that the leader has not ended

}  // namespace

std::int64_t rank_count() { return all; }
std::int64_t this_rank() { return this_one; }

#ifdef ORRERY_HAS_MPI

namespace {

constexpr int kQuestion = 1;
constexpr int kAnswer = 2;      // begins with '+', or is "-": done
constexpr char kFailure = '!';  // first character of a message about a failure
constexpr char kByInput = 'i';

// Environment variables of Open MPI, MPICH and Slurm.
bool is_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

void check(int status) {
  if (status != MPI_SUCCESS) throw std::runtime_error("MPI failed");
}

void send(const std::string& text, int to, int tag) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::runtime_error("a message beyond 2 GiB");
  }
  check(MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD));
}

std::string receive(int from, int tag, int& sender) {
  MPI_Status status;
  check(MPI_Probe(from, tag, MPI_COMM_WORLD, &status));
  int size = 0;
  check(MPI_Get_count(&status, MPI_CHAR, &size));
  std::string text(static_cast<std::size_t>(size), '\0');
  sender = status.MPI_SOURCE;
  check(MPI_Recv(text.data(), size, MPI_CHAR, sender, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  return text;
}

}  // namespace

Ranks::Ranks() {
  if (!is_launched()) return;
  int level = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level));
  int size = 1;
  int rank = 0;
  check(MPI_Comm_size(MPI_COMM_WORLD, &size));
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  all = size;
  not_done = size - 1;
  this_one = rank;
  if (size > 1 && level < MPI_THREAD_SERIALIZED) throw std::runtime_error("an MPI without threads");
}

Ranks::~Ranks() {
  int started = 0;
  MPI_Initialized(&started);
  if (started != 0) MPI_Finalize();
}

void answer_ranks(const Answering& answer) {
  std::exception_ptr error;
  while (not_done > 0) {
    int sender = 0;
    const std::string question = receive(MPI_ANY_SOURCE, kQuestion, sender);
    std::optional<std::string> reply;
    try {
      if (question[0] == kFailure) throw RankFailed(question.substr(2), question[1] == kByInput);
      if (!error) reply = answer(question.substr(1));
    } catch (...) {
      reply.reset();
      if (!error) error = std::current_exception();
    }
    send(reply ? "+" + *reply : "-", sender, kAnswer);
    if (!reply) --not_done;
  }
  if (error) std::rethrow_exception(error);
}

namespace {

std::optional<std::string> ask(const std::string& question) {
  static std::mutex one;
  static bool done = false;  // then other threads of this rank do not ask
  const std::lock_guard<std::mutex> lock(one);
  if (done) return {};
  int sender = 0;
  send(question, 0, kQuestion);
  const std::string reply = receive(0, kAnswer, sender);
  done = reply[0] != '+';
  return done ? std::nullopt : std::optional(reply.substr(1));
}

}  // namespace

std::optional<std::string> ask_leader(const std::string& question) { return ask("+" + question); }

void leave_ranks(const std::exception& why) {
  if (is_leader()) return answer_ranks([](const std::string&) { return std::nullopt; });
  const bool by_input = dynamic_cast<const InputError*>(&why) != nullptr;
  ask(std::string(1, kFailure) + (by_input ? kByInput : ' ') + why.what());
}

#else

Ranks::Ranks() = default;
Ranks::~Ranks() = default;

void answer_ranks(const Answering& /*answer*/) { not_done = 0; }
std::optional<std::string> ask_leader(const std::string& /*question*/) { return {}; }
void leave_ranks(const std::exception& /*why*/) {}

#endif

}  // namespace orrery
