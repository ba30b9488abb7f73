// SPDX-License-Identifier: Apache-2.0
//
// The engine of the page: the C interface of orrery/orrery.h, and progress told to who loaded the
// module. page_progress() is imported: other than 0 stops the call.
#include "orrery/orrery.h"

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

}  // extern "C"
