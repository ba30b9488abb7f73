// SPDX-License-Identifier: Apache-2.0
#include "report/catalog.h"

#include "document/words.h"
#include "insight/metrics.h"
#include "memory/recipe.h"
#include "network/collective_cost.h"
#include "parallel/schedules/table.h"

namespace orrery {
namespace {

Cell number(double x) { return {plain_number(x), x}; }

std::vector<std::string> names_of_algorithms(Collective c) {
  std::vector<std::string> names;
  for (const Algorithm a : algorithms_of(c)) names.emplace_back(name_of(a));
  return names;
}

}  // namespace

Table metric_list() {
  Table list({{"metric", "key"},
              {"unit", "unit"},
              Column("label").only(Audience::programs),
              {"meaning", "meaning"}});
  for (const Metric& m : metrics()) {
    list.add({std::string(m.key),
              {m.unit.empty() ? "ratio" : std::string(m.unit), m.unit},
              std::string(m.label),
              std::string(m.meaning)});
  }
  return list;
}

Table schedule_list() {
  Table list({{"schedule", "name"},
              {"chunks a stage", "chunks"},
              {"layout", "layout"},
              {"zero bubble", "zero_bubble"}});
  for (const Schedule& s : kSchedules) {
    if (s.id == ScheduleId::own) continue;
    const auto chunks = std::string(name_of(s.chunks));
    const auto layout = std::string(name_of(s.layout));
    list.add({std::string(name_of(s.id)),
              {chunks, chunks},
              {layout, layout},
              {s.zero_bubble ? "yes" : "no", s.zero_bubble}});
  }
  return list;
}

Table collective_list() {
  Table list({{"collective", "name"}, {"algorithms", "algorithms"}});
  for (const Collective c : kAllOf<Collective>) {
    const std::vector<std::string> names = names_of_algorithms(c);
    list.add({name_of(c), {joined(names, ", "), names}});
  }
  return list;
}

Table recipe_list() {
  Table list({{"recipe", "name"},
              {"weights, B", "weights_bytes", true},
              {"gradients, B", "gradients_bytes", true},
              {"optimizer, B", "optimizer_bytes", true},
              {"sum, B", "bytes_per_parameter", true},
              {"source", "source"}});
  for (const NamedRecipe& r : kRecipes) {
    list.add({std::string(r.name), number(r.recipe.weights), number(r.recipe.gradients),
              number(r.recipe.optimizer), number(bytes_per_parameter(r.recipe)),
              std::string(r.source)});
  }
  return list;
}

}  // namespace orrery
