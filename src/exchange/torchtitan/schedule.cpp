// SPDX-License-Identifier: Apache-2.0
//
// torchtitan's pipeline: the schedule by its name, and the layers of its stages.
#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "core/divide.h"
#include "exchange/import_draft.h"
#include "exchange/torchtitan/names.h"
#include "exchange/torchtitan/torchtitan.h"

namespace orrery::torchtitan {
namespace {

// Embedding and head count for so many layers; for one each where nothing is said.
struct Ends {
  std::int64_t first = 1;
  std::int64_t last = 1;
};

Ends ends_of(ImportDraft& d) {
  const auto stated = [&](const char* name) {
    return d.settings.count(name, 0, kMostDegree).value_or(1);
  };
  return {stated("pipeline_parallel_first_stage_less_layers"),
          stated("pipeline_parallel_last_stage_less_layers")};
}

// Layers of a stage, of which the first and the last have fewer.
void read_stage_size(ImportDraft& d, const Ends& ends) {
  const auto n = d.settings.count("pipeline_parallel_layers_per_stage", 1, kMostDegree);
  const std::int64_t pp = d.count_at("parallel.pp", 1);
  if (!n || pp == 1) return;
  const std::string stated = d.settings.written("pipeline_parallel_layers_per_stage");
  const std::int64_t units = d.layers_of_named + ends.first + ends.last;
  const std::int64_t stages = divided_up(units, *n);
  if (d.layers_of_named == 0)
    return d.open("parallel.vpp", stated, "of how many layers; give --model");
  if (stages % pp != 0) {
    d.settings.refuse("pipeline_parallel_layers_per_stage",
                      std::to_string(*n) + ", layers " + std::to_string(d.layers_of_named),
                      "stages that are a multiple of the ranks");
  }
  d.set("parallel.vpp", stages / pp);
}

void read_ends(ImportDraft& d, const Ends& ends) {
  if (ends.first == 1 && ends.last == 1) return;
  if (ends.first == 0 && ends.last == 0) return d.set("parallel.layer_split", "even");
  d.open("parallel.stage_layers", "fewer layers on the first and the last stage",
         "layers of each stage");
}

}  // namespace

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

void read_schedule(ImportDraft& d) {
  const auto name = d.settings.text("pipeline_parallel_schedule");
  const Ends ends = ends_of(d);
  if (d.count_at("parallel.pp", 1) == 1) return;
  const ScheduleName* known = nullptr;
  for (const std::span<const ScheduleName> names :
       {std::span<const ScheduleName>(kSchedules), std::span<const ScheduleName>(kOldSchedules)}) {
    for (const ScheduleName& s : names) {
      if (name && same_letters(*name, s.theirs)) known = &s;
    }
  }
  if (!name) d.note("parallel.schedule", "1f1b", "without pipeline_parallel_schedule");
  if (name && known == nullptr) {
    return d.open("parallel.schedule", "pipeline_parallel_schedule " + *name,
                  "no schedule of ours");
  }
  if (name) d.set("parallel.schedule", std::string(known->ours));
  read_ends(d, ends);
  read_stage_size(d, ends);
  if (name && known->ours != "1f1b" && known->ours != "gpipe") {
    d.assume("parallel.vpp", 2, "torchtitan's two stages a rank");
  }
}

}  // namespace orrery::torchtitan
