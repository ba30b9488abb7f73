// SPDX-License-Identifier: Apache-2.0
#include "explore/outer_axes.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/units.h"
#include "estimate/run_keys.h"
#include "explore/axis_values.h"
#include "explore/search_keys.h"
#include "explore/value_range.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr std::size_t kMostBases = 4096;

bool is_bounds(const Reader& r) {
  const Json& j = r.json();
  return j.is_object() && (j.contains("min") || j.contains("max"));
}

Json listed_values(const Reader& r) {
  if (!r.json().is_array()) return Json::array({r.json()});
  if (r.json().empty()) r.fail("at least one value");
  if (r.json().size() > kMostAxisValues) r.fail("at most 4096 values");
  Json values = Json::array();
  for (const Reader& item : r.items()) {
    if (std::find(values.begin(), values.end(), item.json()) != values.end()) {
      item.fail("each value once");
    }
    values.push_back(item.json());
  }
  return values;
}

// Between bounds by steps or factors; of GPUs, whole nodes.
Json bounded_values(const Reader& r, bool of_gpus, const OpenRun& open) {
  const ValueBounds b = read_keys(kBoundKeys, r);
  if (b.max < b.min) r.fail("min " + shortest(b.min) + ", max " + shortest(b.max), "min up to max");
  if (b.step && b.factor) r.fail("step and factor", "one of them");
  const auto node = static_cast<double>(devices_of_node(open.resolved.run.cluster));
  const bool nodes = of_gpus && !b.step && !b.factor;
  if (!nodes && !b.step && !b.factor) r.fail("bounds", "step or factor with them, or a list");
  if (b.factor && b.min <= 0) r.fail("a factor from " + shortest(b.min), "min above 0");
  ValueRange range = {b.min, b.max, b.step, b.factor};
  if (nodes) {
    range.from = node * std::max(1.0, std::ceil(b.min / node));
    range.step = node;
  }
  range.count = count_between(range, kMostAxisValues);
  if (range.count > kMostAxisValues) r.fail("more than 4096 values", "a longer step");
  Json values = Json::array();
  for (std::size_t i = 0; i < range.count; ++i) values.push_back(number_json(range.value(i)));
  if (values.empty()) r.fail("bounds without a value between them", "wider bounds");
  return values;
}

Json free_precisions(const Device& d) {
  Json values = Json::array();
  for (const Precision p : kAllOf<Precision>) {
    if (has_precision(d, p)) values.emplace_back(std::string(name_of(p)));
  }
  return values;
}

// The dimensions that the framework overlaps, on and off.
Json free_overlaps(const Framework& f) {
  std::vector<std::string_view> keys = {key_name<&OverlapRequest::grad_reduce>,
                                        key_name<&OverlapRequest::param_gather>,
                                        key_name<&OverlapRequest::cp>};
  if (f.overlap.tp_exposed < 1 || f.overlap.tp_backward)
    keys.push_back(key_name<&OverlapRequest::tp>);
  if (f.overlap.ep_exposed < 1 || f.overlap.ep_exposed_interleaved < 1) {
    keys.push_back(key_name<&OverlapRequest::ep>);
  }
  Json values = Json::array();
  for (std::size_t set = 0; set < std::size_t{1} << keys.size(); ++set) {
    Json on = Json::object();
    for (std::size_t k = 0; k < keys.size(); ++k) on[std::string(keys[k])] = (set >> k & 1) != 0;
    values.push_back(std::move(on));
  }
  return values;
}

Json free_values(const Reader& r, const std::string& path, const OpenRun& open) {
  const Run& run = open.resolved.run;
  if (path == key_path<&TrainingRequest::precision>) return free_precisions(run.cluster.device);
  if (path == key_path<&StrategyRequest::overlap>) return free_overlaps(run.framework);
  r.fail("a list of values; only precision and overlap can be free");
}

}  // namespace

std::string outer_path(const std::string& key) {
  for (const OuterName& outer : kOuterNames) {
    if (key == outer.name) return outer.path;
  }
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) return "";
  const auto is_it = [name = std::string_view(key).substr(dot + 1)](const Key& k) {
    return is_inner(k) && k.name == name;
  };
  const auto has_it = [&is_it](const KeyTable& table) {
    return std::any_of(table.keys.begin(), table.keys.end(), is_it);
  };
  return has_it(kStrategyKeys) || has_it(kTrainingKeys) ? "" : key;
}

namespace {

// The axes of the run file's keys in their order, with the values that are listed; the others wait
// for the run that `first` resolves to.
struct OuterAxes {
  std::vector<OuterAxis> axes;
  Json first;  // the run at the first value of each
  bool all_listed = true;
};

void set_in(Json& run, const Reader& r, const std::string& path, const Json& value) {
  if (!set_at(run, path, value)) r.fail("\"" + path + "\"", "a key of an object of the run file");
}

void add_axis(const Reader& r, const std::string& path, OuterAxes& outer) {
  for (const OuterAxis& o : outer.axes) {
    if (o.path == path) r.fail("a second axis over " + path, "each key once");
  }
  outer.axes.push_back({path, {}});
  if (is_free(r) || is_bounds(r)) {
    outer.all_listed = false;
    if (!is_bounds(r)) return;
    set_in(outer.first, r, path, r.json().contains("max") ? r.json()["max"] : Json());
    return;
  }
  outer.axes.back().values = listed_values(r);
  set_in(outer.first, r, path, outer.axes.back().values->at(0));
}

// Calls visit(reader, path) for each axis over a key of the run file.
template <class Visit>
void each_outer(Reader& axes, Visit&& visit) {
  for (const std::string& key : axes.keys()) {
    const std::string path = outer_path(key);
    if (!path.empty()) visit(axes.at(key), path);
  }
}

}  // namespace

namespace {

// The run's own values must be sound although axes take their place.
void check_own_values(const Json& run, const std::string& file) {
  Reader all(run, file);
  if (auto cluster = find_key<&RunRequest::cluster>(all); cluster && cluster->json().is_object()) {
    if (const auto gpus = find_key<&ClusterRequest::gpus>(*cluster)) gpus->integer(1, kMostGpus);
  }
  auto training = find_key<&RunRequest::training>(all);
  if (training && training->json().is_object()) {
    TrainingRequest q;
    for (const Key& k : kTrainingKeys.keys) {
      const auto own =
          k.read == nullptr ? std::optional<Reader>() : training->find(std::string(k.name));
      if (own) k.read(&q, *own, k);
    }
  }
}

}  // namespace

std::vector<OuterAxis> read_outer_axes(Reader& axes, const Json& run, const ConfigLookup& lookup) {
  OuterAxes outer;
  outer.first = run;
  bool any = false;
  each_outer(axes, [&any](const Reader&, const std::string&) { any = true; });
  if (any) check_own_values(run, axes.file());
  each_outer(axes, [&](const Reader& r, const std::string& path) { add_axis(r, path, outer); });
  if (outer.all_listed) return outer.axes;
  const OpenRun open = resolve_open(outer.first, axes.file(), lookup);
  std::size_t at = 0;
  each_outer(axes, [&](const Reader& r, const std::string& path) {
    OuterAxis& axis = outer.axes[at++];
    if (is_free(r)) axis.values = free_values(r, path, open);
    if (is_bounds(r))
      axis.values = bounded_values(r, path == key_path<&ClusterRequest::gpus>, open);
  });
  return outer.axes;
}

Json with_choice(Json run, const std::vector<OuterAxis>& outer,
                 const std::vector<std::size_t>& choice) {
  for (std::size_t i = 0; i < outer.size(); ++i) {
    set_at(run, outer[i].path, outer[i].values->at(choice[i]));
  }
  return run;
}

std::vector<std::vector<std::size_t>> choices_of(const std::vector<OuterAxis>& outer,
                                                 const std::string& file) {
  std::vector<std::vector<std::size_t>> all = {{}};
  for (const OuterAxis& axis : outer) {
    std::vector<std::vector<std::size_t>> longer;
    for (const auto& choice : all) {
      for (std::size_t v = 0; v < axis.values->size(); ++v) {
        longer.push_back(choice);
        longer.back().push_back(v);
      }
    }
    all = std::move(longer);
    if (all.size() > kMostBases) {
      throw InputError(file, "search.axes", std::to_string(all.size()) + " choices of keys",
                       "up to 4096, all axes of the run file together");
    }
  }
  return all;
}

}  // namespace orrery
