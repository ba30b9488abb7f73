// SPDX-License-Identifier: Apache-2.0
#include "model/listed_operators.h"

#include <memory>

namespace orrery {

const ModelOperators& listed_operators(const Architecture& a, const ListOptions& options) {
  static thread_local const std::unique_ptr<ModelOperators> list =
      std::make_unique<ModelOperators>();
  model_operators(a, options, *list);
  return *list;
}

}  // namespace orrery
