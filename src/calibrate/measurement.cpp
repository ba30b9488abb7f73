// SPDX-License-Identifier: Apache-2.0
#include "calibrate/measurement.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/units.h"
#include "cost/attention.h"
#include "cost/product.h"

namespace orrery {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

std::string text_of(std::string_view s) { return std::string(s); }

std::string product_curve(const MeasuredProduct& p) {
  std::string name = text_of(name_of(p.precision)) + " products";
  if (p.shape.grouped)
    return name + ", grouped" + (p.shape.weight_gradient ? " weight gradients" : "");
  return name;
}

std::string attention_curve(const MeasuredAttention& a) {
  return text_of(name_of(a.kernel)) + " " + text_of(name_of(a.pass)) + ", head " +
         std::to_string(a.shape.head_dim) + (a.shape.pairs < 1 ? ", causal" : "");
}

std::string collective_curve(const MeasuredCollective& c) {
  return text_of(name_of(c.kind)) + " over " + std::to_string(c.ranks) +
         (c.nodes == 0 ? "" : " on " + std::to_string(c.nodes) + " nodes") +
         (c.algorithm == Algorithm::none ? "" : " by " + text_of(name_of(c.algorithm)));
}

}  // namespace

std::string_view kind_of(const Measurement& m) {
  static constexpr std::array<std::string_view, std::variant_size_v<MeasuredWork>> kKinds = {
      "matrix products", "attention",   "memory-bound kernels",
      "launches",        "host copies", "collectives"};
  return kKinds[m.work.index()];
}

std::string curve_of(const Measurement& m) {
  return std::visit(
      Overloaded{[](const MeasuredProduct& p) { return product_curve(p); },
                 [](const MeasuredAttention& a) { return attention_curve(a); },
                 [&](const MeasuredMemory&) { return m.kernel.empty() ? "memory" : m.kernel; },
                 [](const MeasuredLaunch&) { return std::string("launch"); },
                 [&](const MeasuredHostCopy&) {
                   return std::string(m.kernel == kToHost ? "copy to the host" : "host copy");
                 },
                 [](const MeasuredCollective& c) { return collective_curve(c); }},
      m.work);
}

std::string name_of_work(const Measurement& m) {
  const std::string curve = curve_of(m);
  if (std::holds_alternative<MeasuredLaunch>(m.work)) return curve;
  if (counts_bytes(m)) return curve + " of " + shortest(amount_of(m)) + " bytes";
  if (const auto* a = std::get_if<MeasuredAttention>(&m.work)) {
    return curve + ", of " + std::to_string(a->shape.groups) + " × " +
           std::to_string(a->shape.keys) + " in " + text_of(name_of(a->precision));
  }
  const ProductShape& p = std::get<MeasuredProduct>(m.work).shape;
  const std::string groups = p.groups > 1 ? std::to_string(p.groups) + " × " : "";
  return curve + " of " + groups + std::to_string(p.m) + " × " + std::to_string(p.n) + " × " +
         std::to_string(p.k) + (m.kernel.empty() ? "" : ", " + m.kernel);
}

FlopsOf<double> flops_of(const MeasuredAttention& a) {
  const double backward = kFusedBackwardProducts;
  const double passes = a.pass == AttentionPass::forward    ? 1
                        : a.pass == AttentionPass::backward ? backward
                                                            : 1 + backward;
  return attention_flops<double>(a.shape) * passes;
}

double amount_of(const Measurement& m) {
  return std::visit(
      Overloaded{[](const MeasuredProduct& p) { return product_flops<double>(p.shape).si(); },
                 [](const MeasuredAttention& a) { return flops_of(a).si(); },
                 [](const MeasuredMemory& b) { return b.bytes.si(); },
                 [](const MeasuredLaunch&) { return 0.0; },
                 [](const MeasuredHostCopy& b) { return b.bytes.si(); },
                 [](const MeasuredCollective& c) { return c.size.si(); }},
      m.work);
}

bool counts_bytes(const Measurement& m) {
  return std::holds_alternative<MeasuredMemory>(m.work) ||
         std::holds_alternative<MeasuredHostCopy>(m.work) ||
         std::holds_alternative<MeasuredCollective>(m.work);
}

void leave_out_disturbed(MeasurementSet& set) {
  std::vector<Measurement> kept;
  for (const Measurement& m : set.points) {
    const bool falls =
        counts_bytes(m) &&
        std::any_of(set.points.begin(), set.points.end(), [&m](const Measurement& more) {
          return counts_bytes(more) && amount_of(m) < amount_of(more) &&
                 curve_of(m) == curve_of(more) && falls_beyond_noise(m.timed, more.timed);
        });
    if (!falls) {
      kept.push_back(m);
    } else {
      set.left_out.push_back(name_of_work(m) + ": took longer than more of it, disturbed");
    }
  }
  set.points = std::move(kept);
}

void check_rising(const MeasurementSet& set) {
  std::map<std::string, std::vector<const Measurement*>> curves;
  for (const Measurement& m : set.points) {
    if (counts_bytes(m)) curves[curve_of(m)].push_back(&m);
  }
  for (auto& [name, curve] : curves) {
    std::stable_sort(curve.begin(), curve.end(), [](const Measurement* a, const Measurement* b) {
      return amount_of(*a) < amount_of(*b);
    });
    for (std::size_t i = 1; i < curve.size(); ++i) {
      const Measurement& less = *curve[i - 1];
      const Measurement& more = *curve[i];
      if (amount_of(less) == amount_of(more) || !falls_beyond_noise(less.timed, more.timed)) {
        continue;
      }
      throw InputError(set.file, name,
                       "less time for " + shortest(amount_of(more)) + " bytes than for " +
                           shortest(amount_of(less)),
                       "times that do not fall with size, but for noise");
    }
  }
}

}  // namespace orrery
