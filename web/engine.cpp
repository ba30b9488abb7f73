// SPDX-License-Identifier: Apache-2.0
//
// The engine of the page: the C interface of orrery/orrery.h, progress told to who loaded the
// module, and a search shared by workers that hear nothing of each other. page_progress() is
// imported: other than 0 stops the call.
#include <utility>

#include "engine/c_interface.h"
#include "explore/search_team.h"

namespace {

// Texts that this worker's share hands over, or those of all workers for the leader.
std::vector<std::string> handed;
orrery::SearchTeam team;

}  // namespace

extern "C" {

__attribute__((import_module("page"), import_name("progress"))) int page_progress(double done,
                                                                                  double total);

orrery_engine* page_engine() {
  orrery_engine* engine = orrery_new_builtin();
  orrery_watch(
      engine,
      [](void*, long long done, long long total) {
        return page_progress(static_cast<double>(done), static_cast<double>(total));
      },
      nullptr);
  return engine;
}

// The next search is this part of `of`; its answer is page_handed().
void page_share(orrery_engine* engine, size_t part, size_t of) {
  handed.clear();
  team = orrery::share_of_search(part, of, handed);
  engine->hooks.team = &team;
}

const char* page_handed(size_t* size) {
  *size = handed.empty() ? 0 : handed.back().size();
  return handed.empty() ? nullptr : handed.back().data();
}

// The next search takes up what was handed over by all, and answers.
void page_take(const char* text, size_t size) { handed.emplace_back(text, size); }
void page_lead(orrery_engine* engine) {
  team = orrery::leader_of_shares(std::exchange(handed, {}));
  engine->hooks.team = &team;
}

// Searches after this are whole ones, and what this worker handed over is gone.
void page_alone(orrery_engine* engine) {
  handed.clear();
  engine->hooks.team = nullptr;
}

}  // extern "C"
