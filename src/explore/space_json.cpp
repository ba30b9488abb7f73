// SPDX-License-Identifier: Apache-2.0
#include "explore/space_json.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/json_reader.h"
#include "estimate/run_keys.h"
#include "explore/axes_json.h"
#include "explore/axis_keys.h"
#include "explore/outer_axes.h"
#include "explore/search_keys.h"
#include "hardware/cluster_links.h"

namespace orrery {
namespace {

// A run file may hold the question of a search, which `orrery search` takes out of it.
constexpr auto kRunFileRows = joined(
    kRunRows,
    KeyRows<RunRequest, 1>{{elsewhere("search", form::object(kSearchKeys, "search"), kNothing,
                                      Vary::never, "what `orrery search` varies")}});

Strategy fixed_strategy(const OpenRun& open) {
  const StrategyRequest& q = open.request;
  const Framework& f = open.resolved.run.framework;
  Strategy s;
  take_given(kStrategyKeys, q, s);  // each candidate sets the keys of the axes anew
  s.sites = open.resolved.run.sites.count;
  s.cp_type = q.cp_type.value_or(f.cp_type);
  s.layer_split = q.layer_split.value_or(f.pipeline.layer_split);
  s.recompute_modules = q.recompute_modules.value_or(f.recompute.selective);
  s.order = q.order.value_or(kDefaultOrder);
  s.zeropp = {q.zeropp.qwz.value_or(f.sharding.zeropp.qwz),
              q.zeropp.hpz.value_or(f.sharding.zeropp.hpz),
              q.zeropp.qgz.value_or(f.sharding.zeropp.qgz)};
  if (s.zeropp.hpz == 1) s.zeropp.hpz = 0;
  return s;
}

Base base_of(const OpenRun& open, std::vector<std::size_t> choice) {
  if (!open.request.schedule_file.empty()) {
    throw InputError(open.resolved.file, key_path<&Strategy::schedule>, open.request.schedule_file,
                     "schedules by name in a search: a file's has one pp and one batch");
  }
  if (open.request.balanced_stages) {
    throw InputError(ErrorCode::not_allowed, open.resolved.file,
                     key_path<&StrategyRequest::stage_layers>, "balanced stages in a search",
                     "a list, or search.axes.stage_layers: `orrery estimate` of what it finds "
                     "balances that one");
  }
  const LayerRules ranges = open.request.layers.value_or(LayerRules());
  if (other_zero(ranges, open.resolved.run.strategy.zero)) {
    throw InputError(ErrorCode::not_allowed, open.resolved.file, key_path<&StrategyRequest::layers>,
                     "ranges with a zero of their own in a search",
                     "ranges of recompute; `orrery estimate` prices the others");
  }
  Base base;
  base.run = open.resolved.run;
  base.run.strategy = fixed_strategy(open);
  base.shard_group = base.run.framework.sharding.group;
  base.shard_devices = devices_within(base.run.cluster, base.run.framework.sharding.within);
  base.choice = std::move(choice);
  return base;
}

void reject_unknown_axes(const Reader& axes) {
  std::vector<std::string> known;
  for (const AxisKey& axis : kAxisKeys.values) known.emplace_back(axis.path);
  for (const Key& k : kAxesKeys.keys) known.emplace_back(k.name);
  for (const std::string& key : axes.keys()) {
    const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
    if (is_known || !outer_path(key).empty()) continue;
    throw InputError(axes.file(), axes.path() + "." + key, "an axis that names nothing",
                     "an axis of docs/search.md or a key of the run file with its dots",
                     nearest_name(key, known));
  }
}

void read_space(const Json& run, const std::string& file, const ConfigLookup& lookup,
                std::optional<Reader> axes, SearchRequest& out) {
  Space& space = out.space;
  if (axes) {
    axes->must_be_object();
    reject_unknown_axes(*axes);
    space.outer = read_outer_axes(*axes, run, lookup);
  }
  for (std::vector<std::size_t>& choice : choices_of(space.outer, file)) {
    OpenRun open = resolve_open(with_choice(run, space.outer, choice), file, lookup);
    space.bases.push_back(base_of(open, std::move(choice)));
    if (space.bases.size() == 1) out.open = std::move(open);
  }
  fix_what_is_given(out.open, space);
  if (axes) read_axes(*axes, out.open, space);
  const auto is_framework = [](const OuterAxis& o) {
    return o.path == key_path<&RunRequest::framework>;
  };
  if (std::none_of(space.outer.begin(), space.outer.end(), is_framework)) {
    limit_to_framework(out.open, space);
  }
}

UnitPrices read_prices(const Reader& r) {
  const UnitPrices p = read_keys(kUnitPriceKeys, r);
  if (p.gpu_hour == 0 && p.kwh == 0) r.fail("no price", "gpu_hour, kwh or both, above 0");
  return p;
}

bool states_power(const Base& b) { return b.run.cluster.node_power > Watts(); }

void read_constraints(const Reader& r, const ExpressionSource& source, Conditions& out) {
  for (const Reader& item : r.items()) {
    BoundExpression e(item.text(), source, item.path());
    if (e.kind() != ExpressionKind::truth) item.fail("a comparison, as in memory.peak_gib <= 72");
    out.constraints.push_back(std::move(e));
  }
}

// "expression" is to be as small as can be; {"minimize": …} and {"maximize": …} say it.
Aim read_aim(const Reader& r, const ExpressionSource& source) {
  AimKeys aim;
  if (r.json().is_string()) {
    aim.minimize = r;
  } else {
    r.must_be_object();
    aim = read_keys(kAimKeys, r);
  }
  if (aim.minimize.has_value() == aim.maximize.has_value()) {
    r.fail("an aim", "minimize or maximize");
  }
  const bool maximize = aim.maximize.has_value();
  const std::optional<Reader>& given = maximize ? aim.maximize : aim.minimize;
  BoundExpression e(given->text(), source, given->path());
  if (e.kind() == ExpressionKind::truth) given->fail("a number");
  return {std::move(e), maximize};
}

void read_pareto(const Reader& r, const ExpressionSource& source, Conditions& out) {
  if (r.items().size() < 2 || r.items().size() > kMostAims) r.fail("2 to 6 aims");
  for (const Reader& item : r.items()) out.pareto.push_back(read_aim(item, source));
}

}  // namespace

Space space_around(const OpenRun& open) {
  Space space;
  space.bases.push_back(base_of(open, {}));
  fix_what_is_given(open, space);
  limit_to_framework(open, space);
  return space;
}

SearchQuestion taken_apart(const Json& run_file) {
  SearchQuestion q{run_file, {}};
  if (!run_file.is_object() || !run_file.contains("search")) return q;
  q.search = run_file["search"];
  q.run.erase("search");
  return q;
}

SearchRequest read_search(const Json& run, const std::string& file, const ConfigLookup& lookup,
                          const Json& search, const MetricSource& metrics) {
  static const Json kNothing = Json::object();
  SearchRequest request;
  const Reader r(search.is_null() ? kNothing : search, file, "search");
  r.must_be_object();
  const SearchKeys asked = read_keys(kSearchKeys, r);
  request.top = static_cast<std::size_t>(asked.top);
  if (asked.tie) request.tie = 1 + *asked.tie;
  read_space(run, file, lookup, asked.axes, request);
  ExpressionSource source = {metrics, {}, false, file};
  const std::vector<Base>& bases = request.space.bases;
  source.power_known = std::all_of(bases.begin(), bases.end(), states_power);
  if (asked.price) source.prices = read_prices(*asked.price);
  if (asked.constraints) read_constraints(*asked.constraints, source, request.conditions);
  if (asked.objective) {
    Aim aim = read_aim(*asked.objective, source);
    // The step itself is what is sought where nothing is said.
    if (aim.maximize || aim.expression.text() != "step_time_s") {
      request.conditions.objective = std::move(aim);
    }
  }
  if (asked.pareto) read_pareto(*asked.pareto, source, request.conditions);
  return request;
}

constinit const KeyTable kRunFileDocument = {"", kRunFileRows};

}  // namespace orrery
