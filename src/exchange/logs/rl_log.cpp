// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/rl_log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

namespace orrery {
namespace {

enum class LoggedKind : std::uint8_t { phase, answer, prompt, at_cap };

struct RlName {
  const char* form;
  std::string_view name;
  LoggedKind kind = LoggedKind::phase;
  std::vector<RlPhase> covers = {};
};

// verl: verl/trainer/ppo/ray_trainer.py and metric_utils.py @b178a3cd; NeMo RL:
// nemo_rl/algorithms/grpo.py @7ea279ab; TRL: trl/trainer/grpo_trainer.py @f2cd5771.
const std::vector<RlName>& names() {
  using enum RlPhase;
  using K = LoggedKind;
  static const std::vector<RlName> kAll = {
      {"verl", "timing_s/step:"},
      {"verl", "timing_s/gen:", K::phase, {generate}},
      {"verl", "timing_s/reward:", K::phase, {reward}},
      {"verl", "timing_s/old_log_prob:", K::phase, {old_log_probs}},
      {"verl", "timing_s/ref:", K::phase, {reference}},
      {"verl", "timing_s/values:", K::phase, {values}},
      {"verl", "timing_s/update_actor:", K::phase, {update}},
      {"verl", "timing_s/update_weights:", K::phase, {handover}},
      {"verl", "response_length/mean:", K::answer},
      {"verl", "prompt_length/mean:", K::prompt},
      {"verl", "response_length/clip_ratio:", K::at_cap},
      {"NeMo RL", "Total step time:"},
      {"NeMo RL", "generation:", K::phase, {generate}},
      {"NeMo RL", "reward_calculation:", K::phase, {reward}},
      {"NeMo RL", "policy_and_reference_logprobs:", K::phase, {old_log_probs, reference}},
      {"NeMo RL", "policy_training:", K::phase, {update}},
      {"NeMo RL", "weight_sync:", K::phase, {handover}},
      {"NeMo RL", "Mean Generation Length:", K::answer},
      {"TRL", "'step_time':"},
      {"TRL", "'completions/mean_length':", K::answer},
      {"TRL", "'completions/clipped_ratio':", K::at_cap},
  };
  return kAll;
}

// The number behind a name: "61.2", "np.float64(61.2)", "'61.2'".
std::optional<double> number_behind(std::string_view text) {
  constexpr std::string_view kNumpy = "np.float64(";
  while (!text.empty() && (text.front() == ' ' || text.front() == '\'')) text.remove_prefix(1);
  if (text.substr(0, kNumpy.size()) == kNumpy) text.remove_prefix(kNumpy.size());
  const std::string word(text.substr(0, 32));
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (end == word.c_str() || !(value >= 0) || !std::isfinite(value)) return {};
  return value;
}

// A name of its own: not the end of a longer one ("agent_loop/timing_s/gen:").
bool starts_word(std::string_view line, std::size_t at) {
  if (at == 0) return true;
  const char before = line[at - 1];
  return before == ' ' || before == '{' || before == '\t' || before == ',';
}

std::optional<double> value_in(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos;
       at = line.find(name, at + 1)) {
    if (starts_word(line, at)) return number_behind(line.substr(at + name.size()));
  }
  return {};
}

// The median, without the first step of three or more.
double settled_of(std::vector<double> values) {
  if (values.size() > 2) values.erase(values.begin());
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

using Found = std::map<std::size_t, std::vector<double>>;  // by name

Found values_of(std::string_view text) {
  Found found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    for (std::size_t i = 0; i < names().size(); ++i) {
      if (const auto value = value_in(line, names()[i].name)) found[i].push_back(*value);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

// The tool of which most names are there, with the length of its answers or the time of its steps.
std::string form_of(const Found& found) {
  std::map<std::string, std::size_t> seen;
  for (const auto& [i, values] : found) ++seen[names()[i].form];
  std::string best;
  for (const auto& [form, n] : seen) {
    if (n >= 2 && (best.empty() || n > seen[best])) best = form;
  }
  return best;
}

void take(const RlName& name, const std::vector<double>& values, RlLog& log) {
  const double median = settled_of(values);
  log.steps = std::max(log.steps, values.size());
  switch (name.kind) {
    case LoggedKind::phase: {
      std::string words(name.name);
      std::erase_if(words, [](char c) { return c == ':' || c == '\''; });
      log.phases.push_back({words, name.covers, Seconds(median)});
      return;
    }
    case LoggedKind::answer:
      log.answer = median;
      return;
    case LoggedKind::prompt:
      log.prompt = median;
      return;
    case LoggedKind::at_cap:
      log.at_cap = median;
      return;
  }
}

}  // namespace

const LoggedPhase* RlLog::step() const {
  const auto at = std::find_if(phases.begin(), phases.end(),
                               [](const LoggedPhase& p) { return p.covers.empty(); });
  return at == phases.end() ? nullptr : &*at;
}

RlLog read_rl_log(std::string_view text) {
  const Found found = values_of(text);
  RlLog log;
  log.form = form_of(found);
  if (log.form.empty()) return log;
  for (const auto& [i, values] : found) {
    if (log.form == names()[i].form) take(names()[i], values, log);
  }
  return log;
}

}  // namespace orrery
