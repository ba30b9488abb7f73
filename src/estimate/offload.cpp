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

// Passes over states that follow the shapes of matrices, and their products: each owner has whole
// matrices.
template <Number R>
SecondsOf<R> matrix_updates(const Run& run, const ParametersHeld& parameters) {
  SecondsOf<R> t{};
  for (const ShardedStates which : {ShardedStates::dense, ShardedStates::expert}) {
    const UpdateWork& work = update(parameters, which);
    if (work.states == Bytes()) continue;
    const R ranks = count<R>(partition_of(run.strategy, which).optimizer,
                             {"ranks the optimizer is sharded over"});
    const BytesOf<R> moved = lift<R>(work.states * 2.0, {"states of matrices, read and written"});
    t += memory_time<R>(moved / ranks, run.cluster.device);
    if (work.time == Seconds()) continue;
    t += larger(lift<R>(work.time, {"products of the matrices' updates"}) / ranks,
                lift<R>(work.largest, {"products of the largest matrix's update"}));
  }
  return t;
}

template <Number R>
SecondsOf<R> host_update(const Run& run, R parameters) {
  const StateRecipe& r = run.training.recipe;
  const SecondsOf<R> down = link_time<R>(run, BytesOf<R>(parameters * R(r.reduced)));
  const SecondsOf<R> up = link_time<R>(run, BytesOf<R>(parameters * R(r.weights)));
  const BytesOf<R> touched(parameters * lift<R>(optimizer_traffic(r), {"bytes an update touches"}));
  const SecondsOf<R> update = shared_time<R>(run, touched, run.cluster.host.memory_bandwidth,
                                             {"cluster.host.memory_bandwidth"}) /
                              lift<R>(run.cluster.host.update_share, {"cluster.host.update_share"});
  SecondsOf<R> t = down + update + up;
  if (kOffloadPlaces[run.strategy.offload.optimizer].drives) {
    const BytesOf<R> states(parameters * R(r.optimizer));
    t += drive_time<R>(run, false, states) + drive_time<R>(run, true, states);
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
  if (is_by_shape(run.training.optimizer)) t.device += matrix_updates<R>(run, parameters);
  if (away > 0) t.host = host_update<R>(run, n * lift<R>(away, {"share offloaded"}));
  return t;
}

template PassCopies<double> pass_copies(const Run&, const ParametersHeld&, BytesOf<double>);
template PassCopies<Traced> pass_copies(const Run&, const ParametersHeld&, BytesOf<Traced>);
template OptimizerTime<double> optimizer_time(const Run&, const ParametersHeld&);
template OptimizerTime<Traced> optimizer_time(const Run&, const ParametersHeld&);

}  // namespace orrery
