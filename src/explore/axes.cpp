// SPDX-License-Identifier: Apache-2.0
#include "explore/axes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "explore/axis_keys.h"
#include "parallel/strategy.h"

namespace orrery {

std::string_view key_of(SearchAxis a) { return name_of(a); }

std::string_view recompute_layers_key() { return key_name<&StrategyRequest::recompute_layers>; }

bool is_of_words(SearchAxis a) {
  return kind_of(a) != FormKind::whole && kind_of(a) != FormKind::boolean;
}

std::vector<std::int64_t> chosen(const AxisValues& axis, const std::vector<std::int64_t>& free) {
  if (!axis.is_free()) return axis.listed;
  std::vector<std::int64_t> values;
  const bool limited = !axis.runnable.empty() && !axis.open;
  for (const std::int64_t v : free) {
    const auto& runnable = axis.runnable;
    if (limited && std::find(runnable.begin(), runnable.end(), v) == runnable.end()) continue;
    if (v >= axis.lowest && v <= axis.highest) values.push_back(v);
  }
  return values;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> small;
  std::vector<std::int64_t> large;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    small.push_back(d);
    if (d * d != n) large.push_back(n / d);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

namespace {

constexpr std::int64_t kTargets = kCountOf<OffloadTarget>;
constexpr std::int64_t kWhole = 1000;
constexpr std::int64_t kTensorSets = std::int64_t{1} << kCountOf<OffloadTensor>;
constexpr std::int64_t kFirstListed = 1024;

std::string modules_text(ModuleMask mask) {
  std::string text;
  for (const Module m : kAllOf<Module>) {
    if ((mask & mask_of(m)) == 0) continue;
    text += (text.empty() ? "" : " + ") + std::string(name_of(m));
  }
  return text.empty() ? "-" : text;
}

std::string offload_text(const Offload& o) {
  std::string text;
  const auto add = [&](std::string_view what, OffloadTarget to) {
    if (to == OffloadTarget::none) return;
    text += (text.empty() ? "" : " + ") + std::string(what) + " to " + std::string(name_of(to));
  };
  add(key_name<&Offload::optimizer>, o.optimizer);
  add(key_name<&Offload::parameters>, o.parameters);
  add(key_name<&Offload::activations>, o.activations);
  for (const OffloadTensor t : kAllOf<OffloadTensor>) {
    if ((o.tensors & mask_of(t)) != 0) text += " " + std::string(name_of(t));
  }
  return text.empty() ? "none" : text;
}

std::string split_text(std::int64_t code) {
  if (code == 0) return "even";
  if (code >= kFirstListed) return "list " + std::to_string(code - kFirstListed + 1);
  const std::int64_t ends = code - 1;
  return std::to_string(ends / (kMostFewerLayers + 1)) + " fewer first, " +
         std::to_string(ends % (kMostFewerLayers + 1)) + " fewer last";
}

std::vector<std::int64_t> with_fewer_at_the_ends(const StageSplit& split, std::int64_t layers,
                                                 std::int64_t parts) {
  const std::int64_t each = (layers + split.first + split.last) / parts;
  const std::int64_t first = each - split.first;
  const std::int64_t last = parts == 2 ? layers - first : each - split.last;
  if (first < 0 || last < 0) return {};
  std::vector<std::int64_t> by_part(static_cast<std::size_t>(parts), each);
  by_part.front() = first;
  by_part.back() = last;
  if (parts == 2) return by_part;
  const std::int64_t rest = layers - first - last - (parts - 2) * each;
  if (rest < 0) return {};
  for (std::int64_t i = 0; i < rest; ++i) ++by_part[static_cast<std::size_t>(1 + i % (parts - 2))];
  return by_part;
}

}  // namespace

std::int64_t code_of(const Offload& o) {
  const auto target = [](OffloadTarget t) { return static_cast<std::int64_t>(t); };
  const auto share = static_cast<std::int64_t>(std::llround(o.optimizer_fraction * kWhole));
  const auto still = static_cast<std::int64_t>(std::llround((1 - o.activations_fraction) * kWhole));
  const std::int64_t moved = still * kTensorSets + o.tensors;
  const std::int64_t shares = moved * (kWhole + 1) + share;
  return ((shares * kTargets + target(o.activations)) * kTargets + target(o.parameters)) *
             kTargets +
         target(o.optimizer);
}

Offload offload_of(std::int64_t code) {
  Offload o;
  const auto next = [&code] {
    const auto target = static_cast<OffloadTarget>(code % kTargets);
    code /= kTargets;
    return target;
  };
  o.optimizer = next();
  o.parameters = next();
  o.activations = next();
  o.optimizer_fraction = static_cast<double>(code % (kWhole + 1)) / kWhole;
  code /= kWhole + 1;
  o.tensors = static_cast<TensorMask>(code % kTensorSets);
  o.activations_fraction = 1 - static_cast<double>(code / kTensorSets) / kWhole;
  return o;
}

std::int64_t code_of(const StageSplit& split, std::size_t index_of_listed) {
  if (split.kind == StageSplit::Kind::even) return 0;
  if (split.kind == StageSplit::Kind::ends) {
    return 1 + split.first * (kMostFewerLayers + 1) + split.last;
  }
  return kFirstListed + static_cast<std::int64_t>(index_of_listed);
}

std::vector<std::int64_t> layers_by(const StageSplit& split, std::int64_t layers,
                                    std::int64_t parts) {
  if (parts < 2) return {};
  if (split.kind == StageSplit::Kind::ends) return with_fewer_at_the_ends(split, layers, parts);
  const bool of_so_many = static_cast<std::int64_t>(split.layers.size()) == parts;
  return split.kind == StageSplit::Kind::listed && of_so_many ? split.layers
                                                              : std::vector<std::int64_t>{};
}

std::int64_t value_of(const Strategy& s, SearchAxis a) {
  switch (a) {
    case SearchAxis::tp:
      return s.tp;
    case SearchAxis::pp:
      return s.pp;
    case SearchAxis::vpp:
      return s.vpp;
    case SearchAxis::cp:
      return s.cp;
    case SearchAxis::ep:
      return s.ep;
    case SearchAxis::etp:
      return s.etp;
    case SearchAxis::dp:
      return s.dp;
    case SearchAxis::micro_batch:
      return s.micro_batch;
    case SearchAxis::sequence_parallel:
      return s.sequence_parallel ? 1 : 0;
    case SearchAxis::zero:
      return s.zero;
    case SearchAxis::zero_shard_group:
      return std::max({s.partition.weights, s.partition.gradients, s.partition.optimizer});
    case SearchAxis::schedule:
      return static_cast<std::int64_t>(s.schedule);
    case SearchAxis::recompute:
      return static_cast<std::int64_t>(recompute_choice(s));
    case SearchAxis::recompute_modules:
      return recomputed_modules(s);
    case SearchAxis::offload:
      return code_of(s.offload);
    case SearchAxis::stage_layers:
      return s.listed_stages ? 1 : 0;
  }
  return 0;
}

std::string text_of(SearchAxis a, std::int64_t value) {
  const auto i = static_cast<std::size_t>(value);
  if (a == SearchAxis::recompute) return std::string(kNamesOf<RecomputeChoice>[i]);
  if (a == SearchAxis::recompute_modules) return modules_text(static_cast<ModuleMask>(value));
  if (a == SearchAxis::offload) return offload_text(offload_of(value));
  if (a == SearchAxis::stage_layers) return split_text(value);
  if (a == SearchAxis::schedule) return std::string(kNamesOf<ScheduleId>[i]);
  if (kind_of(a) == FormKind::boolean) return value != 0 ? "true" : "false";
  return std::to_string(value);
}

}  // namespace orrery
