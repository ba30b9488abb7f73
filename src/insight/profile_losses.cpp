// SPDX-License-Identifier: Apache-2.0
#include "insight/profile_losses.h"

#include <algorithm>

#include "core/units.h"
#include "document/words.h"
#include "exchange/kineto/step_profile.h"

namespace orrery {
namespace {

constexpr double kLeastLoss = 0.02;

std::string calls_words(const HostCalls& c) {
  return pretty(c.time, 3) + " on the host in " + counted(c.calls, "call");
}

class Losses {
 public:
  explicit Losses(const StepProfile& p) : p_(p) {}

  std::vector<DiagnosedCause> all() {
    const EnumArray<HostWait, HostCalls>& host = p_.host;
    Seconds launches = p_.idle;
    for (const HostWait w : kAllOf<HostWait>) launches -= host[w].idle;
    data(host[HostWait::data]);
    allocations(host[HostWait::allocation]);
    synchronisations(host[HostWait::synchronisation]);
    late_launches(launches);
    add(p_.exposed_communication, "communication that no computing hides",
        pretty(p_.exposed_communication, 3) + " of " + pretty(p_.communicating, 3) +
            " of NCCL's kernels, which also wait for the slowest rank",
        "the same trace of another rank: one that waits less is the slow one; nccl-tests",
        "overlap of gathers and reductions, larger buckets, less tensor or expert parallelism "
        "across nodes");
    add(p_.exposed_copies, "copies that no computing hides",
        pretty(p_.exposed_copies, 3) + " of copies beside nothing",
        "the trace at its copies: what asks for them",
        "pinned memory and non_blocking=True, less offloading");
    double sum = 0;
    for (const DiagnosedCause& c : causes_) sum += c.probability;
    for (DiagnosedCause& c : causes_) c.probability /= sum;
    std::stable_sort(causes_.begin(), causes_.end(),
                     [](const DiagnosedCause& a, const DiagnosedCause& b) {
                       return a.probability > b.probability;
                     });
    return std::move(causes_);
  }

 private:
  void add(Seconds lost, const char* what, const std::string& evidence, const char* check,
           const char* mend) {
    const double share = p_.span > Seconds() ? lost / p_.span : 0.0;
    if (share < kLeastLoss) return;
    causes_.push_back(
        {what, percent(share, 0) + " of the time: " + evidence, check, mend, "", share});
  }

  void data(const HostCalls& c) {
    add(c.idle, "the GPU waits for data", "the loader takes " + calls_words(c),
        "the same steps on synthetic data",
        "more workers of the data loader, prefetching, data that is tokenised before");
  }

  void allocations(const HostCalls& c) {
    add(c.idle, "the driver allocates memory within the step", "it takes " + calls_words(c),
        "torch.cuda.memory_stats(): num_alloc_retries",
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, less memory, lengths that do not vary");
  }

  void synchronisations(const HostCalls& c) {
    add(c.idle, "the host waits for the GPU and launches late",
        "the GPU is idle behind synchronisations, " + calls_words(c),
        "the trace at its synchronisations: .item(), print, a norm of gradients, a dropless router",
        "no .item() or print within a step, logging every few steps");
  }

  void late_launches(Seconds lost) {
    add(lost, "the host launches kernels later than the GPU needs them",
        "the GPU is idle between " + counted(p_.kernels, "kernel") + ", " +
            pretty(p_.median_kernel, 3) + " each in the median",
        "a larger micro batch: if the step grows less than it, the host sets the pace",
        "a compiled step or CUDA graphs, fused kernels, a larger micro batch");
  }

  const StepProfile& p_;
  std::vector<DiagnosedCause> causes_;
};

}  // namespace

std::vector<DiagnosedCause> losses_of(const StepProfile& p) { return Losses(p).all(); }

}  // namespace orrery
