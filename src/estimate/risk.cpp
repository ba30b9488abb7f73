// SPDX-License-Identifier: Apache-2.0
#include "estimate/risk.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "document/words.h"
#include "estimate/run.h"

namespace orrery {
namespace {

constexpr std::array kLeastOfRank = {0.95, 0.8, 0.5, 0.15};
constexpr double kMostPrinted = 0.99;
constexpr double kLeastPrinted = 0.01;
constexpr int kHalvings = 40;
constexpr double kDigits = 1e12;  // beyond these, erfc() of one C library differs from another's

// The standard normal variable that is exceeded with this probability, of at most a half.
double exceeded_with(double probability) {
  double low = 0;
  double high = 10;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
  }
  return low;
}

}  // namespace

MemoryRisk memory_risk(const StepInterval& memory, double risk) {
  const double spread = std::log(memory.high) / kNormal80;
  // Without published runs nothing says how much module an error takes.
  if (memory.rows == 0 || risk >= kMostRisk) return {spread, 1};
  static const double by_default = exceeded_with(kDefaultRisk);
  const double exceeded = risk == kDefaultRisk ? by_default : exceeded_with(risk);
  return {spread, std::exp(-exceeded * spread)};
}

double fit_probability(double spread, Bytes needed, Bytes capacity) {
  if (!(needed > Bytes())) return 1;
  if (spread == 0) return needed > capacity ? 0 : 1;
  const double p = 0.5 * std::erfc(-std::log(capacity / needed) / (spread * std::sqrt(2.0)));
  return std::round(p * kDigits) / kDigits;
}

namespace {

// Bytes that a device holds all through a step: they are counted, and no error takes any away.
template <Number R>
Bytes held_throughout(const StageMemory<R>& m) {
  using enum MemoryLine;
  return plain(m[weights]) + plain(m[secondary_weights]) + plain(m[optimizer]);
}

}  // namespace

template <Number R>
double fit_probability(const Run& run, const AnswerOf<R>& a) {
  if (a.reason == Reason::host_memory || held_throughout(a.memory) > a.capacity) return 0;
  return fit_probability(run.memory_risk.spread, plain(a.needed), a.capacity);
}

template double fit_probability(const Run&, const AnswerOf<double>&);
template double fit_probability(const Run&, const AnswerOf<Traced>&);

int fit_rank(double p) {
  const auto rank = std::find_if(kLeastOfRank.begin(), kLeastOfRank.end(),
                                 [p](double least) { return p >= least; });
  return static_cast<int>(rank - kLeastOfRank.begin());
}

int fit_rank(const Run& run, const Answer& a) { return fit_rank(fit_probability(run, a)); }

std::string_view fit_words(const Run& run, const Answer& a) {
  return fit_words(fit_probability(run, a));
}

std::string_view fit_words(double probability) {
  constexpr std::array<std::string_view, kLeastOfRank.size() + 1> kWords = {
      "fits", "likely", "tight", "unlikely", "does not fit"};
  return kWords[static_cast<std::size_t>(fit_rank(probability))];
}

std::string probability_words(double p) {
  return p > kMostPrinted    ? "over " + percent(kMostPrinted, 0)
         : p < kLeastPrinted ? "below " + percent(kLeastPrinted, 0)
                             : percent(p, 0);
}

std::string fit_text(double p) {
  return std::string(fit_words(p)) + " (" + probability_words(p) + ")";
}

std::string fit_text(const Run& run, const Answer& a) { return fit_text(fit_probability(run, a)); }

}  // namespace orrery
