// SPDX-License-Identifier: Apache-2.0
#include "sim/links.h"

#include <algorithm>

namespace orrery {
namespace {

// A sum of shares may miss 1 by rounding; a smaller excess is no contention.
constexpr double kSlack = 1e-9;

}  // namespace

std::uint32_t SharedLinks::add_link() {
  links_.emplace_back();
  return static_cast<std::uint32_t>(links_.size() - 1);
}

bool SharedLinks::is_too_small(std::uint32_t link) const {
  double sum = 0;
  for (const std::uint32_t f : links_[link].flows) sum += flows_[f].use;
  return sum > 1 + kSlack;
}

std::uint32_t SharedLinks::start(Seconds now, Seconds time, double use,
                                 std::span<const std::uint32_t> links) {
  std::uint32_t id = 0;
  if (free_.empty()) {
    id = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Flow& f = flows_[id];
  f = Flow{};
  f.left = time;
  f.since = now;
  f.use = use;
  bool crowded = false;
  for (const std::uint32_t l : links) {
    f.at[f.links++] = l;
    links_[l].flows.push_back(id);
    crowded = crowded || is_too_small(l);
  }
  f.end = queue_.push((now + time).si(), what_ + id);
  if (crowded) share(now, f);
  return id;
}

void SharedLinks::finish(Seconds now, std::uint32_t flow) {
  const Flow f = flows_[flow];
  bool crowded = false;
  for (std::uint8_t i = 0; i < f.links; ++i) crowded = crowded || is_too_small(f.at[i]);
  for (std::uint8_t i = 0; i < f.links; ++i) {
    Link& link = links_[f.at[i]];
    link.used += f.use * f.rate * (now - f.since);
    link.flows.erase(std::find(link.flows.begin(), link.flows.end(), flow));
  }
  free_.push_back(flow);
  if (crowded) share(now, f);
}

// Flows and links connected to the links of `around`: no other rate can change.
void SharedLinks::gather(const Flow& around) {
  ++epoch_;
  part_flows_.clear();
  part_links_.clear();
  const auto visit = [this](std::uint32_t link) {
    if (links_[link].seen == epoch_) return;
    links_[link].seen = epoch_;
    part_links_.push_back(link);
  };
  for (std::uint8_t i = 0; i < around.links; ++i) visit(around.at[i]);
  for (std::size_t at = 0; at < part_links_.size(); ++at) {
    for (const std::uint32_t id : links_[part_links_[at]].flows) {
      Flow& f = flows_[id];
      if (f.seen == epoch_) continue;
      f.seen = epoch_;
      part_flows_.push_back(id);
      for (std::uint8_t i = 0; i < f.links; ++i) visit(f.at[i]);
    }
  }
}

// Progressive filling: all rates rise together until a flow has its full rate or a link is full.
void SharedLinks::fill() {
  std::sort(part_flows_.begin(), part_flows_.end());
  part_rates_.assign(part_flows_.size(), 1);
  for (const std::uint32_t l : part_links_) links_[l].room = 1;
  for (const std::uint32_t id : part_flows_) flows_[id].fixed = false;
  double level = 0;  // share of bandwidth of the flows that still rise
  for (std::size_t left = part_flows_.size(); left > 0;) {
    for (const std::uint32_t l : part_links_) links_[l].wanting = 0;
    double step = 2;
    for (const std::uint32_t id : part_flows_) {
      const Flow& f = flows_[id];
      if (f.fixed) continue;
      step = std::min(step, f.use - level);
      for (std::uint8_t i = 0; i < f.links; ++i) links_[f.at[i]].wanting += 1;
    }
    for (const std::uint32_t l : part_links_) {
      if (links_[l].wanting > 0) step = std::min(step, links_[l].room / links_[l].wanting);
    }
    step = std::max(step, 0.0);
    level += step;
    for (const std::uint32_t l : part_links_) links_[l].room -= step * links_[l].wanting;
    for (std::size_t k = 0; k < part_flows_.size(); ++k) {
      Flow& f = flows_[part_flows_[k]];
      if (f.fixed) continue;
      bool full = false;
      for (std::uint8_t i = 0; i < f.links; ++i) {
        full = full || links_[f.at[i]].room <= kSlack;
      }
      if (!full && f.use - level > kSlack) continue;
      f.fixed = true;
      part_rates_[k] = f.use - level > kSlack ? level / f.use : 1;
      --left;
    }
  }
}

void SharedLinks::apply(Seconds now) {
  for (std::size_t k = 0; k < part_flows_.size(); ++k) {
    const std::uint32_t id = part_flows_[k];
    Flow& f = flows_[id];
    if (part_rates_[k] == f.rate) continue;
    for (std::uint8_t i = 0; i < f.links; ++i) {
      links_[f.at[i]].used += f.use * f.rate * (now - f.since);
    }
    f.left = std::max(Seconds(), f.left - f.rate * (now - f.since));
    f.since = now;
    f.rate = part_rates_[k];
    f.end = queue_.push((now + f.left / f.rate).si(), what_ + id);
    ++rate_changes_;
  }
}

void SharedLinks::share(Seconds now, const Flow& around) {
  gather(around);
  fill();
  apply(now);
}

}  // namespace orrery
