// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/log_settings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/training_keys.h"
#include "exchange/logs/log_fields.h"
#include "exchange/text_lines.h"
#include "hardware/cluster_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery::training_logs {
namespace {

constexpr std::string_view kBatch = key_path<&TrainingRequest::global_batch>;
constexpr std::string_view kMicroBatch = key_path<&TrainingRequest::micro_batch>;
constexpr std::string_view kLength = key_path<&TrainingRequest::sequence_length>;

struct SettingName {
  std::string_view name;  // as Megatron-LM lists its arguments
  std::string_view key;
};
constexpr std::array kSettings = {
    SettingName{"world_size", key_path<&ClusterRequest::gpus>},
    SettingName{"seq_length", kLength},
    SettingName{"global_batch_size", kBatch},
    SettingName{"micro_batch_size", kMicroBatch},
    SettingName{"tensor_model_parallel_size", key_path<&StrategyRequest::tp>},
    SettingName{"pipeline_model_parallel_size", key_path<&StrategyRequest::pp>},
    SettingName{"context_parallel_size", key_path<&StrategyRequest::cp>},
    SettingName{"expert_model_parallel_size", key_path<&StrategyRequest::ep>},
};

// A number behind a marker, in a line that holds `beside` too.
struct LoggedName {
  std::string_view beside;
  std::string_view marker;
  std::string_view key;
};
constexpr std::string_view kDeepSpeed = ":print]";  // "[config.py:752:print]   name ...... value"
constexpr std::string_view kMesh = "device mesh with parallelism:";
constexpr std::array kLoggedNames = {
    LoggedName{kDeepSpeed, " train_batch_size ", kBatch},
    LoggedName{kDeepSpeed, " train_micro_batch_size_per_gpu ", kMicroBatch},
    LoggedName{"", "Total train batch size (w. parallel, distributed & accumulation) =", kBatch},
    LoggedName{"", "Instantaneous batch size per device =", kMicroBatch},
    LoggedName{"Unsloth", "Num GPUs =", key_path<&ClusterRequest::gpus>},  // Unsloth's banner
    LoggedName{"Unsloth", "Num GPUs used =", key_path<&ClusterRequest::gpus>},
    LoggedName{"Gradient", "Batch size per device =", kMicroBatch},
    LoggedName{"Total steps", "Total batch size =", kBatch},
    LoggedName{"Total batch size (", ") =", kBatch},
    LoggedName{"local batch size ", "global batch size ", kBatch},  // torchtitan's
    LoggedName{"local batch size ", "sequence length ", kLength},
    LoggedName{kMesh, " tp=", key_path<&StrategyRequest::tp>},
    LoggedName{kMesh, " pp=", key_path<&StrategyRequest::pp>},
    LoggedName{kMesh, " cp=", key_path<&StrategyRequest::cp>},
    LoggedName{kMesh, " ep=", key_path<&StrategyRequest::ep>},
    LoggedName{"\"global_batch_size\"", "\"value\":", kBatch},  // MLPerf's
    LoggedName{"\"max_sequence_length\"", "\"value\":", kLength},
    LoggedName{"", "Config param global_batch_size_to_train_on:", kBatch},  // MaxText's
    LoggedName{"", "Config param max_target_length:", kLength},
    LoggedName{"", "global_train_batch_size:", kBatch},              // LLM Foundry's
    LoggedName{"", "tokens per iteration will be:", kTokensOfStep},  // nanoGPT's
    LoggedName{"", "| sequence length T", kLength},                  // llm.c's
    LoggedName{", Latency:", ", Sequence Length:", kLength},         // DeepSpeed-Chat's
};

// Each key once, as the last line has it.
void put(const LoggedSetting& s, std::vector<LoggedSetting>& settings) {
  const auto at = std::find_if(settings.begin(), settings.end(),
                               [&](const LoggedSetting& known) { return known.key == s.key; });
  if (at == settings.end()) {
    settings.push_back(s);
  } else {
    *at = s;
  }
}

void take_setting(std::string_view key, std::string_view text,
                  std::vector<LoggedSetting>& settings) {
  const auto x = leading_number(text);
  if (x && *x == std::floor(*x)) put({key, static_cast<std::int64_t>(*x)}, settings);
}

void read_logged(std::string_view line, std::vector<LoggedSetting>& settings) {
  for (const LoggedName& s : kLoggedNames) {
    if (!contains(line, s.beside)) continue;
    const std::string_view text = behind(line, s.marker);
    const std::size_t value = text.find_first_not_of(" .|");
    if (value != std::string_view::npos) take_setting(s.key, text.substr(value), settings);
  }
}

// "  seq_length ......................... 4096"
void read_arguments(std::string_view line, std::vector<LoggedSetting>& settings) {
  const std::size_t dots = line.find(" ...");
  if (dots == std::string_view::npos || contains(line, kDeepSpeed)) return;
  const std::size_t value = line.find_first_not_of(". ", dots);
  if (value == std::string_view::npos) return;
  const std::size_t blank = line.find_last_of(' ', dots - (dots > 0 ? 1 : 0));
  const std::size_t first = blank == std::string_view::npos || blank >= dots ? 0 : blank + 1;
  for (const SettingName& s : kSettings) {
    if (line.substr(first, dots - first) == s.name)
      take_setting(s.key, line.substr(value), settings);
  }
}

// A line of YAML: "  name: value", of which a section has no value.
struct YamlLine {
  std::size_t indent = 0;
  std::string_view name;
  std::string_view value;
};

YamlLine yaml_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  const std::size_t colon = text.find(':');
  if (text.empty() || colon == std::string_view::npos) return {};
  return {line.find(text.front()), text.substr(0, colon), trimmed(text.substr(colon + 1))};
}

// Settings in YAML of a section that trains: other sections have the batch of a validation set.
void read_yaml(const std::vector<std::string>& lines, std::string_view section,
               std::vector<LoggedSetting>& settings) {
  std::vector<YamlLine> sections;
  for (const std::string& line : lines) {
    const YamlLine y = yaml_line(line);
    if (y.name.empty()) continue;
    while (!sections.empty() && sections.back().indent >= y.indent) sections.pop_back();
    const bool within = !sections.empty() && sections.back().name == section;
    for (const SettingName& s : kSettings) {
      if (within && s.name == y.name) take_setting(s.key, y.value, settings);
    }
    if (y.value.empty()) sections.push_back(y);
  }
}

// torchtune's "batch_size: 2" in the configuration that it prints: that of one GPU's pass.
void read_resolved(const std::vector<std::string>& lines, std::vector<LoggedSetting>& settings) {
  bool resolved = false;
  for (const std::string& line : lines) {
    resolved = resolved || contains(line, " with resolved config:");
    constexpr std::string_view kName = "batch_size:";
    if (resolved && begins_with(line, kName))
      take_setting(kMicroBatch, std::string_view(line).substr(kName.size()), settings);
  }
}

// Half of the last of three digits, to which nanotron rounds from 1,000 on.
std::int64_t rounded_by(double value) {
  constexpr double kThousand = 1e3;
  if (value < kThousand) return 0;
  return static_cast<std::int64_t>(std::pow(10.0, std::floor(std::log10(value)) - 2) / 2);
}

bool is_step(std::string_view line) {
  return std::any_of(kFields.begin(), kFields.end(), [&](const Field& f) {
    return is_speed(f.quantity) && value_in(line, f).has_value();
  });
}

}  // namespace

LoggedSetting step_batch(std::string_view line) {
  for (const std::string_view name : {"global batch size:", "global_batch_size:"}) {
    const std::string_view text = behind(line, name);
    const auto x = text.empty() ? std::nullopt : number_with_magnitude(text);
    if (!x || !is_step(line)) continue;
    const double whole = std::round(*x);
    const bool in_short = leading_number(text) != x;
    return {kBatch, static_cast<std::int64_t>(whole), in_short ? rounded_by(whole) : 0};
  }
  return {kBatch, 0};
}

std::vector<LoggedSetting> settings_in(const std::vector<std::string>& lines) {
  std::vector<LoggedSetting> settings;
  for (const std::string_view section : {"model", "train", "step_scheduler", "train_ds"}) {
    read_yaml(lines, section, settings);
  }
  read_resolved(lines, settings);
  for (const std::string& line : lines) {
    read_logged(line, settings);
    read_arguments(line, settings);
    if (const LoggedSetting s = step_batch(line); s.value > 0) put(s, settings);
  }
  return settings;
}

}  // namespace orrery::training_logs
