// SPDX-License-Identifier: Apache-2.0
#include "generate/lengths.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "generate/counts.h"

namespace orrery {
namespace {

template <std::size_t N>
double polynomial(const std::array<double, N>& c, double x) {
  double sum = 0;
  for (const double a : c) sum = sum * x + a;
  return sum;
}

// P. J. Acklam, An algorithm for computing the inverse normal cumulative distribution function
// (2003): coefficients for the centre and the tails, relative error below 1.15e-9.
constexpr std::array kCentreUp = {-3.969683028665376e+01, 2.209460984245205e+02,
                                  -2.759285104469687e+02, 1.383577518672690e+02,
                                  -3.066479806614716e+01, 2.506628277459239e+00};
constexpr std::array kCentreDown = {-5.447609879822406e+01, 1.615858368580409e+02,
                                    -1.556989798598866e+02, 6.680131188771972e+01,
                                    -1.328068155288572e+01, 1.0};
constexpr std::array kTailUp = {-7.784894002430293e-03, -3.223964580411365e-01,
                                -2.400758277161838e+00, -2.549732539343734e+00,
                                4.374664141464968e+00,  2.938163982698783e+00};
constexpr std::array kTailDown = {7.784695709041462e-03, 3.224671290700398e-01,
                                  2.445134137142996e+00, 3.754408661907416e+00, 1.0};

double tail(double p) {
  const double q = std::sqrt(-2 * std::log(p));
  return polynomial(kTailUp, q) / polynomial(kTailDown, q);
}

// A length of the body at its quantile, of mean one.
double of_body(const AnswerLengths& a, double p) {
  switch (a.shape) {
    case LengthShape::equal:
      return 1;
    case LengthShape::normal:
      return std::max(0.0, 1 + a.spread * normal_quantile(p));
    case LengthShape::lognormal:
      return lognormal_quantile(a.spread, p);
  }
  return 1;
}

double cut(const AnswerLengths& a, double length) {
  return a.cap > 0 ? std::min(length, as_number(a.cap)) : length;
}

double sum_at(const AnswerLengths& a, const std::vector<double>& body, double scale) {
  double sum = 0;
  for (const double x : body) sum += cut(a, x * scale);
  return sum;
}

// The scale at which the body, cut, sums to `wanted`.
double scale_of(const AnswerLengths& a, const std::vector<double>& body, double wanted) {
  constexpr int kHalvings = 80;
  double low = 0;
  double high = a.cap > 0 ? 1e3 * as_number(a.cap) : 1e3 * a.mean;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (sum_at(a, body, middle) < wanted ? low : high) = middle;
  }
  return high;
}

std::vector<std::int64_t> repeated(const std::vector<std::int64_t>& listed, std::int64_t n) {
  std::vector<std::int64_t> sorted = listed;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < n; ++i) {
    out.push_back(sorted[static_cast<std::size_t>(i * std::ssize(sorted) / n)]);
  }
  return out;
}

}  // namespace

double normal_quantile(double p) {
  constexpr double kTail = 0.02425;
  if (p < kTail) return tail(p);
  if (p > 1 - kTail) return -tail(1 - p);
  const double q = p - 0.5;
  return q * polynomial(kCentreUp, q * q) / polynomial(kCentreDown, q * q);
}

double lognormal_quantile(double spread, double p) {
  const double sigma = std::sqrt(std::log(1 + spread * spread));
  return std::exp(sigma * normal_quantile(p) - sigma * sigma / 2);
}

std::vector<std::int64_t> lengths_of(const AnswerLengths& a, std::int64_t n) {
  if (!a.listed.empty()) return repeated(a.listed, n);
  const auto capped = a.cap > 0 ? std::llround(a.at_cap * as_number(n)) : 0;
  const std::int64_t free = n - capped;
  std::vector<double> body;
  for (std::int64_t i = 0; i < free; ++i)
    body.push_back(of_body(a, (as_number(i) + 0.5) / as_number(free)));
  const double wanted = a.mean * as_number(n) - as_number(capped * a.cap);
  const double scale = free > 0 ? scale_of(a, body, wanted) : 1;
  std::vector<std::int64_t> out;
  for (const double x : body) {
    out.push_back(std::max<std::int64_t>(1, std::llround(cut(a, x * scale))));
  }
  out.insert(out.end(), static_cast<std::size_t>(capped), a.cap);
  return out;
}

double mean_of(const AnswerLengths& a) {
  if (a.listed.empty()) return a.mean;
  const double sum = std::accumulate(a.listed.begin(), a.listed.end(), 0.0);
  return sum / as_number(std::ssize(a.listed));
}

std::int64_t longest_of(const AnswerLengths& a, std::int64_t n) {
  const std::vector<std::int64_t> all = lengths_of(a, n);
  return all.empty() ? 0 : all.back();
}

std::vector<std::int64_t> dealt_order(std::int64_t n, double of_n) {
  auto stride = std::max<std::int64_t>(1, static_cast<std::int64_t>(of_n * as_number(n)));
  while (std::gcd(stride, n) != 1) ++stride;
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < n; ++i) out.push_back(i * stride % n);
  return out;
}

std::vector<std::int64_t> dealt(const std::vector<std::int64_t>& sorted) {
  constexpr double kGolden = 0.6180339887498949;  // spreads any run of neighbours over the whole
  if (sorted.size() < 3) return sorted;
  std::vector<std::int64_t> out;
  for (const std::int64_t i : dealt_order(std::ssize(sorted), kGolden)) {
    out.push_back(sorted[static_cast<std::size_t>(i)]);
  }
  return out;
}

}  // namespace orrery
