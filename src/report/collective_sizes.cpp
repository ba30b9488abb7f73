// SPDX-License-Identifier: Apache-2.0
#include "report/collective_sizes.h"

#include <optional>

#include "core/error.h"
#include "core/units.h"

namespace orrery {
namespace {

constexpr std::size_t kMostSizes = 10'000;
constexpr double kSmallestStep = 1.001;
constexpr double kLargestStep = 1024;
constexpr double kLargestSize = 1e18;
// A last step that misses the end by rounding still reaches it.
constexpr double kReached = 1 + 1e-9;

[[noreturn]] void refuse(const char* flag, const std::string& found, const std::string& allowed) {
  throw InputError("command line", flag, "\"" + found + "\"", allowed);
}

Bytes size_of(const std::string& text) {
  std::optional<double> si = parse_quantity(text, kBytes);
  if (!si) si = parse_number(text);
  if (!si || !(*si >= 1 || *si == 0) || *si > kLargestSize) {
    refuse("--size", text, "0 or bytes from 1 B to 1 EB as 1MiB..16GiB or 64KiB,1MiB");
  }
  return Bytes(*si);
}

double step_of(const std::string& text) {
  if (text.empty()) return 2;
  const std::optional<double> factor = parse_number(text);
  if (!factor || !(*factor >= kSmallestStep) || *factor > kLargestStep) {
    refuse("--step", text, "a factor from 1.001 to 1024");
  }
  return *factor;
}

std::vector<Bytes> range(const std::string& text, std::size_t dots, double factor) {
  const Bytes first = size_of(text.substr(0, dots));
  const Bytes last = size_of(text.substr(dots + 2));
  if (last < first || first == Bytes())
    refuse("--size", text, "a range that rises from 1 B or more");
  std::vector<Bytes> sizes;
  for (Bytes b = first; b <= last * kReached; b = b * factor) {
    sizes.push_back(b < last ? b : last);
    if (sizes.size() > kMostSizes) refuse("--size", text, "at most 10,000 sizes");
  }
  return sizes;
}

std::vector<Bytes> list(const std::string& text) {
  std::vector<Bytes> sizes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    sizes.push_back(size_of(text.substr(at, comma - at)));
    if (sizes.size() > kMostSizes) refuse("--size", "a longer list", "at most 10,000 sizes");
    at = comma + 1;
  }
  return sizes;
}

}  // namespace

std::vector<Bytes> collective_sizes(const std::string& text, const std::string& step) {
  const double factor = step_of(step);
  const std::size_t dots = text.find("..");
  if (dots != std::string::npos) return range(text, dots, factor);
  if (!step.empty()) refuse("--step", step, "it beside a range of sizes only");
  return list(text);
}

}  // namespace orrery
