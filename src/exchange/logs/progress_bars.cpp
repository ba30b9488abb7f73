// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/progress_bars.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/units.h"
#include "exchange/logs/log_fields.h"
#include "exchange/text_lines.h"

namespace orrery::training_logs {
namespace {

// A bar as a terminal writes it over the one before.
struct Bar {
  std::string total;
  std::string name;    // what stands before it, in small letters; "" for most trainers' own
  double step = 0;     // the last one done
  double elapsed = 0;  // whole seconds
  double seconds = 0;  // of a step, smoothed
};

// "evaluating" of "{'loss': 2.0}Evaluating:   3%|###   | 5", in which the step starts at `end`.
std::string name_before(std::string_view text, std::size_t end) {
  const std::size_t before =
      end == 0 ? std::string_view::npos : text.find_last_of("\r\n}]", end - 1);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  std::string_view name = text.substr(first, end - first);
  if (const std::size_t percent = name.find("%|"); percent != std::string_view::npos) {
    name = name.substr(0, name.find_last_not_of("0123456789", percent - 1) + 1);
  }
  std::string small(trimmed(name));
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

std::vector<Bar> bars_in(std::string_view text) {
  std::vector<Bar> bars;
  constexpr std::string_view kSlow = "s/it";
  constexpr std::string_view kFast = "it/s";
  constexpr std::size_t kMostDigits = 12;
  for (std::size_t at = text.find("it"); at != std::string_view::npos;
       at = text.find("it", at + 2)) {
    const bool slow = at >= 2 && text.substr(at - 2, kSlow.size()) == kSlow;
    const bool fast = text.substr(at, kFast.size()) == kFast;
    if (!slow && !fast) continue;
    const std::size_t end = slow ? at - 2 : at;
    const std::size_t comma = text.rfind(',', end);
    const std::size_t open = text.rfind('[', end);
    if (comma == std::string_view::npos || open == std::string_view::npos || open > comma) continue;
    const auto rate = leading_number(text.substr(comma + 1, end - comma - 1));
    const std::size_t slash = text.rfind('/', open);
    if (!rate || slash == std::string_view::npos || open - slash > kMostDigits) continue;
    const std::size_t before = text.substr(0, slash).find_last_not_of("0123456789");
    const std::size_t digits = before == std::string_view::npos ? 0 : before + 1;
    bars.push_back({std::string(trimmed(text.substr(slash + 1, open - slash - 1))),
                    name_before(text, digits),
                    leading_number(text.substr(digits, slash - digits)).value_or(0),
                    seconds_of_clock(text.substr(open + 1, text.find('<', open) - open - 1)),
                    slow ? *rate : 1 / *rate});
  }
  return bars;
}

// Steps after the first one by the clock; none where it stands still or goes back.
std::vector<double> clock_steps(const std::vector<Bar>& bars) {
  constexpr double kLeast = 5;  // seconds: one is a fifth of it
  const bool onward = std::is_sorted(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) {
    return a.step < b.step || a.elapsed < b.elapsed;
  });
  const double steps = bars.back().step - bars.front().step;
  const double seconds = bars.back().elapsed - bars.front().elapsed;
  if (!onward || bars.front().step < 1 || steps < 1 || seconds < kLeast) return {};
  return std::vector<double>(static_cast<std::size_t>(std::min(steps, 1e3)), seconds / steps);
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return contains(text, word); });
}

bool does_not_train(const Bar& b) {
  return has_any(b.name, {"valid", "eval", "sanity", "testing", "predict", "generat", "load", "map",
                          "tokeniz", "fetch"});
}

// Bars of trainers come first, then the longest by their clock, which runs on while another bar
// evaluates, then the one that is drawn most.
std::tuple<bool, double, std::size_t> rank_of(const std::vector<Bar>& bars) {
  const std::string& name = bars.front().name;
  double elapsed = 0;
  for (const Bar& b : bars) elapsed = std::max(elapsed, b.elapsed);
  return {name.empty() || has_any(name, {"train", "epoch", "step", "iter"}), elapsed, bars.size()};
}

// The bar of as many steps as Hugging Face's Trainer says, else the first by rank.
std::vector<Bar> bar_of_training(std::string_view text) {
  std::map<std::string, std::vector<Bar>> by_total;
  for (Bar& b : bars_in(text)) {
    if (!does_not_train(b)) by_total[b.total].push_back(std::move(b));
  }
  if (by_total.empty()) return {};
  const auto stated = leading_number(behind(text, "Total optimization steps ="));
  for (auto& [total, bars] : by_total) {
    if (stated && leading_number(total) == stated) return std::move(bars);
  }
  return std::max_element(
             by_total.begin(), by_total.end(),
             [](const auto& a, const auto& b) { return rank_of(a.second) < rank_of(b.second); })
      ->second;
}

// The first step that is done: a resumed run begins with those of its checkpoint, in no time.
double first_step(const std::vector<Bar>& bars) {
  for (const Bar& b : bars) {
    if (b.step > 0) return b.step;
  }
  return 0;
}

}  // namespace

double seconds_of_clock(std::string_view text) {
  constexpr double kSixty = 60;
  double seconds = 0;
  const std::size_t day = text.find(" day");
  const double days = day == std::string_view::npos ? 0 : leading_number(text).value_or(0);
  const std::size_t comma = day == std::string_view::npos ? day : text.find(", ", day);
  if (comma != std::string_view::npos) text.remove_prefix(comma + 2);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    seconds = seconds * kSixty + parse_number(std::string(text.substr(at, end - at))).value_or(0);
    at = end + 1;
  }
  return days * kDay.si() + seconds;
}

std::vector<double> bar_steps(std::string_view text) {
  constexpr std::size_t kFewest = 3;
  // A new step has a weight of 0.3: after these the first one has less than a hundredth.
  constexpr double kForgotten = 15;
  const std::vector<Bar> training = bar_of_training(text);
  if (training.size() < kFewest) return {};
  const double start = first_step(training);
  std::vector<double> settled;
  std::vector<double> smoothed;
  for (const Bar& b : training) {
    smoothed.push_back(b.seconds);
    if (b.step >= start + kForgotten) settled.push_back(b.seconds);
  }
  if (settled.size() >= kFewest) return settled;
  const std::vector<double> clock = clock_steps(training);
  return clock.empty() ? smoothed : clock;
}

}  // namespace orrery::training_logs
