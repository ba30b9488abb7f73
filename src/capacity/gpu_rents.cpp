// SPDX-License-Identifier: Apache-2.0
#include "capacity/gpu_rents.h"

#include <algorithm>

#include "hardware/cluster.h"

namespace orrery {

Tariff tariff_of(const PriceBook& book, const Cluster& c, std::vector<Assumption>& sources) {
  std::vector<Assumption> all;
  Tariff t = prices_of(book, std::string(c.device.name.view()), std::string(c.node.view()), all);
  for (Assumption& a : all) {
    const bool is_there = std::any_of(sources.begin(), sources.end(), [&](const Assumption& s) {
      return s.what == a.what && s.value == a.value;
    });
    if (!is_there) sources.push_back(std::move(a));
  }
  return t;
}

RentsFound rents_of(const PriceBook& book, const Cluster& learner, const Cluster& generator) {
  PricedGpus out;
  const Tariff learning = tariff_of(book, learner, out.sources);
  if (!learning.rent) return {{}, std::string(learner.device.name.view())};
  const Tariff generating = tariff_of(book, generator, out.sources);
  if (!generating.rent) return {{}, std::string(generator.device.name.view())};
  std::erase_if(out.sources, [](const Assumption& a) { return !is_rent(a); });
  out.rents = {learning.rent->value, generating.rent->value};
  return {std::move(out), ""};
}

}  // namespace orrery
