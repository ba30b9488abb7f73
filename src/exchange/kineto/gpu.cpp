// SPDX-License-Identifier: Apache-2.0
#include "exchange/kineto/gpu.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "exchange/kineto/trace_events.h"
#include "exchange/kineto/work.h"
#include "exchange/text_lines.h"

namespace orrery::detail {
namespace {

struct Category {
  std::string_view name;
  std::string_view older;  // before 1.12
  GpuWork::Kind kind;
};

constexpr std::array<Category, 3> kCategories = {
    {{"kernel", "Kernel", GpuWork::Kind::kernel},
     {"gpu_memset", "Memset", GpuWork::Kind::memory_set},
     {"gpu_memcpy", "Memcpy", GpuWork::Kind::copy}}};

bool is_over_host_link(const GpuWork& w) {
  return w.kind == GpuWork::Kind::copy && (contains(w.name, "HtoD") || contains(w.name, "DtoH"));
}

}  // namespace

std::optional<std::int64_t> external_id(const Json& args) {
  const auto now = whole_at(args, "External id");
  return now ? now : whole_at(args, "external id");
}

std::optional<GpuWork> gpu_work_of(const Json& event) {
  const std::string name = text_at(event, "cat");
  const auto category =
      std::find_if(kCategories.begin(), kCategories.end(),
                   [&](const Category& c) { return name == c.name || name == c.older; });
  const auto args = event.find("args");
  if (category == kCategories.end() || args == event.end()) return {};
  GpuWork w;
  w.kind = category->kind;
  w.name = text_at(event, "name");
  w.begin = number_at(event, "ts").value_or(0);
  w.time = std::max(0.0, number_at(event, "dur").value_or(0));
  w.device = whole_at(*args, "device").value_or(0);
  w.stream = whole_at(*args, "stream").value_or(0);
  w.external = external_id(*args).value_or(-1);
  w.correlation = whole_at(*args, "correlation").value_or(-1);
  w.bytes = whole_at(*args, "bytes").value_or(0);
  if (has_collective(*args)) w.collective = *args;
  return w;
}

void mark_beside(std::vector<GpuWork>& work) {
  constexpr double kResolved = 1.0;  // µs: what times of 10¹⁵ µs tell apart, and their rounding
  std::vector<GpuWork*> order;
  for (GpuWork& w : work) {
    if (!is_over_host_link(w)) order.push_back(&w);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const GpuWork* a, const GpuWork* b) { return a->begin < b->begin; });
  std::map<std::pair<std::int64_t, std::int64_t>, GpuWork*> last;  // by device and stream
  for (GpuWork* now : order) {
    for (auto& [place, other] : last) {
      const bool overlaps = other->begin + other->time > now->begin + kResolved;
      if (place.first != now->device || place.second == now->stream || !overlaps) continue;
      now->beside = other->beside = true;
    }
    last[{now->device, now->stream}] = now;
  }
}

}  // namespace orrery::detail
