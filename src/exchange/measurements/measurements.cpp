// SPDX-License-Identifier: Apache-2.0
#include "exchange/measurements/measurements.h"

#include <array>

#include "calibrate/scatter.h"
#include "core/error.h"
#include "exchange/measurements/readers.h"
#include "exchange/text_lines.h"

namespace orrery {
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

template <class E>
std::string text_of(E value) {
  return std::string(name_of(value));
}

struct Writer {
  const Measurement& m;

  Json operator()(const MeasuredProduct& p) const {
    Json j = {
        {"m", p.shape.m}, {"n", p.shape.n}, {"k", p.shape.k}, {"dtype", text_of(p.precision)}};
    if (!m.kernel.empty()) j["layout"] = m.kernel;
    if (p.shape.groups > 1) j["groups"] = p.shape.groups;
    if (p.shape.weight_gradient) j["weight_gradient"] = true;
    return j;
  }

  Json operator()(const MeasuredAttention& a) const {
    return {{"kernel", text_of(a.kernel)},
            {"pass", text_of(a.pass)},
            {"batch", 1},
            {"heads", a.shape.groups},
            {"sequence", a.shape.keys},
            {"head_dim", a.shape.head_dim},
            {"causal", a.shape.pairs < 1},
            {"dtype", text_of(a.precision)}};
  }

  Json operator()(const MeasuredMemory& b) const {
    return {{"kernel", m.kernel}, {"bytes", b.bytes.si()}};
  }

  Json operator()(const MeasuredLaunch&) const { return {{"launch", "empty"}}; }

  Json operator()(const MeasuredHostCopy& b) const {
    return {{"copy", m.kernel.empty() ? "host" : m.kernel}, {"bytes", b.bytes.si()}};
  }

  Json operator()(const MeasuredCollective& c) const {
    Json j = {
        {"collective", std::string(name_of(c.kind))}, {"ranks", c.ranks}, {"bytes", c.size.si()}};
    if (c.nodes != 0) j["nodes"] = c.nodes;
    if (c.algorithm != Algorithm::none) j["algorithm"] = std::string(name_of(c.algorithm));
    return j;
  }
};

struct MeasurementFormat {
  const char* name;
  bool (*is_it)(std::string_view text);
  MeasurementSet (*read)(std::string_view text, const std::string& file,
                         const MeasurementHints& hints);
};

// The first that says yes reads it.
constexpr std::array kMeasurementFormats = {
    MeasurementFormat{"PyTorch profiler's trace", is_kineto, read_kineto},
    MeasurementFormat{"SimuMax's system file", is_simumax, read_simumax},
    MeasurementFormat{"JSON of measurements", is_json, read_json_measurements},
    MeasurementFormat{"nccl-tests' output", is_nccl_tests, read_nccl_tests},
    MeasurementFormat{"PyTorch profiler's table", is_torch_profile, read_torch_profile},
    MeasurementFormat{"Nsight Systems' CSV", is_nsys, read_nsys},
    MeasurementFormat{"CSV such as m,n,k,dtype,us", is_csv, read_csv_measurements},
};

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

Json measurement_json(const Measurement& m) {
  Json one = std::visit(Writer{m}, m.work);
  one["us"] = m.timed.time.si() / kMicro;
  if (m.timed.spread > 0) one["spread"] = m.timed.spread;
  return one;
}

Json heading_json(const MeasurementSet& set) {
  Json j = Json::object();
  for (const HeadingText& text : kHeadingTexts) {
    const std::string& value = set.*text.field;
    if (!value.empty()) j[std::string(text.name)] = value;
  }
  if (!set.measured_here) j["published"] = true;
  if (!set.left_out.empty()) j["left_out"] = set.left_out;
  return j;
}

Json measurements_json(const MeasurementSet& set) {
  Json j = heading_json(set);
  j["measurements"] = Json::array();
  for (const Measurement& m : set.points) j["measurements"].push_back(measurement_json(m));
  return j;
}

std::vector<std::string> measurement_formats() {
  std::vector<std::string> names;
  for (const MeasurementFormat& f : kMeasurementFormats) names.emplace_back(f.name);
  return names;
}

MeasurementSet read_measurements(std::string_view whole, const std::string& file,
                                 const MeasurementHints& hints) {
  const std::string_view text = without_byte_order(whole);
  for (const MeasurementFormat& f : kMeasurementFormats) {
    if (!f.is_it(text)) continue;
    MeasurementSet set = f.read(text, file, hints);
    set.file = file;
    if (set.points.empty()) {
      throw InputError(file, "", "no measurement in " + std::string(f.name),
                       "at least one time that a form is fitted to (docs/calibrate.md)");
    }
    check_rising(set);
    return set;
  }
  throw InputError(file, "", "no measurements", alternatives(measurement_formats()));
}

}  // namespace orrery
