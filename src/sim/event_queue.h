// SPDX-License-Identifier: Apache-2.0
//
// Pending events, popped by time; events of equal time in the order of their pushes.
//
// A few pending events form a 4-ary heap. More are spread over rungs of buckets; the current bucket
// becomes the heap, or a finer rung (the ladder queue: Tang, Goh, Thng 2005, ACM TOMACS 15(3)). So
// a push or pop touches a few cells for any number of events. Nothing depends on addresses, threads
// or hashes: the same pushes give the same pops. Units: seconds. Errors: none; pop needs an event,
// times are finite. Bench: bench/sim_bench.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

struct Event {
  double time = 0;
  std::uint32_t order = 0;  // pushes before this one; wraps after 2³²
  std::uint32_t what = 0;   // chosen by the caller
};

constexpr bool comes_before(const Event& a, const Event& b) {
  return a.time < b.time || (a.time == b.time && a.order < b.order);
}

// A plain 4-ary heap: children of i are 4i + 1 … 4i + 4.
class EventHeap {
 public:
  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  void push(const Event& e) {
    events_.push_back(e);
    rise(events_.size() - 1, e);
  }
  Event pop();
  void clear() { events_.clear(); }
  void add_unordered(const Event& e) { events_.push_back(e); }
  void put_in_order();
  std::vector<Event>& events() { return events_; }

 private:
  void rise(std::size_t i, const Event& e);
  void sink(std::size_t i, const Event& e);

  std::vector<Event> events_;
};

class EventQueue {
 public:
  // The event's number in the order of pushes.
  std::uint32_t push(double time, std::uint32_t what) {
    const Event e{time, next_order_++, what};
    ++size_;
    if (rungs_in_use_ == 0) {
      near_.push(e);
      if (near_.size() > spill_at_) spill();
    } else {
      push_far(e);
    }
    return e.order;
  }

  Event pop() {
    --size_;
    if (near_.empty()) refill();
    return near_.pop();
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void clear();

 private:
  static constexpr std::size_t kSpill = 192;   // largest heap
  static constexpr std::uint32_t kSplit = 96;  // a larger bucket becomes a rung
  static constexpr std::size_t kMostRungs = 8;
  static constexpr std::uint32_t kNone = 0xffffffff;

  // The events of a bucket are in blocks of two cache lines; the last block may be partly empty.
  static constexpr std::uint32_t kBlock = 7;
  struct Block {
    Event events[kBlock];
    std::uint32_t next = kNone;
  };
  struct Bucket {
    std::uint32_t first = kNone;
    std::uint32_t count = 0;
  };
  struct Rung {
    double start = 0;
    double per_second = 0;  // buckets
    std::size_t current = 0;
    std::vector<Bucket> buckets;

    // Never falls as time rises; this keeps the buckets in order.
    std::size_t index(double time) const {
      const double at = (time - start) * per_second;
      if (at <= 0) return 0;
      const auto last = static_cast<double>(buckets.size());
      return static_cast<std::size_t>(at < last ? at : last);
    }
  };

  void push_far(const Event& e);
  void put(Bucket& bucket, const Event& e);
  void spill();
  void refill();
  bool make_rung(const std::vector<Event>& events);
  void take(Bucket& bucket, std::vector<Event>& out);

  EventHeap near_;
  std::vector<Rung> rungs_;  // outermost first; kept when unused
  std::size_t rungs_in_use_ = 0;
  std::vector<Event> far_;  // beyond the outermost rung
  std::vector<Event> moved_;
  std::vector<Block> blocks_;
  std::uint32_t free_ = kNone;
  std::size_t size_ = 0;
  std::size_t spill_at_ = kSpill;
  std::uint32_t next_order_ = 0;
};

}  // namespace orrery
