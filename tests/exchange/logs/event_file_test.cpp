// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/event_file.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "exchange/logs/training_log.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::about;
using namespace std::string_literals;  // NOLINT

// The first record that TensorBoard writes.
const std::string kEvents = "\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22"s +
                            "\x09\x00\x00\xc0\x76\x3b\xa1\xd7\x41\x1a\x0d"s + "brain.Event:2" +
                            "\x6c\xbe\xef\xa8"s;

// "loss" at steps 1, 2 and 3, half a second apart; framed by another program.
constexpr char kLoss[] =
    "\032\000\000\000\000\000\000\000\022\233\330\055\011\000\000\000\000\000\104\217"
    "\100\020\001\052\015\012\013\012\004\154\157\163\163\025\232\231\071\100\013\131"
    "\014\273\032\000\000\000\000\000\000\000\022\233\330\055\011\000\000\000\000\000"
    "\110\217\100\020\002\052\015\012\013\012\004\154\157\163\163\025\063\063\063\100"
    "\003\212\166\237\032\000\000\000\000\000\000\000\022\233\330\055\011\000\000\000"
    "\000\000\114\217\100\020\003\052\015\012\013\012\004\154\157\163\163\025\315\314"
    "\054\100\253\243\075\041";
// "iteration-time" 2.5, as a simple value and as a tensor.
constexpr char kTimes[] =
    "\044\000\000\000\000\000\000\000\102\053\200\115\011\000\000\000\000\000\000\360"
    "\077\020\007\052\027\012\025\012\016\151\164\145\162\141\164\151\157\156\055\164"
    "\151\155\145\025\000\000\040\100\312\140\224\326\051\000\000\000\000\000\000\000"
    "\067\377\137\000\011\000\000\000\000\000\000\042\100\020\010\052\034\012\032\012"
    "\016\151\164\145\162\141\164\151\157\156\055\164\151\155\145\102\010\010\001\052"
    "\004\000\000\040\100\207\060\320\037";

// "a vs samples" at 8, 16 and 24 of them, three quarters of a second apart.
constexpr char kSamples[] =
    "\042\000\000\000\000\000\000\000\170\021\075\375\011\000\000\000\000\000\106\217"
    "\100\020\010\052\025\012\023\012\014\141\040\166\163\040\163\141\155\160\154\145"
    "\163\025\000\000\200\077\072\272\271\003\042\000\000\000\000\000\000\000\170\021"
    "\075\375\011\000\000\000\000\000\114\217\100\020\020\052\025\012\023\012\014\141"
    "\040\166\163\040\163\141\155\160\154\145\163\025\000\000\200\077\366\254\325\325"
    "\042\000\000\000\000\000\000\000\170\021\075\375\011\000\000\000\000\000\122\217"
    "\100\020\030\052\025\012\023\012\014\141\040\166\163\040\163\141\155\160\154\145"
    "\163\025\000\000\200\077\306\263\163\334";

template <std::size_t n>
std::string bytes_of(const char (&text)[n]) {
  return {text, n - 1};
}

}  // namespace

TEST_CASE("The first frame of a real event file has its checksums, and no scalar") {
  CHECK(is_event_file(kEvents));
  CHECK(read_event_file(kEvents, "e").empty());
  // The run is still writing.
  CHECK(read_event_file(kEvents + kEvents.substr(0, 20), "e").empty());
}

TEST_CASE("A changed byte of an event file is refused by its place") {
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{8}, std::size_t{20}, kEvents.size() - 1}) {
    std::string changed = kEvents;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK_THROWS_AS(read_event_file(changed, "e"), InputError);
  }
}

TEST_CASE("Scalars are read by tag, and a step's time by its tag or by the clock") {
  const std::string file = bytes_of(kLoss);  // the tags stand in it
  const std::vector<LoggedScalar> loss = read_event_file(file, "e");
  REQUIRE(loss.size() == 3);
  CHECK(loss[1].tag == "loss");
  CHECK(loss[1].step == 2);
  CHECK(loss[1].value == about(2.8));
  const TrainingLog clock = read_training_log(kEvents + file, "e");
  CHECK(clock.form == "TensorBoard, by the clock of its events");
  CHECK(clock.step_time->si() == about(0.5));
  const TrainingLog times = read_training_log(kEvents + bytes_of(kTimes), "e");
  CHECK(times.step_time->si() == about(2.5));
  CHECK(times.steps == 2);
  CHECK_THROWS_AS(read_training_log(kEvents, "e"), InputError);
}

TEST_CASE("Tags whose step counts samples say samples a second, where no other tag says a step") {
  const TrainingLog alone = read_training_log(kEvents + bytes_of(kSamples), "e");
  CHECK_FALSE(alone.step_time.has_value());
  CHECK(*alone.samples_per_s == about(8 / 0.75));
  const TrainingLog both = read_training_log(kEvents + bytes_of(kSamples) + bytes_of(kLoss), "e");
  CHECK(both.step_time->si() == about(0.5));
  CHECK_FALSE(both.samples_per_s.has_value());
}

}  // namespace orrery
