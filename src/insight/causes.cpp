// SPDX-License-Identifier: Apache-2.0
#include "insight/causes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/units.h"
#include "document/words.h"
#include "estimate/accuracy.h"
#include "estimate/resolve.h"
#include "estimate/risk.h"
#include "estimate/workspace.h"
#include "hardware/cluster_links.h"
#include "insight/hypotheses.h"
#include "insight/nccl_causes.h"
#include "insight/run_report.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr double kOwnPrior = 0.34;
constexpr double kOutsidePrior = 0.1;
// Anything else: every step up to this factor shorter or longer is as likely as any other.
constexpr double kElsePrior = 0.02;
constexpr double kElseFactor = 100;
// Another layout than the one assumed: any step within this factor is as likely as any other.
constexpr double kLayoutPrior = 0.3;
constexpr double kLayoutFactor = 10;
constexpr double kCannotFit = 0.1;
// A network that nobody gave, at any part of its rate down to the least, each as likely in ln; one
// that the run states differs less often.
constexpr double kNetworkPrior = 0.2;
constexpr double kStatedNetworkPrior = 0.05;
constexpr double kLinksPrior = 0.03;    // those of a chassis
constexpr double kNamedLinksPrior = 3;  // those that NCCL's own lines name, beside all others
constexpr double kLeastRate = 0.005;
constexpr double kMostRate = 0.5;  // above it, half the rate is a change of its own
constexpr int kHalvings = 30;
constexpr double kLeast = 0.02;
// The predicted memory may be wrong as well.
constexpr double kLeastFit = 0.001;

double density(double ln_error, double sigma) {
  const double z = ln_error / sigma;
  return std::exp(-0.5 * z * z) / (sigma * std::sqrt(2 * std::numbers::pi));
}

constexpr double kNarrowest = 0.05;

// The sigma of which 80 % are the interval.
double sigma_of(const Answer& a) {
  if (!(a.interval_low.si() > 0)) return kNarrowest;
  return std::max(kNarrowest, std::log(a.interval_high / a.interval_low) / (2 * kNormal80));
}

std::string changed_term(const Answer& before, const Answer& after) {
  Term most{};
  double largest = 0;
  for (const Term t : kAllOf<Term>) {
    const double by = std::abs((after.breakdown[t] - before.breakdown[t]).si());
    if (by > largest) most = t;
    largest = std::max(largest, by);
  }
  return largest > 0 ? std::string(name_of(most)) : "";
}

std::string rate_text(BytesPerSecond rate) { return significant(rate.si() / 1e9, 3) + " GB/s"; }

std::vector<Setting> rate_setting(const Cluster& c, Links which, double part) {
  const auto tier = only_tier(c, which);
  if (!tier || c.tiers[*tier].group_sizes > 0) return {};
  return {{"cluster.tiers." + std::string(c.tiers[*tier].name.view()) + ".bandwidth",
           rate_text(c.tiers[*tier].bandwidth * part)}};
}

bool states_network(const ResolvedRun& run) {
  return std::any_of(run.stated.begin(), run.stated.end(), [](const Fact& f) {
    return f.path.starts_with("cluster.tiers") || f.path.starts_with("cluster.fabric") ||
           f.path.starts_with("cluster.node.");
  });
}

// "a slow network (nobody gave one): 29.6 GB/s of 400 GB/s a node"
std::string link_words(const ResolvedRun& run, Links which, double part) {
  const Cluster& c = run.run.cluster;
  const bool is_network = which == Links::of_network;
  const std::string words = !is_network           ? "slow links inside a node: "
                            : states_network(run) ? "a slow network: "
                                                  : "a slow network (nobody gave one): ";
  const auto tier = only_tier(c, which);
  if (!tier) return words + percent(part, 0) + " of its rate";
  return words + rate_text(c.tiers[*tier].bandwidth * part) + " of " +
         rate_text(c.tiers[*tier].bandwidth) + (is_network ? " a node" : " a GPU");
}

class Weighing {
 public:
  Weighing(const RunReport& r, Seconds measured, std::optional<Bytes> allocated,
           const std::optional<NcclSetup>& nccl)
      : r_(r),
        measured_(measured),
        allocated_(allocated),
        nccl_(nccl),
        sigma_(sigma_of(r.answer)) {}

  std::vector<StepCause> causes() {
    for (const Hypothesis& h : hypotheses()) weigh(h);
    const double own = ran(r_.resolved.run, r_.answer);
    add({"the estimate's own error", "", "", "", r_.answer.step_time, 0, {}}, kOwnPrior * own,
        r_.answer);
    outside();
    slow_links(Links::of_network);
    slow_links(Links::of_chassis);
    other_layout();
    none_of_these();
    double sum = 0;
    for (const StepCause& c : all_) sum += c.probability;
    for (StepCause& c : all_) c.probability = sum > 0 ? c.probability / sum : 0;
    std::stable_sort(all_.begin(), all_.end(), [](const StepCause& a, const StepCause& b) {
      return a.probability > b.probability;
    });
    std::erase_if(all_, [](const StepCause& c) { return c.probability < kLeast; });
    return std::move(all_);
  }

 private:
  void weigh(const Hypothesis& h) {
    Run run;
    if (!make_hypothesis(h, r_, workspace_, run)) return;
    const Answer answer = estimate(run);
    const bool same = answer.step_time == r_.answer.step_time &&
                      answer.memory.allocated == r_.answer.memory.allocated;
    if (same || !is_nearer(answer)) return;
    add({h.what, change_words(h, r_, run), changed_term(r_.answer, answer), h.check,
         answer.step_time, 0, change_settings(h, r_, run)},
        prior_of(h, r_, run) * ran(run, answer), answer);
  }

  // A change explains nothing that moves the step, and the memory too, away from what was measured.
  bool is_nearer(const Answer& changed) const {
    const auto nearer = [](auto measured, auto now, auto before) {
      return std::abs(std::log(measured / now)) < std::abs(std::log(measured / before));
    };
    const Bytes before = r_.answer.memory.allocated;
    const bool has_memory = allocated_ && before > Bytes() && changed.memory.allocated > Bytes();
    return nearer(measured_, changed.step_time, r_.answer.step_time) ||
           (has_memory && nearer(*allocated_, changed.memory.allocated, before));
  }

  void add(StepCause c, double prior, const Answer& answer) {
    c.probability =
        prior * density(std::log(measured_ / answer.step_time), sigma_) * memory_density(answer);
    all_.push_back(std::move(c));
  }

  // A logged run did run, so it fits.
  static double ran(const Run& run, const Answer& answer) {
    return std::max(kLeastFit, fit_probability(run, answer));
  }

  double memory_density(const Answer& answer) const {
    if (!allocated_ || !(answer.memory.allocated.si() > 0)) return 1;
    const double sigma = std::max(kNarrowest, r_.resolved.run.memory_risk.spread);
    return density(std::log(*allocated_ / answer.memory.allocated), sigma);
  }

  // Any longer step up to three times as long is as likely as any other.
  void outside() {
    const double longer = std::log(measured_ / r_.answer.step_time);
    const double most = std::log(3.0);
    if (longer <= 0 || longer > most) return;
    all_.push_back(
        {"time outside the model: data loading, checkpoints, logging, another job",
         "",
         "other",
         "a few steps on synthetic data, without checkpoints",
         measured_,
         kOutsidePrior / most * ran(r_.resolved.run, r_.answer) * memory_density(r_.answer),
         {}});
  }

  Run with_links(Links which, double part) const {
    Run run = r_.resolved.run;
    scale_links(run.cluster, which, part);
    return run;
  }

  // The part of their rate at which the step takes as long as measured; nothing where none does.
  std::optional<double> part_of_rate(Links which) const {
    const auto step = [&](double part) { return estimate(with_links(which, part)).step_time; };
    if (!(measured_ > step(kMostRate)) || measured_ > step(kLeastRate)) return {};
    double low = std::log(kLeastRate);
    double high = std::log(kMostRate);
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (step(std::exp(middle)) > measured_ ? low : high) = middle;
    }
    return std::exp(high);
  }

  void slow_links(Links which) {
    if (is_as_predicted(r_, measured_)) return;
    const auto part = part_of_rate(which);
    if (!part) return;
    const Run slow = with_links(which, *part);
    const Answer a = estimate(slow);
    const std::vector<Setting> change = rate_setting(r_.resolved.run.cluster, which, *part);
    all_.push_back(
        {link_words(r_.resolved, which, *part) + named_words(which), typed(change),
         changed_term(r_.answer, a), link_check(which), a.step_time,
         link_prior(which) / std::log(kMostRate / kLeastRate) * ran(slow, a) * memory_density(a),
         change});
  }

  // NCCL's own lines name these links as the slow ones.
  bool names_slow(Links which) const {
    if (!nccl_) return false;
    return which == Links::of_network ? nccl_->network == NcclNetwork::tcp : nccl_->through_host;
  }

  std::string named_words(Links which) const {
    if (!names_slow(which)) return "";
    return which == Links::of_network ? "; NCCL's lines say TCP" : "; NCCL's lines say host memory";
  }

  double link_prior(Links which) const {
    if (names_slow(which)) return kNamedLinksPrior;
    if (which == Links::of_chassis) return kLinksPrior;
    const bool is_infiniband = nccl_ && nccl_->network == NcclNetwork::infiniband;
    return is_infiniband || states_network(r_.resolved) ? kStatedNetworkPrior : kNetworkPrior;
  }

  std::string link_check(Links which) const {
    if (names_slow(which))
      return which == Links::of_network ? network_check(*nccl_) : peer_check(*nccl_);
    return which == Links::of_network
               ? "NCCL_DEBUG=INFO: NET/Socket, which is TCP, in place of NET/IB "
                 "(NCCL_IB_DISABLE, NCCL_IB_HCA); all_reduce_perf of nccl-tests over the "
                 "job's nodes"
               : "NCCL_DEBUG=INFO: SHM in place of P2P (NCCL_P2P_DISABLE); nvidia-smi "
                 "topo -m; all_reduce_perf of nccl-tests in one node";
  }

  void other_layout() {
    if (!assumes_what_cannot_fit(r_)) return;
    const double density = 1 / (2 * std::log(kLayoutFactor));
    const double memory = allocated_ && r_.answer.memory.allocated.si() > 0 ? density : 1;
    all_.push_back({"the layout is another: nobody gave one, and the one assumed here cannot fit",
                    "",
                    "",
                    "tensor, pipeline and expert parallelism in the job's first lines",
                    measured_,
                    kLayoutPrior * density * memory,
                    {}});
  }

  // A prior as wide for the memory as for the time, so that a log far from every cause says so.
  void none_of_these() {
    if (!allocated_ && is_as_predicted(r_, measured_)) return;
    const double density = 1 / (2 * std::log(kElseFactor));
    const double memory = allocated_ && r_.answer.memory.allocated.si() > 0 ? density : 1;
    all_.push_back({"none of these: another run, another machine, or a fault of the estimate",
                    "",
                    "",
                    "",
                    measured_,
                    kElsePrior * density * memory,
                    {}});
  }

  const RunReport& r_;
  Seconds measured_;
  std::optional<Bytes> allocated_;
  const std::optional<NcclSetup>& nccl_;
  double sigma_;
  Workspace workspace_;
  std::vector<StepCause> all_;
};

}  // namespace

bool is_as_predicted(const RunReport& r, Seconds measured) {
  return measured >= r.answer.interval_low && !(measured > r.answer.interval_high);
}

bool assumes_what_cannot_fit(const RunReport& r) {
  const auto& keys = r.resolved.parallel_keys;
  const auto says = [&](std::string_view key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  const bool is_given =
      says(key_name<&StrategyRequest::tp>) || says(key_name<&StrategyRequest::pp>) ||
      says(key_name<&StrategyRequest::ep>) || says(key_name<&StrategyRequest::cp>);
  return !is_given && r.resolved.run.cluster.gpus > 1 &&
         fit_probability(r.resolved.run, r.answer) < kCannotFit;
}

std::vector<StepCause> causes_of(const RunReport& r, Seconds measured,
                                 std::optional<Bytes> allocated,
                                 const std::optional<NcclSetup>& nccl) {
  return Weighing(r, measured, allocated, nccl).causes();
}

}  // namespace orrery
