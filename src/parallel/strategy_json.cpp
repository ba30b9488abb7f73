// SPDX-License-Identifier: Apache-2.0
#include "parallel/strategy_json.h"

#include <algorithm>

#include "core/json.h"
#include "core/key_access.h"
#include "core/masks.h"
#include "parallel/document_tables.h"
#include "parallel/schedules/table.h"
#include "parallel/strategy_keys.h"

namespace orrery {

constinit const KeyTable kParallelDocument = {kStrategyKeys.path, kStrategyRows.rows};
namespace {

bool looks_like_file(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.find('/') != std::string::npos || text.find('.') != std::string::npos;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == separator) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

void read_dp(const Reader& r, std::optional<std::int64_t>& out) {
  if (!r.json().is_string()) {
    out = r.integer(1, kLargestDegree);
  } else if (r.text() != "auto") {
    r.fail("\"auto\" or a whole number of at least 1");
  }
}

void read_schedule(const Reader& r, StrategyRequest& out) {
  if (looks_like_file(r.json())) {
    out.schedule = ScheduleId::own;
    out.schedule_file = r.text();
  } else {
    out.schedule = static_cast<ScheduleId>(r.choice(strategy_forms::kNamedSchedule.names));
  }
}

bool write_schedule(const StrategyRequest& q, Json& out) {
  if (!q.schedule) return false;
  out = q.schedule_file.empty() ? std::string(name_of(*q.schedule)) : q.schedule_file;
  return true;
}

void read_stage_layers(const Reader& r, StrategyRequest& out) {
  if (r.json().is_string()) {
    r.choice(strategy_forms::kBalanced);
    out.balanced_stages = true;
    return;
  }
  std::vector<std::int64_t>& layers = out.stage_layers.emplace();
  for (const Reader& item : r.items())
    layers.push_back(item.integer(0, strategy_forms::kMostLayers));
}

bool write_stage_layers(const StrategyRequest& q, Json& out) {
  if (q.stage_layers) {
    out = *q.stage_layers;
  } else if (q.balanced_stages) {
    out = std::string(strategy_forms::kBalanced.front());
  }
  return q.stage_layers || q.balanced_stages;
}

void read_modules(const Reader& r, ModuleMask& out) { read_mask<Module>(r, out); }

void read_modules(const Reader& r, std::optional<ModuleMask>& out) {
  read_modules(r, out.emplace());
}

bool write_modules(const std::optional<ModuleMask>& modules, Json& out) {
  if (modules) out = mask_names<Module>(*modules);
  return modules.has_value();
}

void read_order(const Reader& r, std::optional<RankOrder>& out) {
  const std::string allowed =
      "tp, cp, ep, dp and pp once each, the fastest first: \"tp-cp-ep-dp-pp\"";
  const std::vector<std::string> words = split(r.text(), '-');
  RankOrder order{};
  if (words.size() != order.size()) r.fail(allowed);
  for (const Dim d : kAllOf<Dim>) {
    const auto at = std::find(words.begin(), words.end(), name_of(d));
    if (at == words.end()) r.fail(allowed);
    order[static_cast<std::size_t>(at - words.begin())] = d;
  }
  out = order;
}

bool write_order(const std::optional<RankOrder>& order, Json& out) {
  if (!order) return false;
  std::string text;
  for (const Dim d : *order) {
    text += (text.empty() ? "" : "-") + std::string(name_of(d));
  }
  out = text;
  return true;
}

namespace {

constexpr std::string_view kRangeWords = key_row<&LayerRuleRequest::range>.forms.front().what;

// `at`: the range.
LayerRule rule_of(const LayerRuleRequest& q, const Reader& at) {
  LayerRule rule;
  rule.recompute = q.recompute;
  if (q.zero) rule.zero = static_cast<std::int8_t>(*q.zero);
  for (const LayerKindOf kind : kAllOf<LayerKindOf>) {
    if (kind == LayerKindOf::any || q.range != name_of(kind)) continue;
    rule.of = kind;
    return rule;
  }
  const std::vector<std::string> ends = split(q.range, '-');
  if (ends.size() > 2) at.fail(std::string(kRangeWords));
  const auto number = [&](const std::string& digits) {
    constexpr std::size_t kMostDigits = 5;
    const bool whole = !digits.empty() && digits.size() <= kMostDigits &&
                       digits.find_first_not_of("0123456789") == std::string::npos;
    const std::int64_t n = whole ? std::stoll(digits) : kLastLayer;
    if (n >= kLastLayer) at.fail(std::string(kRangeWords));
    return n;
  };
  rule.first = static_cast<std::int16_t>(number(ends.front()));
  rule.end = static_cast<std::int16_t>(number(ends.back()) + 1);
  return rule;
}

}  // namespace

void read_layer_rules(const Reader& r, std::optional<LayerRules>& out) {
  LayerRules rules;
  const std::vector<Reader> items = r.items();
  if (items.empty() || items.size() > kMostLayerRules) {
    r.fail("1 to " + std::to_string(kMostLayerRules) + " ranges");
  }
  for (Reader item : items) {
    const LayerRuleRequest q = read_keys(kLayerRuleKeys, item);
    rules.rules[rules.count++] = rule_of(q, at_key<&LayerRuleRequest::range>(item));
  }
  out = rules;
}

bool write_layer_rules(const std::optional<LayerRules>& rules, Json& out) {
  if (!rules || rules->count == 0) return false;
  out = Json::array();
  for (std::uint8_t i = 0; i < rules->count; ++i) {
    Json item = Json::object();
    const LayerRule& rule = rules->rules[i];
    write_keys(kLayerRuleKeys, LayerRuleRequest{range_text(rule), rule.recompute, rule.zero}, item);
    out.push_back(std::move(item));
  }
  return true;
}

StrategyRequest read_strategy(const Reader& parallel) { return read_keys(kStrategyKeys, parallel); }

StrategyRequest request_of(const Strategy& s) {
  StrategyRequest q;
  ask_for(kStrategyKeys, s, q);
  const bool plain_zero = s.partition == partition_of(s.zero, dense_replicas(s));
  if (plain_zero) {
    q.partition.reset();
  } else {
    q.zero.reset();
  }
  const ZeroPlusPlus& z = s.zeropp;
  if (z != ZeroPlusPlus{}) q.zeropp = {z.qwz, z.hpz, z.qgz};
  if (!schedule_of(s.schedule).zero_bubble && !s.post_validation) q.post_validation.reset();
  if (s.schedule_runs == 1) q.schedule_runs.reset();
  if (s.pp == 1 || s.listed_stages) q.layer_split.reset();
  if (s.listed_stages) {
    q.stage_layers.emplace(s.stage_layers.begin(), s.stage_layers.begin() + s.pp * s.vpp);
  }
  if (!may_recompute(s, Recompute::selective)) q.recompute_modules.reset();
  if (s.recompute != Recompute::full || s.recompute_layers == 0) {
    q.recompute_method.reset();
    q.recompute_layers.reset();
  }
  if (s.offload == Offload{}) q.offload.reset();
  if (!s.dynamic_cp) q.dynamic_cp.reset();
  if (!s.vision_stage) q.vision_stage.reset();
  if (s.layers.count == 0) q.layers.reset();
  return q;
}

}  // namespace orrery
