// SPDX-License-Identifier: Apache-2.0
//
// Links shared by flows, max-min fair: a flow that wants less than its share gets all it wants, the
// others share the rest equally (Bertsekas, Gallager, Data Networks, section 6.5.2).
//
// A flow has `time` of work left at full rate, at which it uses the part `use` of each of its
// links, 0 to 1. Rates change only when a flow starts or ends on an overloaded link, and only for
// flows that this affects. A flow that always had its full rate ends at exactly its start + `time`.
// Leaves out a separate latency of messages: sharing stretches all of a flow's time. Units:
// seconds. Errors: none; ids must be alive.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "orrery/quantity.h"
#include "sim/event_queue.h"

namespace orrery {

inline constexpr std::size_t kMaxFlowLinks = 4;

class SharedLinks {
 public:
  // Pushes ends to `queue` as `what`(flow); the caller asks ends() whether an event is still valid.
  SharedLinks(EventQueue& queue, std::uint32_t what_of_flow_0)
      : queue_(queue), what_(what_of_flow_0) {}

  std::uint32_t add_link();

  std::uint32_t start(Seconds now, Seconds time, double use, std::span<const std::uint32_t> links);

  // Whether the event is the end of this flow; a change of rate makes an older event void.
  bool ends(std::uint32_t flow, const Event& e) const { return flows_[flow].end == e.order; }

  // Removes the flow from its links. A later flow may get its number.
  void finish(Seconds now, std::uint32_t flow);

  Seconds busy(std::uint32_t link) const { return links_[link].used; }
  std::uint64_t rate_changes() const { return rate_changes_; }

 private:
  struct Flow {
    Seconds left{};  // at full rate, at `since`
    Seconds since{};
    double rate = 1;
    double use = 1;
    std::uint32_t end = 0;  // the event that ends it
    std::uint32_t seen = 0;
    std::uint8_t links = 0;
    bool fixed = false;
    std::array<std::uint32_t, kMaxFlowLinks> at{};
  };
  struct Link {
    std::vector<std::uint32_t> flows;
    Seconds used{};   // ∫ of its use over time, of flows that have ended
    double room = 0;  // free part, while rates are computed
    double wanting = 0;
    std::uint32_t seen = 0;
  };

  bool is_too_small(std::uint32_t link) const;
  void share(Seconds now, const Flow& around);
  void gather(const Flow& around);
  void fill();
  void apply(Seconds now);

  EventQueue& queue_;
  std::uint32_t what_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> part_flows_;  // the flows whose rates are computed again
  std::vector<std::uint32_t> part_links_;
  std::vector<double> part_rates_;
  std::uint32_t epoch_ = 0;
  std::uint64_t rate_changes_ = 0;
};

}  // namespace orrery
