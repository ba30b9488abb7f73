// SPDX-License-Identifier: Apache-2.0
#include "exchange/kineto/step_profile.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "calibrate/scatter.h"
#include "core/json_in.h"
#include "core/units.h"
#include "exchange/kineto/trace_events.h"
#include "exchange/kineto/work.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

constexpr std::size_t kMostKernels = 10;

struct HostName {
  std::string_view begin;
  HostWait wait;
};
// Calls of CUDA's and HIP's runtimes, and PyTorch's own mark.
constexpr std::array kHostNames = {
    HostName{"cudaStreamSynchronize", HostWait::synchronisation},
    HostName{"cudaDeviceSynchronize", HostWait::synchronisation},
    HostName{"cudaEventSynchronize", HostWait::synchronisation},
    HostName{"hipStreamSynchronize", HostWait::synchronisation},
    HostName{"hipDeviceSynchronize", HostWait::synchronisation},
    HostName{"hipEventSynchronize", HostWait::synchronisation},
    HostName{"cudaMalloc", HostWait::allocation},
    HostName{"cudaFree", HostWait::allocation},
    HostName{"cudaHostAlloc", HostWait::allocation},
    HostName{"cuMemCreate", HostWait::allocation},
    HostName{"cuMemMap", HostWait::allocation},
    HostName{"cuMemUnmap", HostWait::allocation},
    HostName{"hipMalloc", HostWait::allocation},
    HostName{"hipFree", HostWait::allocation},
    HostName{"enumerate(DataLoader)", HostWait::data},
};

bool communicates(const GpuWork& w) {
  return w.kind == GpuWork::Kind::kernel && (contains(w.name, "nccl") || contains(w.name, "rccl"));
}

struct BusyTime {
  double begin = 0;
  double end = 0;
};

// Apart from each other, in order.
std::vector<BusyTime> merged(std::vector<BusyTime> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const BusyTime& a, const BusyTime& b) { return a.begin < b.begin; });
  std::vector<BusyTime> apart;
  for (const BusyTime& s : spans) {
    if (apart.empty() || s.begin > apart.back().end) {
      apart.push_back(s);
    } else {
      apart.back().end = std::max(apart.back().end, s.end);
    }
  }
  return apart;
}

// Length of intervals that may overlap, in µs.
double covered(const std::vector<BusyTime>& spans) {
  double sum = 0;
  for (const BusyTime& s : merged(spans)) sum += s.end - s.begin;
  return sum;
}

// Length of a gap that lies in intervals which are apart and in order.
double covered_of(const BusyTime& gap, const std::vector<BusyTime>& apart) {
  auto at = std::partition_point(apart.begin(), apart.end(),
                                 [&](const BusyTime& s) { return s.end <= gap.begin; });
  double sum = 0;
  for (; at != apart.end() && at->begin < gap.end; ++at)
    sum += std::min(at->end, gap.end) - std::max(at->begin, gap.begin);
  return sum;
}

class ProfileReader {
 public:
  void add(const Json& event) {
    if (text_at(event, "ph") != "X") return;
    if (auto work = gpu_work_of(event)) {
      if (work->time > 0) work_[work->device].push_back(std::move(*work));
      return;
    }
    const std::string name = text_at(event, "name");
    const double time = std::max(0.0, number_at(event, "dur").value_or(0));
    // The GPU's own copy of a mark stands beside the host's.
    if (begins_with(name, "ProfilerStep#") && text_at(event, "cat") != "gpu_user_annotation")
      steps_.push_back(time);
    const double begin = number_at(event, "ts").value_or(0);
    for (const HostName& h : kHostNames) {
      if (!begins_with(name, h.begin)) continue;
      p_.host[h.wait].time += microseconds(time);
      ++p_.host[h.wait].calls;
      host_[h.wait].push_back({begin, begin + time});
    }
  }

  // The device with most work.
  std::optional<StepProfile> profile(const Json& head) {
    const auto busiest = std::max_element(
        work_.begin(), work_.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (busiest == work_.end()) return {};
    const std::vector<GpuWork>& work = busiest->second;
    p_.steps = static_cast<std::int64_t>(steps_.size());
    if (!steps_.empty()) p_.step_time = microseconds(median_of(steps_));
    take_shares(work);
    take_kernels(work);
    const auto devices = head.find("deviceProperties");
    if (devices != head.end() && devices->is_array() && !devices->empty())
      p_.gpu = shown_text(text_at(devices->front(), "name"));
    return std::move(p_);
  }

 private:
  static Seconds microseconds(double us) { return Seconds(us * kMicro); }

  void take_shares(const std::vector<GpuWork>& work) {
    std::vector<BusyTime> computing;
    std::vector<BusyTime> communicating;
    std::vector<BusyTime> all;
    for (const GpuWork& w : work) {
      const BusyTime s{w.begin, w.begin + w.time};
      all.push_back(s);
      if (w.kind == GpuWork::Kind::copy) continue;
      (communicates(w) ? communicating : computing).push_back(s);
    }
    const auto [first, last] =
        std::minmax_element(all.begin(), all.end(),
                            [](const BusyTime& a, const BusyTime& b) { return a.begin < b.begin; });
    const double end =
        std::max_element(all.begin(), all.end(), [](const BusyTime& a, const BusyTime& b) {
          return a.end < b.end;
        })->end;
    const double busy = covered(all);
    const double computed = covered(computing);
    const double communicated = covered(communicating);
    computing.insert(computing.end(), communicating.begin(), communicating.end());
    const double both = covered(computing);
    p_.span = microseconds(end - first->begin);
    p_.computing = microseconds(computed);
    p_.communicating = microseconds(communicated);
    p_.exposed_communication = microseconds(both - computed);
    p_.exposed_copies = microseconds(busy - both);
    p_.idle = microseconds(end - first->begin - busy);
    take_gaps(merged(std::move(all)));
  }

  void take_gaps(const std::vector<BusyTime>& busy) {
    const std::vector<BusyTime> data = merged(host_[HostWait::data]);
    const std::vector<BusyTime> allocation = merged(host_[HostWait::allocation]);
    std::vector<double> ends;  // of synchronisations
    for (const BusyTime& s : host_[HostWait::synchronisation]) ends.push_back(s.end);
    std::sort(ends.begin(), ends.end());
    for (std::size_t i = 0; i + 1 < busy.size(); ++i) {
      const BusyTime gap{busy[i].end, busy[i + 1].begin};
      const double loading = covered_of(gap, data);
      const double left = gap.end - gap.begin - loading;
      const double allocating = std::min(left, covered_of(gap, allocation));
      p_.host[HostWait::data].idle += microseconds(loading);
      p_.host[HostWait::allocation].idle += microseconds(allocating);
      const auto ended = std::lower_bound(ends.begin(), ends.end(), gap.begin);
      if (ended != ends.end() && *ended <= gap.end)
        p_.host[HostWait::synchronisation].idle += microseconds(left - allocating);
    }
  }

  void take_kernels(const std::vector<GpuWork>& work) {
    std::map<std::string, KernelTime> by_name;
    std::vector<double> times;
    for (const GpuWork& w : work) {
      if (w.kind != GpuWork::Kind::kernel) continue;
      KernelTime& k = by_name[w.name];
      k.name = w.name;
      k.time += microseconds(w.time);
      ++k.calls;
      times.push_back(w.time);
    }
    p_.kernels = static_cast<std::int64_t>(times.size());
    if (!times.empty()) p_.median_kernel = microseconds(median_of(times));
    for (auto& [name, k] : by_name) p_.largest.push_back(std::move(k));
    std::stable_sort(p_.largest.begin(), p_.largest.end(),
                     [](const KernelTime& a, const KernelTime& b) { return a.time > b.time; });
    if (p_.largest.size() > kMostKernels) p_.largest.resize(kMostKernels);
    for (KernelTime& k : p_.largest) k.name = shown_text(k.name);
  }

  StepProfile p_;
  std::vector<double> steps_;  // µs
  EnumArray<HostWait, std::vector<BusyTime>> host_;
  std::map<std::int64_t, std::vector<GpuWork>> work_;
};

}  // namespace

StepProfile read_step_profile(std::string_view text, const std::string& file) {
  TraceEvents events(text, file);
  ProfileReader reader;
  while (const auto event = events.next()) {
    const std::optional<Json> parsed = json_in(*event);
    if (parsed && parsed->is_object()) reader.add(*parsed);
  }
  Json head = events.head();
  head.update(events.tail());
  if (auto profile = reader.profile(head)) return *std::move(profile);
  fail({file, 1}, "a trace without work of a GPU",
       "one of profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])");
}

}  // namespace orrery
