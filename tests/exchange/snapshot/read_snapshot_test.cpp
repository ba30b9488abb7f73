// SPDX-License-Identifier: Apache-2.0
// Pickles byte by byte (CPython's Lib/pickletools.py), and a snapshot whose peak is worked by hand.
#include "exchange/snapshot/read_snapshot.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <utility>

#include "core/error.h"
#include "exchange/snapshot/pickle.h"

namespace orrery {
namespace {

using namespace std::string_literals;

std::string text(const std::string& s) { return "\x8c"s + static_cast<char>(s.size()) + s; }

std::string whole(std::int32_t n) {
  std::string bytes = "J";
  for (int i = 0; i < 4; ++i)
    bytes += static_cast<char>(static_cast<std::uint32_t>(n) >> (8 * i) & 0xFFU);
  return bytes;
}

std::string list(std::initializer_list<std::string> items) {
  std::string bytes = "](";
  for (const std::string& item : items) bytes += item;
  return bytes + "e";
}

std::string dict(std::initializer_list<std::pair<const char*, std::string>> items) {
  std::string bytes = "}(";
  for (const auto& [key, value] : items) bytes += text(key) + value;
  return bytes + "u";
}

std::string pickled(const std::string& value) { return "\x80\x04" + value + "."; }

std::string frame(const char* file, int line, const char* name) {
  return dict({{"filename", text(file)}, {"line", whole(line)}, {"name", text(name)}});
}

std::string event(const char* action, int address, int size, const std::string& frames = "]") {
  return dict({{"action", text(action)},
               {"addr", whole(address)},
               {"size", whole(size)},
               {"frames", frames}});
}

std::string refusal(const std::string& bytes) {
  try {
    read_memory_snapshot(bytes, "s.pickle");
  } catch (const InputError& e) {
    return e.found();
  }
  return "";
}

TEST_CASE("a pickle is read as plain values, with what it keeps and recalls") {
  const std::string file = "p";
  // [("a", -2), the same tuple, 2⁴⁰, None], by protocol 4: a frame, LONG1, memo 0 and BINGET.
  const std::string bytes =
      pickled("\x95"s + std::string(8, '\0') + "](" + text("a") + whole(-2) + "\x86\x94" + "h" +
              '\0' + "\x8a\x06" + std::string(5, '\0') + '\x01' + "N" + "e");
  const Pickle p(bytes, file);
  REQUIRE(p.root().size() == 4);
  CHECK(p.root()[0][0].text() == "a");
  CHECK(p.root()[1][1].whole() == -2);
  CHECK(p.root()[2].whole() == std::int64_t{1} << 40);
  CHECK(!p.root()[3].whole());
  CHECK(!p.root()[3].text());
}

TEST_CASE("a pickle that would call something, or that ends early, is refused") {
  CHECK(refusal("\x80\x02"
                "cos\nsystem\n.") == "a pickle of a class or a function, which is not called");
  CHECK(refusal(pickled("\x8c\x7f"
                        "abc")) == "a pickle that is cut off");
  CHECK(refusal("\x80\x04]"s) == "a pickle that is cut off");
  CHECK(refusal(pickled("e")) == "a pickle without the mark it names");
  CHECK(refusal(pickled("h\x05")) == "a pickle that recalls what it did not keep");
  CHECK(refusal(pickled("N0")) == "a pickle whose stack runs empty");
  CHECK(refusal(pickled(dict({{"a", whole(1)}}))) == "a pickle without segments");
}

// Segment of 400 bytes: 100 of train.py, a hole of 60, 40 without a stack, a hole of 200. Before:
// model.py takes 150, train.py 100, loss.py 30, then model.py and loss.py give theirs back, and 500
// are asked for with 20 free. So the peak is 150 + 100 + 30 + 40 = 320.
std::string snapshot() {
  const std::string train = list({frame("train.py", 10, "step")});
  const std::string model = list(
      {frame("/opt/torch/nn/linear.py", 1, "forward"), frame("/home/me/model.py", 5, "block")});
  const std::string loss = list({frame("loss.py", 7, "loss")});
  const std::string segment = dict(
      {{"device", whole(0)},
       {"address", whole(1000)},
       {"total_size", whole(400)},
       {"blocks",
        list({dict({{"size", whole(100)}, {"state", text("active_allocated")}, {"frames", train}}),
              dict({{"size", whole(60)}, {"state", text("inactive")}}),
              dict({{"size", whole(40)}, {"state", text("active_allocated")}}),
              dict({{"size", whole(200)}, {"state", text("inactive")}})})}});
  const std::string failure =
      dict({{"action", text("oom")}, {"size", whole(500)}, {"device_free", whole(20)}});
  return pickled(
      dict({{"segments", list({segment})},
            {"device_traces",
             list({list({event("alloc", 2000, 150, model), event("alloc", 1000, 100, train),
                         event("alloc", 3000, 30, loss), event("free_requested", 2000, 150),
                         event("free_completed", 2000, 150), event("free_requested", 3000, 30),
                         failure})})}}));
}

TEST_CASE("the peak of a snapshot's history, and the lines that held it") {
  const std::vector<SnapshotDevice> devices = read_memory_snapshot(snapshot(), "s.pickle");
  REQUIRE(devices.size() == 1);
  const SnapshotDevice& d = devices[0];
  CHECK(d.reserved == Bytes(400));
  CHECK(d.allocated == Bytes(140));
  CHECK(d.peak_allocated == Bytes(320));
  CHECK(d.largest_free == Bytes(200));
  CHECK(d.asked == Bytes(500));
  CHECK(d.free == Bytes(20));
  CHECK(d.failures == 1);
  REQUIRE(d.holders.size() == 4);
  CHECK(d.holders[0].where == "model.py:5 block");
  CHECK(d.holders[0].size == Bytes(150));
  CHECK(d.holders[1].where == "train.py:10 step");
  CHECK(d.holders[2].where == "no stack was recorded");
  CHECK(d.holders[3].where == "loss.py:7 loss");
}

TEST_CASE("a snapshot whose blocks repeat beyond its length is refused") {
  // One list of 200 blocks, kept and named by 200 segments: 40,000 blocks in 2 kB.
  std::string blocks = "](";
  for (int i = 0; i < 200; ++i) blocks += "N";
  blocks += "e\x94";
  std::string segments = "](}(" + text("blocks") + blocks + "u";
  for (int i = 1; i < 200; ++i) segments += "}(" + text("blocks") + "h"s + '\0' + "u";
  segments += "e";
  CHECK(refusal(pickled("}(" + text("segments") + segments + "u")) ==
        "a snapshot whose blocks repeat");
}

}  // namespace
}  // namespace orrery
