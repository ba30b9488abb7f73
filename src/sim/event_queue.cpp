// SPDX-License-Identifier: Apache-2.0
#include "sim/event_queue.h"

#include <algorithm>

namespace orrery {

// --- the heap

void EventHeap::rise(std::size_t i, const Event& e) {
  Event* const at = events_.data();
  while (i > 0) {
    const std::size_t parent = (i - 1) / 4;
    if (!comes_before(e, at[parent])) break;
    at[i] = at[parent];
    i = parent;
  }
  at[i] = e;
}

void EventHeap::sink(std::size_t i, const Event& e) {
  Event* const at = events_.data();
  const std::size_t n = events_.size();
  for (;;) {
    const std::size_t first = 4 * i + 1;
    if (first >= n) break;
    const std::size_t end = std::min(first + 4, n);
    std::size_t least = first;
    for (std::size_t c = first + 1; c < end; ++c) {
      if (comes_before(at[c], at[least])) least = c;
    }
    if (!comes_before(at[least], e)) break;
    at[i] = at[least];
    i = least;
  }
  at[i] = e;
}

Event EventHeap::pop() {
  const Event top = events_.front();
  const Event last = events_.back();
  events_.pop_back();
  if (!events_.empty()) sink(0, last);
  return top;
}

void EventHeap::put_in_order() {
  if (events_.size() < 2) return;
  for (std::size_t i = (events_.size() - 2) / 4 + 1; i-- > 0;) {
    const Event e = events_[i];
    sink(i, e);
  }
}

// --- rungs

void EventQueue::clear() {
  near_.clear();
  far_.clear();
  blocks_.clear();
  rungs_in_use_ = 0;
  free_ = kNone;
  size_ = 0;
  spill_at_ = kSpill;
  next_order_ = 0;
}

void EventQueue::put(Bucket& bucket, const Event& e) {
  const std::uint32_t at = bucket.count++ % kBlock;
  if (at == 0) {
    std::uint32_t block = free_;
    if (block == kNone) {
      block = static_cast<std::uint32_t>(blocks_.size());
      blocks_.emplace_back();
    } else {
      free_ = blocks_[block].next;
    }
    blocks_[block].next = bucket.first;
    bucket.first = block;
  }
  blocks_[bucket.first].events[at] = e;
}

void EventQueue::take(Bucket& bucket, std::vector<Event>& out) {
  std::uint32_t count = bucket.count % kBlock;
  if (count == 0) count = kBlock;
  for (std::uint32_t block = bucket.first; block != kNone; count = kBlock) {
    Block& b = blocks_[block];
    out.insert(out.end(), b.events, b.events + count);
    const std::uint32_t next = b.next;
    b.next = free_;
    free_ = block;
    block = next;
  }
  bucket = Bucket{};
}

// Puts the event into the first rung whose current bucket is earlier; an event due in all current
// buckets is near.
void EventQueue::push_far(const Event& e) {
  for (std::size_t r = 0; r < rungs_in_use_; ++r) {
    Rung& rung = rungs_[r];
    std::size_t i = rung.index(e.time);
    if (i >= rung.buckets.size()) {
      if (r == 0) {
        far_.push_back(e);
        return;
      }
      i = rung.buckets.size() - 1;  // still within the outer rung's current bucket
    }
    if (i > rung.current) return put(rung.buckets[i], e);
  }
  near_.push(e);
}

// False if buckets cannot separate the events.
bool EventQueue::make_rung(const std::vector<Event>& events) {
  if (events.size() <= kSplit || rungs_in_use_ == kMostRungs) return false;
  double first = events[0].time;
  double last = first;
  for (const Event& e : events) {
    first = std::min(first, e.time);
    last = std::max(last, e.time);
  }
  const auto buckets = events.size() / 8 + 2;
  const double per_second = static_cast<double>(buckets - 1) / (last - first);
  if (!(last > first) || !(per_second < 1e300)) return false;
  if (rungs_.size() == rungs_in_use_) rungs_.emplace_back();
  Rung& rung = rungs_[rungs_in_use_++];
  rung.start = first;
  rung.per_second = per_second;
  rung.current = 0;
  rung.buckets.assign(buckets, Bucket{});
  for (const Event& e : events) {
    put(rung.buckets[std::min(rung.index(e.time), buckets - 1)], e);
  }
  return true;
}

void EventQueue::spill() {
  moved_.swap(near_.events());
  near_.clear();
  if (make_rung(moved_)) {
    moved_.clear();
    refill();
    return;
  }
  spill_at_ = 2 * moved_.size();
  moved_.swap(near_.events());
  moved_.clear();
}

// The earliest bucket becomes the heap, through finer rungs if it is large. Events in near_ are
// earlier than all others, so this is called only when near_ is empty.
void EventQueue::refill() {
  for (;;) {
    if (rungs_in_use_ == 0) {
      moved_.swap(far_);
      far_.clear();
      if (!make_rung(moved_)) break;
      moved_.clear();
    }
    Rung& rung = rungs_[rungs_in_use_ - 1];
    while (rung.current < rung.buckets.size() && rung.buckets[rung.current].count == 0) {
      ++rung.current;
    }
    if (rung.current == rung.buckets.size()) {
      --rungs_in_use_;
      continue;
    }
    moved_.clear();
    take(rung.buckets[rung.current], moved_);
    if (!make_rung(moved_)) break;
  }
  for (const Event& e : moved_) near_.add_unordered(e);
  moved_.clear();
  near_.put_in_order();
  if (rungs_in_use_ == 0) spill_at_ = std::max(kSpill, 2 * near_.size());
}

}  // namespace orrery
