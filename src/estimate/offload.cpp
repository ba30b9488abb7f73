// SPDX-License-Identifier: Apache-2.0
#include "estimate/offload.h"

#include <algorithm>

#include "cost/memory_time.h"
#include "estimate/run.h"
#include "memory/states.h"
#include "parallel/partition.h"

namespace orrery {
namespace {

template <Number R>
SecondsOf<R> link_time(const Run& run, BytesOf<R> bytes) {
  return bytes / lift<R>(run.cluster.device.host_link.bandwidth, {"device.host_link.bandwidth"});
}

// A node's drives and memory are shared by its devices.
template <Number R>
SecondsOf<R> shared_time(const Run& run, BytesOf<R> bytes, BytesPerSecond rate,
                         const Label& label) {
  const std::int64_t used = std::min(run.cluster.devices_per_node, world_size(run.strategy));
  const R devices = count<R>(used, {"devices of a node in use"});
  return bytes * devices / lift<R>(rate, label);
}

template <Number R>
SecondsOf<R> drive_time(const Run& run, bool write, BytesOf<R> bytes) {
  return write ? shared_time<R>(run, bytes, run.cluster.nvme.write, {"cluster.nvme.write"})
               : shared_time<R>(run, bytes, run.cluster.nvme.read, {"cluster.nvme.read"});
}

// Parameters whose states this rank owns.
template <Number R>
R owned(const Run& run, const ParametersHeld& parameters) {
  R n{};
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    if (held(parameters, which) == 0) continue;
    n = n + count<R>(held(parameters, which), {"parameters of this rank"}) /
                count<R>(partition_of(run.strategy, which).optimizer,
                         {"ranks the optimizer is sharded over"});
  }
  return n;
}

// One rank's part of the states that follow the shapes of matrices, and the products of their
// updates: each owner has whole matrices.
template <Number R>
struct MatrixUpdates {
  EnumArray<ShardedStates, BytesOf<R>> moved;  // read and written
  SecondsOf<R> products{};
};

template <Number R>
MatrixUpdates<R> matrix_updates(const Run& run, const ParametersHeld& parameters) {
  MatrixUpdates<R> m;
  for (const ShardedStates which : kAllOf<ShardedStates>) {
    const UpdateWork& work = update(parameters, which);
    if (work.states == Bytes()) continue;
    const R ranks = count<R>(partition_of(run.strategy, which).optimizer,
                             {"ranks the optimizer is sharded over"});
    m.moved[which] = lift<R>(work.states * 2.0, {"states of matrices, read and written"}) / ranks;
    if (work.time == Seconds()) continue;
    m.products += larger(lift<R>(work.time, {"products of the matrices' updates"}) / ranks,
                         lift<R>(work.largest, {"products of the largest matrix's update"}));
  }
  return m;
}

template <Number R>
SecondsOf<R> host_memory_time(const Run& run, BytesOf<R> bytes) {
  return shared_time<R>(run, bytes, run.cluster.host.memory_bandwidth,
                        {"cluster.host.memory_bandwidth"}) /
         lift<R>(run.cluster.host.update_share, {"cluster.host.update_share"});
}

// `parameters`: of those a rank owns, the ones updated on the host.
template <Number R>
SecondsOf<R> host_update(const Run& run, R parameters) {
  const StateRecipe& r = run.training.recipe;
  SecondsOf<R> t = link_time<R>(run, BytesOf<R>(parameters * R(r.reduced)));
  t += host_memory_time<R>(
      run, BytesOf<R>(parameters * lift<R>(optimizer_traffic(r), {"bytes an update touches"})));
  if (run.strategy.offload.parameters == OffloadTarget::none) {
    t += link_time<R>(run, BytesOf<R>(parameters * R(r.weights)));
  }
  if (kOffloadPlaces[run.strategy.offload.optimizer].drives) {
    const BytesOf<R> states(parameters * R(r.optimizer));
    t += drive_time<R>(run, false, states) + drive_time<R>(run, true, states);
  }
  return t;
}

// Half of what `moved` moves is read, half written.
template <Number R>
SecondsOf<R> host_matrix_update(const Run& run, const MatrixUpdates<R>& m, R away) {
  SecondsOf<R> t{};
  for (const BytesOf<R>& moved : m.moved) {
    const BytesOf<R> bytes = moved * away;
    if (plain(bytes) == Bytes()) continue;
    t += host_memory_time<R>(run, bytes);
    if (plain(m.products) > Seconds()) t += link_time<R>(run, bytes);
    if (kOffloadPlaces[run.strategy.offload.optimizer].drives) {
      const BytesOf<R> one_way = bytes * R(0.5);
      t += drive_time<R>(run, false, one_way) + drive_time<R>(run, true, one_way);
    }
  }
  return t;
}

// New values of offloaded weights: from the device, as far as it updates them, and to the drives.
template <Number R>
SecondsOf<R> weights_put_back(const Run& run, R owned, R updated_here) {
  const Offload& o = run.strategy.offload;
  if (o.parameters == OffloadTarget::none) return {};
  const R bytes(run.training.recipe.weights);
  SecondsOf<R> t = link_time<R>(run, BytesOf<R>(updated_here * bytes));
  if (kOffloadPlaces[o.parameters].drives) {
    t += drive_time<R>(run, true, BytesOf<R>(owned * bytes));
  }
  return t;
}

// While `bytes` cross the host link, or the drives behind it, one way.
template <Number R>
SecondsOf<R> streamed_time(const Run& run, OffloadTarget target, bool write, BytesOf<R> bytes) {
  if (target == OffloadTarget::none || plain(bytes) == Bytes()) return {};
  const SecondsOf<R> t = link_time<R>(run, bytes);
  return kOffloadPlaces[target].drives ? larger(t, drive_time<R>(run, write, bytes)) : t;
}

}  // namespace

template <Number R>
PassCopies<R> pass_copies(const Run& run, const ParametersHeld& parameters, BytesOf<R> kept) {
  const Offload& o = run.strategy.offload;
  BytesOf<R> weights{};
  if (o.parameters != OffloadTarget::none) {
    const StateBytes<R> states = state_bytes<R>(run.training.recipe, parameters, run.strategy);
    weights = states.weights + states.fixed;
  }
  PassCopies<R> c;
  c.fetch = streamed_time<R>(run, o.parameters, false, weights);
  c.down = streamed_time<R>(run, o.activations, true, kept);
  c.up = streamed_time<R>(run, o.activations, false, kept);
  return c;
}

double optimizer_traffic(const StateRecipe& r) {
  return 2 * r.gradients + 2 * r.optimizer + r.weights;
}

template <Number R>
OptimizerTime<R> optimizer_time(const Run& run, const ParametersHeld& parameters) {
  const Offload& o = run.strategy.offload;
  const R n = owned<R>(run, parameters);
  const double away = o.optimizer == OffloadTarget::none ? 0.0 : o.optimizer_fraction;
  const R here = n * lift<R>(1 - away, {"share of the optimizer on the device"});
  OptimizerTime<R> t;
  t.device = memory_time<R>(BytesOf<R>(here * lift<R>(optimizer_traffic(run.training.recipe),
                                                      {"bytes an update touches"})),
                            run.cluster.device);
  const R share = lift<R>(away, {"share offloaded"});
  if (is_by_shape(run.training.optimizer)) {
    const MatrixUpdates<R> m = matrix_updates<R>(run, parameters);
    for (const BytesOf<R>& moved : m.moved) {
      if (plain(moved) > Bytes())
        t.device += memory_time<R>(moved * (1.0 - share), run.cluster.device);
    }
    t.device += m.products;
    if (away > 0) t.host += host_matrix_update<R>(run, m, share);
  }
  if (away > 0) t.host += host_update<R>(run, n * share);
  if (run.strategy.offload.parameters != OffloadTarget::none)
    t.host += weights_put_back<R>(run, n, here);
  return t;
}

template <Number R>
OptimizerTime<R> optimizer_time(const Run& run, const StageParameters& parameters) {
  const ParametersHeld& own = parameters;
  OptimizerTime<R> t = optimizer_time<R>(run, own);
  if (!holds_any(parameters.resharded)) return t;
  const OptimizerTime<R> other = optimizer_time<R>(resharded(run), parameters.resharded);
  t.device += other.device;
  t.host += other.host;
  return t;
}

template PassCopies<double> pass_copies(const Run&, const ParametersHeld&, BytesOf<double>);
template PassCopies<Traced> pass_copies(const Run&, const ParametersHeld&, BytesOf<Traced>);
template OptimizerTime<double> optimizer_time(const Run&, const ParametersHeld&);
template OptimizerTime<Traced> optimizer_time(const Run&, const ParametersHeld&);
template OptimizerTime<double> optimizer_time(const Run&, const StageParameters&);
template OptimizerTime<Traced> optimizer_time(const Run&, const StageParameters&);

}  // namespace orrery
