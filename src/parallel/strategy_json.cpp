// SPDX-License-Identifier: Apache-2.0
#include "parallel/strategy_json.h"

#include <algorithm>
#include <limits>
#include <span>

#include "core/error.h"

namespace orrery {
namespace {

// Beyond any cluster, and small enough that products of three fit into 64 bits.
constexpr std::int64_t kLargestDegree = std::int64_t{1} << 20;

std::optional<std::int64_t> read_count(Reader& parallel, const std::string& key,
                                       std::int64_t lowest = 1,
                                       std::int64_t highest = kLargestDegree) {
  const std::optional<Reader> r = parallel.find(key);
  if (!r) return {};
  return r->integer(lowest, highest);
}

std::optional<std::int64_t> read_dp(Reader& parallel) {
  const std::optional<Reader> r = parallel.find("dp");
  if (!r) return {};
  if (r->json().is_string()) {
    if (r->text() != "auto") r->fail("\"auto\" or a whole number of at least 1");
    return {};
  }
  return r->integer(1, kLargestDegree);
}

template <class E>
std::optional<E> read_name(Reader& parallel, const std::string& key) {
  const std::optional<Reader> r = parallel.find(key);
  if (!r) return {};
  return r->choice<E>();
}

std::optional<bool> read_boolean(Reader& parallel, const std::string& key) {
  const std::optional<Reader> r = parallel.find(key);
  if (!r) return {};
  return r->boolean();
}

bool looks_like_file(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.find('/') != std::string::npos || text.find('.') != std::string::npos;
}

void read_schedule(Reader& parallel, StrategyRequest& q) {
  const std::optional<Reader> r = parallel.find("schedule");
  if (!r) return;
  if (looks_like_file(r->json())) {
    q.schedule = ScheduleId::own;
    q.schedule_file = r->text();
  } else {
    q.schedule = static_cast<ScheduleId>(
        r->choice(std::span(kNamesOf<ScheduleId>).first<kNamedSchedules>()));
  }
}

std::optional<Partition> read_partition(Reader& parallel) {
  std::optional<Reader> r = parallel.find("partition");
  if (!r) return {};
  Partition p;
  p.weights = read_count(*r, "weights").value_or(1);
  p.gradients = read_count(*r, "gradients").value_or(1);
  p.optimizer = read_count(*r, "optimizer").value_or(1);
  r->reject_unknown();
  return p;
}

void read_zeropp(Reader& parallel, StrategyRequest& q) {
  std::optional<Reader> r = parallel.find("zeropp");
  if (!r) return;
  constexpr std::int64_t kMostBits = 64;
  q.qwz = read_count(*r, "qwz", 0, kMostBits);
  q.hpz = read_count(*r, "hpz", 0);
  q.qgz = read_count(*r, "qgz", 0, kMostBits);
  r->reject_unknown();
}

std::optional<std::vector<std::int64_t>> read_stage_layers(Reader& parallel) {
  const std::optional<Reader> r = parallel.find("stage_layers");
  if (!r) return {};
  std::vector<std::int64_t> layers;
  for (const Reader& item : r->items()) {
    layers.push_back(item.integer(0, std::numeric_limits<std::int16_t>::max()));
  }
  return layers;
}

std::optional<ModuleMask> read_modules(Reader& parallel) {
  const std::optional<Reader> r = parallel.find("recompute_modules");
  if (!r) return {};
  ModuleMask mask = 0;
  for (const Reader& item : r->items()) {
    mask = static_cast<ModuleMask>(mask | mask_of(item.choice<Module>()));
  }
  return mask;
}

OffloadTarget read_target(Reader& offload, const std::string& key) {
  return read_name<OffloadTarget>(offload, key).value_or(OffloadTarget::none);
}

std::optional<Offload> read_offload(Reader& parallel) {
  std::optional<Reader> r = parallel.find("offload");
  if (!r) return {};
  Offload o;
  o.optimizer = read_target(*r, "optimizer");
  o.parameters = read_target(*r, "parameters");
  o.activations = read_target(*r, "activations");
  if (const std::optional<Reader> fraction = r->find("optimizer_fraction")) {
    o.optimizer_fraction = fraction->number(0, 1);
  }
  r->reject_unknown();
  return o;
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

std::optional<RankOrder> read_order(Reader& parallel) {
  const std::optional<Reader> r = parallel.find("order");
  if (!r) return {};
  const std::string allowed =
      "tp, cp, ep, dp and pp once each, the fastest first: \"tp-cp-ep-dp-pp\"";
  const std::vector<std::string> words = split(r->text(), '-');
  RankOrder order{};
  if (words.size() != order.size()) r->fail(allowed);
  for (std::size_t i = 0; i < kCountOf<Dim>; ++i) {
    const auto at = std::find(words.begin(), words.end(), kNamesOf<Dim>[i]);
    if (at == words.end()) r->fail(allowed);
    order[static_cast<std::size_t>(at - words.begin())] = static_cast<Dim>(i);
  }
  return order;
}

void read_overlap(Reader& parallel, StrategyRequest& q) {
  const std::optional<Reader> r = parallel.find("overlap");
  if (!r) return;
  r->must_be_object();
  for (const Json& value : r->json()) {
    if (!value.is_boolean()) r->fail("an object of true and false");
  }
  q.overlap = r->json();
  q.overlap_path = r->path();
}

void read_compression(Reader& parallel, StrategyRequest& q) {
  const std::optional<Reader> r = parallel.find("compression");
  if (!r) return;
  if (!r->json().is_string()) r->must_be_object();
  q.compression = r->json();
  q.compression_path = r->path();
}

void read_framework_options(Reader& parallel, StrategyRequest& q) {
  const std::optional<Reader> r = parallel.find("framework_options");
  if (!r) return;
  r->must_be_object();
  q.framework_options = r->json();
  q.framework_options_path = r->path();
}

}  // namespace

StrategyRequest read_strategy(Reader parallel) {
  StrategyRequest q;
  q.tp = read_count(parallel, "tp");
  q.pp = read_count(parallel, "pp");
  q.vpp = read_count(parallel, "vpp");
  q.cp = read_count(parallel, "cp");
  q.ep = read_count(parallel, "ep");
  q.etp = read_count(parallel, "etp");
  q.dp = read_dp(parallel);
  q.cp_type = read_name<ContextType>(parallel, "cp_type");
  q.sequence_parallel = read_boolean(parallel, "sequence_parallel");
  q.zero = read_count(parallel, "zero", 0, 3);
  q.zero_shard_group = read_count(parallel, "zero_shard_group");
  q.partition = read_partition(parallel);
  read_zeropp(parallel, q);
  read_schedule(parallel, q);
  q.post_validation = read_boolean(parallel, "optimizer_post_validation");
  q.stage_layers = read_stage_layers(parallel);
  q.recompute = read_name<Recompute>(parallel, "recompute");
  q.recompute_modules = read_modules(parallel);
  q.recompute_layers = read_count(parallel, "recompute_layers", 0);
  q.recompute_method = read_name<RecomputeMethod>(parallel, "recompute_method");
  q.offload = read_offload(parallel);
  q.order = read_order(parallel);
  if (const std::optional<Reader> placement = parallel.find("placement")) {
    q.placement = placement->json();
    q.placement_path = placement->path();
  }
  read_overlap(parallel, q);
  read_framework_options(parallel, q);
  read_compression(parallel, q);
  parallel.reject_unknown();
  return q;
}

}  // namespace orrery
