// SPDX-License-Identifier: Apache-2.0
#include "validate/published.h"

#include "estimate/run.h"
#include "model/flops.h"

namespace orrery {
namespace {

double gpus_of(const Run& run) { return static_cast<double>(run.cluster.gpus); }

double tokens_of(const Run& run) {
  return static_cast<double>(run.training.sequence) *
         static_cast<double>(run.training.global_batch);
}

// 2sVh a sequence.
Flops head_forward(const Run& run) {
  const Architecture& a = run.model;
  return Flops(2 * tokens_of(run) * static_cast<double>(a.vocab) * static_cast<double>(a.hidden));
}

Seconds at_rate(const Run& run, FlopsKind kind, FlopsPerSecond of_one_gpu) {
  return published_flops(run, kind) / (of_one_gpu * gpus_of(run));
}

FlopsPerSecond peak(const Run& run) { return peak_of(run.cluster.device, run.training.precision); }

}  // namespace

Flops published_flops(const Run& run, FlopsKind kind) {
  const Training& t = run.training;
  const Flops model =
      model_flops(run.model, FlopsConvention::megatron,
                  {.sequence = t.sequence, .global_batch = t.global_batch, .lengths = {}});
  if (kind != FlopsKind::hardware || run.strategy.recompute != Recompute::full) return model;
  return model * (4.0 / 3) - head_forward(run);
}

Seconds published_time_by(Basis basis, const Measured& m, const Run& run) {
  switch (basis) {
    case Basis::none:
      break;
    case Basis::step_time:
      return m.step_time.value_or(Seconds());
    case Basis::tokens:
      if (m.tokens_per_gpu)
        return Seconds(tokens_of(run) / (m.tokens_per_gpu->si() * gpus_of(run)));
      break;
    case Basis::model_rate:
      if (m.model_rate) return at_rate(run, FlopsKind::model, *m.model_rate);
      break;
    case Basis::hardware_rate:
      if (m.hardware_rate) return at_rate(run, FlopsKind::hardware, *m.hardware_rate);
      break;
    case Basis::mfu:
      if (m.mfu) return at_rate(run, FlopsKind::model, peak(run) * *m.mfu);
      break;
    case Basis::hfu:
      if (m.hfu) return at_rate(run, FlopsKind::hardware, peak(run) * *m.hfu);
      break;
  }
  return {};
}

PublishedTime published_time(const Measured& m, const Run& run) {
  for (const Basis basis : kAllOf<Basis>) {
    const Seconds time = published_time_by(basis, m, run);
    if (time > Seconds()) return {basis, time};
  }
  return {};
}

}  // namespace orrery
