// SPDX-License-Identifier: Apache-2.0
//
// Nsight Systems: `nsys stats --report cuda_gpu_trace --format csv`, of which the copies are read.
// A kernel has a name and a grid there, no shape: kernels are counted as left out, and a summary by
// kernel (cuda_gpu_kern_sum) is refused, as nothing in it can be fitted to. Copies from and to
// pageable memory go through a buffer of the driver and are left out too. Sizes are printed in MB
// of 10⁶ with three digits, so that copies below 0.2 MB are left out. Copies of one kind and size
// are one point: their median, and their scatter.
#include <algorithm>
#include <array>

#include "core/units.h"
#include "exchange/measurements/measurements.h"
#include "exchange/measurements/readers.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

// The names of columns since 2021.5, in the unit that --timeunit asks for, and before.
struct DurationColumn {
  std::string_view name;
  double seconds;
};
constexpr std::array kDuration = {
    DurationColumn{"Duration (ns)", 1e-9}, DurationColumn{"Duration(nsec)", 1e-9},
    DurationColumn{"Duration (us)", 1e-6}, DurationColumn{"Duration (\u03bcs)", 1e-6},
    DurationColumn{"Duration (ms)", 1e-3}, DurationColumn{"Duration (s)", 1}};
constexpr std::array<std::string_view, 2> kByteColumns = {"Bytes (MB)", "Bytes(MB)"};
constexpr std::string_view kTotals = "Total Time";

// Fields between commas; inside double quotes a comma is text.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

bool contains_any(std::string_view text, const std::array<std::string_view, 2>& parts) {
  return contains(text, parts[0]) || contains(text, parts[1]);
}

const DurationColumn* duration_in(std::string_view line) {
  const auto found = std::find_if(kDuration.begin(), kDuration.end(),
                                  [&](const auto& d) { return contains(line, d.name); });
  return found == kDuration.end() ? nullptr : &*found;
}

bool is_trace_header(std::string_view line) {
  return duration_in(line) != nullptr && contains_any(line, kByteColumns) && contains(line, "Name");
}

struct NsysColumns {
  std::size_t duration = 0;
  double seconds = 1;  // of its unit
  std::size_t bytes = 0;
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t name = 0;
  std::size_t count = 0;
};

NsysColumns columns_of(const LinePlace& place, std::string_view header) {
  const std::vector<std::string> names = csv_fields(header);
  const auto at = [&](std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      fail(place, "no column \"" + std::string(name) + "\"", "the report cuda_gpu_trace as CSV");
    }
    return static_cast<std::size_t>(found - names.begin());
  };
  const auto either = [&](const std::array<std::string_view, 2>& two) {
    const bool is_new = std::find(names.begin(), names.end(), two[0]) != names.end();
    return at(is_new ? two[0] : two[1]);
  };
  const DurationColumn& duration = *duration_in(header);
  return {at(duration.name), duration.seconds, either(kByteColumns), at("SrcMemKd"),
          at("DstMemKd"),    at("Name"),       names.size()};
}

class NsysTrace {
 public:
  void read(const LinePlace& place, const NsysColumns& at, std::string_view line) {
    const std::vector<std::string> f = csv_fields(line);
    if (f.size() != at.count) {
      fail(place, std::to_string(f.size()) + " fields",
           std::to_string(at.count) + ", as the header has");
    }
    if (!contains(f[at.name], "[CUDA memcpy ")) {
      ++kernels_;
    } else if (f[at.from] == "Pageable" || f[at.to] == "Pageable") {
      ++pageable_;
    } else {
      add(place, f[at.name], f[at.bytes], f[at.duration], at.seconds);
    }
  }

  MeasurementSet set() {
    MeasurementSet s;
    s.points = copies_.middles();
    const auto left_out = [&](std::size_t count, const char* what) {
      if (count > 0) s.left_out.push_back(std::to_string(count) + what);
    };
    left_out(kernels_, " rows of kernels and memory sets, which have no shape here");
    left_out(pageable_, " copies from or to pageable memory");
    left_out(small_, " copies below 0.2 MB");
    return s;
  }

 private:
  void add(const LinePlace& place, const std::string& name, const std::string& megabytes,
           const std::string& duration, double seconds) {
    constexpr double kSmallest = 0.2;  // where three printed digits are 0.3 %
    const double size = parse_number(megabytes).value_or(0);
    if (size < kSmallest) {
      ++small_;
      return;
    }
    const auto copy = copy_named(name, Bytes(positive(place, megabytes, "size") * kMega));
    if (copy) {
      copies_.add(*copy, Seconds(positive(place, duration, "duration") * seconds));
    } else {
      ++kernels_;
    }
  }

  Repeats copies_;
  std::size_t kernels_ = 0;
  std::size_t pageable_ = 0;
  std::size_t small_ = 0;
};

// Totals by name, as cuda_gpu_kern_sum, cuda_gpu_mem_time_sum, cuda_api_sum or nvtx_sum print.
bool is_summary_header(std::string_view line) {
  return contains(line, kTotals) && contains(line, "%") && contains(line, ",");
}

}  // namespace

bool is_nsys(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    if (is_trace_header(line)) return true;
    if (is_summary_header(line)) return true;
  }
  return false;
}

MeasurementSet read_nsys(std::string_view text, const std::string& file,
                         const MeasurementHints& /*hints*/) {
  const std::vector<std::string_view> lines = lines_of(text);
  const auto header = std::find_if(lines.begin(), lines.end(), is_trace_header);
  if (header == lines.end()) {
    const bool kernels = contains(text, "Instances");
    fail({file, 1},
         kernels ? "a summary of kernels, which have no shapes in it"
                 : "a summary of Nsight Systems, which has no single times in it",
         "nsys stats --report cuda_gpu_trace --format csv, for its copies");
  }
  const auto first = static_cast<std::size_t>(header - lines.begin());
  const NsysColumns columns = columns_of({file, first + 1}, *header);
  NsysTrace trace;
  for (std::size_t i = first + 1; i < lines.size() && !lines[i].empty(); ++i) {
    trace.read({file, i + 1}, columns, lines[i]);
  }
  return trace.set();
}

}  // namespace orrery
