// SPDX-License-Identifier: Apache-2.0
#include "exchange/snapshot/memory_snapshot.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "sim/simulate.h"

namespace orrery {
namespace {

// A JSON value as a Python pickle of protocol 4, without references to objects.
class Pickler {
 public:
  std::string text(const Json& value) {
    out_ = {'\x80', '\x04'};  // PROTO 4
    put(value);
    out_ += '.';  // STOP
    return std::move(out_);
  }

 private:
  void put(const Json& v) {
    if (v.is_object()) {
      put_object(v);
    } else if (v.is_array()) {
      put_list(v);
    } else if (v.is_string()) {
      put_string(v.get_ref<const std::string&>());
    } else if (v.is_boolean()) {
      out_ += v.get<bool>() ? '\x88' : '\x89';
    } else if (v.is_null()) {
      out_ += 'N';
    } else if (v.is_number_integer()) {
      put_integer(v.get<std::int64_t>());
    } else {
      throw std::logic_error("a fraction in a pickle");
    }
  }

  void put_object(const Json& v) {
    out_ += "}(";  // EMPTY_DICT, MARK
    for (const auto& [key, value] : v.items()) {
      put_string(key);
      put(value);
    }
    out_ += 'u';  // SETITEMS
  }

  void put_list(const Json& v) {
    out_ += "](";  // EMPTY_LIST, MARK
    for (const Json& item : v) put(item);
    out_ += 'e';  // APPENDS
  }

  void put_string(const std::string& s) {
    const bool is_short = s.size() <= std::numeric_limits<std::uint8_t>::max();
    out_ += is_short ? '\x8c' : 'X';  // SHORT_BINUNICODE, BINUNICODE
    put_bytes(static_cast<std::int64_t>(s.size()), is_short ? 1 : 4);
    out_ += s;
  }

  void put_integer(std::int64_t n) {
    if (n >= 0 && n <= std::numeric_limits<std::uint8_t>::max()) {
      out_ += 'K';  // BININT1
      put_bytes(n, 1);
    } else if (n >= std::numeric_limits<std::int32_t>::min() &&
               n <= std::numeric_limits<std::int32_t>::max()) {
      out_ += 'J';  // BININT
      put_bytes(n, 4);
    } else {
      out_ += "\x8a\x08";  // LONG1 of eight bytes
      put_bytes(n, 8);
    }
  }

  // The lowest byte first.
  void put_bytes(std::int64_t n, int bytes) {
    auto left = static_cast<std::uint64_t>(n);
    for (int i = 0; i < bytes; ++i, left >>= 8U) out_ += static_cast<char>(left & 0xFFU);
  }

  std::string out_;
};

constexpr std::int64_t kFirstAddress = std::int64_t{1} << 40U;

struct MemoryBlock {
  std::int64_t address = 0;
  std::int64_t size = 0;
  Json frames;
  bool is_live = true;
};

const char* pass_name(StepKind kind) {
  switch (kind) {
    case StepKind::forward:
      return "forward";
    case StepKind::backward:
      return "backward";
    case StepKind::input_gradient:
      return "input gradient";
    case StepKind::weight_gradient:
      return "weight gradient";
    case StepKind::pair:
      return "forward beside a backward";
  }
  return "";
}

Json frames_of(const std::string& name, std::size_t stage) {
  return Json::array(
      {{{"name", name}, {"filename", "stage " + std::to_string(stage)}, {"line", 0}}});
}

class StageAllocator {
 public:
  StageAllocator(const Simulation& s, std::size_t stage)
      : s_(s), curve_(s.memory[stage]), stage_(stage) {}

  void play() {
    hold_states();
    for (const MemoryPoint& p : curve_.points) {
      const std::int64_t level = std::llround(p.bytes.si());
      if (level > level_) alloc(level - level_, name_of_pass(p), p.time, true);
      if (level < level_) give_back(level_ - level, p.time);
    }
  }

  Json trace() && { return std::move(trace_); }

  Json segment() const {
    Json blocks = Json::array();
    std::int64_t live = 0;
    for (const MemoryBlock& b : blocks_) {
      if (b.is_live) live += b.size;
      blocks.push_back({{"address", b.address},
                        {"size", b.size},
                        {"requested_size", b.size},
                        {"state", b.is_live ? "active_allocated" : "inactive"},
                        {"frames", b.frames}});
    }
    return {{"device", stage_},
            {"address", kFirstAddress},
            {"total_size", next_ - kFirstAddress},
            {"allocated_size", live},
            {"active_size", live},
            {"requested_size", live},
            {"stream", 0},
            {"segment_type", "large"},
            {"segment_pool_id", {0, 0}},
            {"is_expandable", false},
            {"frames", Json::array()},
            {"blocks", std::move(blocks)}};
  }

 private:
  // Lines of the memory that no pass takes, as far as the curve's first level holds them.
  void hold_states() {
    std::int64_t left = curve_.points.empty() ? 0 : std::llround(curve_.points.front().bytes.si());
    for (const MemoryLine line :
         {MemoryLine::weights, MemoryLine::secondary_weights, MemoryLine::gradients,
          MemoryLine::optimizer, MemoryLine::gathered_weights, MemoryLine::buckets,
          MemoryLine::context, MemoryLine::communicators}) {
      const std::int64_t size = std::min<std::int64_t>(left, std::llround(curve_.peak[line].si()));
      if (size > 0) alloc(size, std::string(name_of(line)), Seconds(), false);
      left -= size;
    }
    if (left > 0) alloc(left, "cached, and at work in every pass", Seconds(), false);
  }

  std::string name_of_pass(const MemoryPoint& p) const {
    if (p.node < 0) return "before the first pass";
    const auto node = static_cast<std::size_t>(p.node);
    return std::string(pass_name(slot_of(s_.graph, node).kind)) + " of micro batch " +
           std::to_string(s_.graph.micro_batch[node]);
  }

  void alloc(std::int64_t size, const std::string& name, Seconds time, bool goes) {
    if (goes) going_.push_back(blocks_.size());
    blocks_.push_back({next_, size, frames_of(name, stage_)});
    next_ += size;
    level_ += size;
    add("alloc", blocks_.back(), time);
  }

  void give_back(std::int64_t bytes, Seconds time) {
    if (!going_.empty() && blocks_[going_.back()].size <= bytes) bytes -= freed(time, true);
    while (bytes > 0 && !going_.empty()) {
      const std::int64_t size = freed(time, false);
      if (size <= bytes) {
        bytes -= size;
        continue;
      }
      split(size - bytes, time);
      return;
    }
  }

  // The rest of the block that was freed last stays as one of its own.
  void split(std::int64_t rest, Seconds time) {
    MemoryBlock b{next_, rest, last_freed_};
    going_.push_front(blocks_.size());
    blocks_.push_back(std::move(b));
    next_ += rest;
    level_ += rest;
    add("alloc", blocks_.back(), time);
  }

  std::int64_t freed(Seconds time, bool youngest) {
    MemoryBlock& b = blocks_[youngest ? going_.back() : going_.front()];
    youngest ? going_.pop_back() : going_.pop_front();
    b.is_live = false;
    level_ -= b.size;
    last_freed_ = b.frames;
    add("free_requested", b, time);
    add("free_completed", b, time);
    return b.size;
  }

  void add(const char* action, const MemoryBlock& b, Seconds time) {
    trace_.push_back({{"action", action},
                      {"addr", b.address},
                      {"size", b.size},
                      {"stream", 0},
                      {"time_us", std::llround(time.si() * 1e6)},
                      {"frames", b.frames}});
  }

  const Simulation& s_;
  const MemoryCurve& curve_;
  std::size_t stage_;
  std::vector<MemoryBlock> blocks_;  // in order of their addresses
  std::deque<std::size_t> going_;    // that passes took and give back, the oldest first
  Json last_freed_ = Json::array();  // its frames
  std::int64_t next_ = kFirstAddress;
  std::int64_t level_ = 0;
  Json trace_ = Json::array();
};

}  // namespace

std::string memory_snapshot(const Simulation& s) {
  Json segments = Json::array();
  Json traces = Json::array();
  for (std::size_t stage = 0; stage < s.memory.size(); ++stage) {
    StageAllocator device(s, stage);
    device.play();
    segments.push_back(device.segment());
    traces.push_back(std::move(device).trace());
  }
  return Pickler().text({{"segments", std::move(segments)}, {"device_traces", std::move(traces)}});
}

}  // namespace orrery
