// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/log_settings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "exchange/logs/log_fields.h"
#include "exchange/text_lines.h"

namespace orrery::training_logs {
namespace {

struct SettingName {
  std::string_view name;  // as Megatron-LM lists its arguments
  std::string_view key;
};
constexpr std::array kSettings = {
    SettingName{"world_size", "cluster.gpus"},
    SettingName{"seq_length", "training.sequence_length"},
    SettingName{"global_batch_size", "training.global_batch"},
    SettingName{"micro_batch_size", "training.micro_batch"},
    SettingName{"tensor_model_parallel_size", "parallel.tp"},
    SettingName{"pipeline_model_parallel_size", "parallel.pp"},
    SettingName{"context_parallel_size", "parallel.cp"},
    SettingName{"expert_model_parallel_size", "parallel.ep"},
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

// A number of MLPerf's lines: "key": "global_batch_size", "value": 8
constexpr std::array kMlperfSettings = {
    SettingName{"\"global_batch_size\"", "training.global_batch"},
    SettingName{"\"max_sequence_length\"", "training.sequence_length"},
};

// "  seq_length ......................... 4096"
void read_arguments(std::string_view line, std::vector<LoggedSetting>& settings) {
  const std::size_t dots = line.find(" ...");
  if (dots == std::string_view::npos) return;
  const std::size_t value = line.find_first_not_of(". ", dots);
  if (value == std::string_view::npos) return;
  const std::size_t blank = line.find_last_of(' ', dots - (dots > 0 ? 1 : 0));
  const std::size_t first = blank == std::string_view::npos || blank >= dots ? 0 : blank + 1;
  for (const SettingName& s : kSettings) {
    if (line.substr(first, dots - first) == s.name)
      take_setting(s.key, line.substr(value), settings);
  }
}

void read_mlperf(std::string_view line, std::vector<LoggedSetting>& settings) {
  constexpr std::string_view kValue = "\"value\":";
  for (const SettingName& s : kMlperfSettings) {
    const std::size_t at = line.find(kValue);
    if (contains(line, s.name) && at != std::string_view::npos)
      take_setting(s.key, line.substr(at + kValue.size()), settings);
  }
}

}  // namespace

std::int64_t batch_in(std::string_view line) {
  for (const std::string_view name : {"global batch size:", "global_batch_size:"}) {
    const std::size_t at = line.find(name);
    if (at == std::string_view::npos) continue;
    const auto x = leading_number(line.substr(at + name.size()));
    if (x && *x == std::floor(*x)) return static_cast<std::int64_t>(*x);
  }
  return 0;
}

std::vector<LoggedSetting> settings_in(const std::vector<std::string>& lines,
                                       std::string_view form) {
  std::vector<LoggedSetting> settings;
  const bool megatron = form == "Megatron-LM";
  for (const std::string& line : lines) {
    if (form == "MLPerf") read_mlperf(line, settings);
    const std::int64_t batch =
        megatron || form == "NeMo" || form == "nanotron" ? batch_in(line) : 0;
    if (batch > 0) put({"training.global_batch", batch}, settings);
    if (megatron) read_arguments(line, settings);
  }
  return settings;
}

}  // namespace orrery::training_logs
