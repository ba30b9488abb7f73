// SPDX-License-Identifier: Apache-2.0
#include "parallel/strategy_json.h"

#include <algorithm>

#include "core/json.h"
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
  if (s.pp == 1 || s.listed_stages) q.layer_split.reset();
  if (s.listed_stages) {
    q.stage_layers.emplace(s.stage_layers.begin(), s.stage_layers.begin() + s.pp * s.vpp);
  }
  if (s.recompute != Recompute::selective) q.recompute_modules.reset();
  if (s.recompute != Recompute::full || s.recompute_layers == 0) {
    q.recompute_method.reset();
    q.recompute_layers.reset();
  }
  if (s.offload == Offload{}) q.offload.reset();
  if (!s.dynamic_cp) q.dynamic_cp.reset();
  if (!s.vision_stage) q.vision_stage.reset();
  return q;
}

}  // namespace orrery
