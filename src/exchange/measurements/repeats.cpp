// SPDX-License-Identifier: Apache-2.0
#include "exchange/measurements/repeats.h"

#include <array>

#include "calibrate/scatter.h"

namespace orrery::detail {
namespace {

struct Way {
  std::string_view name;
  std::string_view short_name;
  bool over_host_link;
  const char* kernel;
};

constexpr std::array<Way, 3> kWays = {{
    {"Host-to-Device", "HtoD", true, ""},
    {"Device-to-Host", "DtoH", true, kToHost},
    {"Device-to-Device", "DtoD", false, "device copy"},
}};

}  // namespace

void Repeats::add(const Measurement& work, Seconds time) {
  const auto [at, is_new] = index_.emplace(name_of_work(work), all_.size());
  if (is_new) all_.push_back({work, {}});
  all_[at->second].seconds.push_back(time.si());
}

std::vector<Measurement> Repeats::middles() const {
  std::vector<Measurement> points;
  for (const Repeated& r : all_) {
    points.push_back(r.work);
    points.back().timed = middle_of(r.seconds);
  }
  return points;
}

TimedWork middle_of(const std::vector<double>& seconds) {
  const double median = median_of(seconds);
  return {Seconds(median), seconds.size() > 4 ? scatter_of(seconds, median) : 0};
}

std::optional<Measurement> copy_named(std::string_view name, Bytes size) {
  for (const Way& w : kWays) {
    if (name.find(w.name) == std::string_view::npos &&
        name.find(w.short_name) == std::string_view::npos) {
      continue;
    }
    Measurement m;
    m.kernel = w.kernel;
    if (w.over_host_link) {
      m.work = MeasuredHostCopy{size};
    } else {
      m.work = MeasuredMemory{size * 2.0};
    }
    return m;
  }
  return {};
}

}  // namespace orrery::detail
