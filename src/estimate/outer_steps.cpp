// SPDX-License-Identifier: Apache-2.0
#include "estimate/outer_steps.h"

#include <algorithm>

#include "estimate/run.h"
#include "model/operators.h"

namespace orrery {
namespace {

double trained(const Run& run) {
  const auto& adapter = run.training.adapter;
  const std::int64_t sequence = run.training.sequence;
  return static_cast<double>(adapter ? trained_parameters(run.model, sequence, *adapter)
                                     : parameter_count(run.model, sequence).total);
}

}  // namespace

template <Number R>
BytesOf<R> outer_bytes(const Run& run) {
  const R sites = count<R>(run.sites.count, {"cluster.sites.count"});
  const R ring = R(2.0) * (sites - R(1.0)) / sites;
  const double bytes = static_cast<double>(run.training.outer.bits) / 8;
  return BytesOf<R>(ring * lift<R>(trained(run), {"parameters that train"}) *
                    lift<R>(bytes, {"training.outer.bits over 8"}));
}

template <Number R>
SecondsOf<R> outer_exposed(const Run& run, SecondsOf<R> step) {
  const OuterSteps& o = run.training.outer;
  const R fragments = count<R>(o.fragments, {"training.outer.fragments"});
  const SecondsOf<R> sending =
      outer_bytes<R>(run) / (fragments * lift<R>(run.sites.bandwidth, {"cluster.sites.bandwidth"}));
  const SecondsOf<R> hidden = lift<R>(o.overlap, {"training.outer.overlap"}) * step;
  return fragments *
         larger(sending + lift<R>(run.sites.latency, {"cluster.sites.latency"}) - hidden,
                SecondsOf<R>{});
}

Bytes sent_between_sites(const Run& run, std::int64_t steps) {
  if (run.sites.count == 1) return {};
  const double rounds = static_cast<double>(steps) / static_cast<double>(run.training.outer.every);
  return plain(outer_bytes<double>(run)) * (rounds * static_cast<double>(run.sites.count));
}

double outer_utilisation(const OuterSteps& outer, Seconds step, Seconds exposed) {
  const Seconds trained = step * static_cast<double>(outer.every);
  return trained / (trained + exposed);
}

std::optional<BytesPerSecond> bandwidth_for(const Run& run, Seconds step, double utilisation) {
  const OuterSteps& o = run.training.outer;
  const auto fragments = static_cast<double>(o.fragments);
  const Seconds exposed = step * (static_cast<double>(o.every) * (1 - utilisation) / utilisation);
  const Seconds sending = exposed + (step * o.overlap - run.sites.latency) * fragments;
  if (!(sending > Seconds())) return {};
  return plain(outer_bytes<double>(run)) / sending;
}

template BytesOf<double> outer_bytes<double>(const Run&);
template SecondsOf<double> outer_exposed<double>(const Run&, SecondsOf<double>);
template BytesOf<Traced> outer_bytes<Traced>(const Run&);
template SecondsOf<Traced> outer_exposed<Traced>(const Run&, SecondsOf<Traced>);

}  // namespace orrery
