// SPDX-License-Identifier: Apache-2.0
#include "exchange/measurements/to_json.h"

#include "core/json.h"
#include "exchange/measurements/heading.h"

namespace orrery {
namespace {

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
    if (p.shape.uneven_k) j["weight_gradient"] = true;
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
    return {
        {"collective", std::string(name_of(c.kind))}, {"ranks", c.ranks}, {"bytes", c.size.si()}};
  }
};

}  // namespace

Json measurement_json(const Measurement& m) {
  constexpr double kMicro = 1e-6;
  Json one = std::visit(Writer{m}, m.work);
  one["us"] = m.timed.time.si() / kMicro;
  if (m.timed.spread > 0) one["spread"] = m.timed.spread;
  return one;
}

Json heading_json(const MeasurementSet& set) {
  Json j = Json::object();
  for (const detail::HeadingText& text : detail::kHeadingTexts) {
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

}  // namespace orrery
