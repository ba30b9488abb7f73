// SPDX-License-Identifier: Apache-2.0
#include "insight/settings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/json_in.h"
#include "core/key_words.h"
#include "document/words.h"
#include "estimate/least_recompute.h"
#include "estimate/resolve.h"
#include "estimate/run.h"
#include "estimate/run_keys.h"
#include "estimate/training_keys.h"
#include "parallel/strategy.h"
#include "parallel/strategy_json.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

std::string value_text(std::int64_t value) { return std::to_string(value); }
std::string value_text(bool value) { return value ? "true" : "false"; }
template <class E>
requires std::is_enum_v<E> std::string value_text(E value) { return std::string(name_of(value)); }

template <auto Member, class T>
void note(std::vector<Setting>& list, const T& from, const T& to) {
  if (from.*Member != to.*Member) list.push_back({key_path<Member>, value_text(to.*Member)});
}

template <auto Member>
bool says(const std::vector<std::string>& keys) {
  return std::find(keys.begin(), keys.end(), key_name<Member>) != keys.end();
}

// Keys of the run file that the change leaves without a meaning.
class KeysLeftOver {
 public:
  KeysLeftOver(const std::vector<std::string>& keys, std::vector<Setting>& list)
      : keys_(keys), list_(list) {}

  void of_recompute(const Strategy& a, const Strategy& b) {
    if (recompute_choice(a) == recompute_choice(b)) return;
    if (a.recompute == b.recompute) {
      list_.push_back({key_path<&Strategy::recompute>, std::string(name_of(b.recompute))});
      take_away<&StrategyRequest::recompute_layers>();
      take_away<&StrategyRequest::recompute_method>();
      return;
    }
    if (b.recompute != Recompute::selective) take_away<&StrategyRequest::recompute_modules>();
    if (b.recompute != Recompute::full) {
      take_away<&StrategyRequest::recompute_layers>();
      take_away<&StrategyRequest::recompute_method>();
    }
  }

  void of_sharding(const Strategy& a, const Strategy& b) {
    if (a.partition == b.partition) return;
    if (b.zero > 0 && b.partition != partition_of(b.zero, dense_replicas(b))) {
      take_away<&StrategyRequest::partition>();
      list_.push_back(
          {key_path<&StrategyRequest::zero_shard_group>, std::to_string(b.partition.optimizer)});
      return;
    }
    if (says<&StrategyRequest::partition>(keys_)) {
      take_away<&StrategyRequest::partition>();
      if (a.zero == b.zero) list_.push_back({key_path<&Strategy::zero>, std::to_string(b.zero)});
    }
    if (says<&StrategyRequest::zero_shard_group>(keys_) && b.zero > 0) {
      list_.push_back({key_path<&StrategyRequest::zero_shard_group>, std::to_string(b.dp * b.cp)});
    } else {
      take_away<&StrategyRequest::zero_shard_group>();
    }
  }

 private:
  template <auto Member>
  void take_away() {
    if (says<Member>(keys_)) list_.push_back({key_path<Member>, "null"});
  }

  const std::vector<std::string>& keys_;
  std::vector<Setting>& list_;
};

// The flag of a key that has one; else "".
std::string flag_of(const std::string& path) {
  static const std::map<std::string, std::string> flags = [] {
    std::map<std::string, std::string> all;
    for (const KeyLine& line : key_lines(kRunKeys)) {
      if (*line.key->flag.name != 0) all[line.path] = line.key->flag.name;
    }
    return all;
  }();
  const auto found = flags.find(path);
  return found == flags.end() ? "" : found->second;
}

bool has_flags(const std::string& path) {
  return path.empty() || path == key_name<&RunRequest::cluster> ||
         path == key_name<&RunRequest::training> || path == kStrategyKeys.path;
}

// The text that a command line reads back as this value: text that is JSON too stands in quotes.
std::string typed_value(const Json& value) {
  if (value.is_number_float()) return typed_number(value);
  if (!value.is_string()) return value.dump();
  const std::string text = value.get<std::string>();
  return json_in(text) ? value.dump() : text;
}

void add_settings(const std::string& path, const Json& from, const Json& to,
                  std::vector<Setting>& list) {
  const std::string before = path.empty() ? "" : path + ".";
  for (const auto& [key, value] : to.items()) {
    const Json old = from.contains(key) ? from.at(key) : Json();
    if (from.contains(key) && old == value) continue;
    const bool goes_in =
        value.is_object() && (old.is_object() || (old.is_null() && has_flags(before + key)));
    if (goes_in) {
      add_settings(before + key, old.is_object() ? old : Json::object(), value, list);
    } else {
      list.push_back({before + key, typed_value(value)});
    }
  }
  for (const auto& [key, value] : from.items()) {
    if (!to.contains(key)) list.push_back({before + key, "null"});
  }
}

}  // namespace

std::string typed_number(const Json& value) {
  constexpr double kExact = 0x1p53;
  const double x = value.get<double>();
  const bool is_whole = x == std::floor(x) && std::abs(x) < kExact;
  return is_whole ? std::to_string(static_cast<std::int64_t>(x)) : brief(value);
}

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string file_as_typed(const std::string& file) {
  return file == "standard input" ? "-" : quoted(file);
}

std::string typed(const std::vector<Setting>& settings) {
  std::vector<std::string> parts;
  for (const Setting& s : settings) {
    const std::string flag = s.value == "null" ? "" : flag_of(s.path);
    parts.push_back(flag.empty() ? "--set " + quoted(s.path + "=" + s.value)
                                 : flag + " " + quoted(s.value));
  }
  return joined(parts, " ");
}

namespace {

constexpr const char* kGlobalBatch = key_path<&TrainingRequest::global_batch>;

bool has_setting(const std::vector<Setting>& settings, std::string_view path) {
  return std::any_of(settings.begin(), settings.end(),
                     [&](const Setting& s) { return s.path == path; });
}

bool changes_replicas(const std::vector<Setting>& settings) {
  constexpr std::array kDegrees = {key_path<&ClusterRequest::gpus>, key_path<&StrategyRequest::tp>,
                                   key_path<&StrategyRequest::pp>, key_path<&StrategyRequest::cp>,
                                   key_path<&StrategyRequest::dp>};
  return std::any_of(kDegrees.begin(), kDegrees.end(),
                     [&](const char* path) { return has_setting(settings, path); });
}

}  // namespace

std::string typed_with(const TypedRun& run, const std::vector<Setting>& more) {
  std::vector<Setting> all = run.settings;
  for (const Setting& s : more) {
    std::erase_if(all, [&](const Setting& old) { return old.path == s.path; });
    if (s.value != "null" || !run.name.empty()) all.push_back(s);
  }
  const bool counts_gpus = std::any_of(more.begin(), more.end(), [](const Setting& s) {
    return s.path == key_path<&ClusterRequest::gpus>;
  });
  if (run.batch > 0 && changes_replicas(more) && !has_setting(all, kGlobalBatch))
    all.push_back({kGlobalBatch, std::to_string(run.batch)});
  std::vector<std::string> words = {run.name, typed(all), counts_gpus ? "" : run.nodes};
  std::erase(words, "");
  return joined(words, " ");
}

std::vector<Setting> settings_between(const Json& from, const Json& to) {
  std::vector<Setting> list;
  add_settings("", from, to, list);
  return list;
}

std::vector<Setting> differences(const Run& from, const Run& to,
                                 const std::vector<std::string>& parallel_keys) {
  const Strategy& a = from.strategy;
  const Strategy& b = to.strategy;
  std::vector<Setting> list;
  KeysLeftOver left_over(parallel_keys, list);
  note<&Strategy::tp>(list, a, b);
  note<&Strategy::pp>(list, a, b);
  note<&Strategy::vpp>(list, a, b);
  note<&Strategy::cp>(list, a, b);
  if (is_moe(from.model) && says<&Strategy::etp>(parallel_keys)) note<&Strategy::etp>(list, a, b);
  if (says<&Strategy::dp>(parallel_keys)) note<&Strategy::dp>(list, a, b);
  if (a.micro_batch != b.micro_batch) {
    list.push_back({key_path<&TrainingRequest::micro_batch>, std::to_string(b.micro_batch)});
  }
  if (says<&Strategy::schedule>(parallel_keys)) note<&Strategy::schedule>(list, a, b);
  note<&Strategy::schedule_runs>(list, a, b);
  note<&Strategy::recompute>(list, a, b);
  left_over.of_recompute(a, b);
  note<&Strategy::zero>(list, a, b);
  left_over.of_sharding(a, b);
  note<&Strategy::sequence_parallel>(list, a, b);
  // The file's own word counts again once there are ranks to split a sequence over.
  const bool comes_alive =
      a.tp == 1 && b.tp > 1 && says<&Strategy::sequence_parallel>(parallel_keys);
  if (comes_alive && !b.sequence_parallel) {
    list.push_back({key_path<&Strategy::sequence_parallel>, "false"});
  }
  note<&Training::fused_attention>(list, from.training, to.training);
  note<&Offload::optimizer>(list, a.offload, b.offload);
  note<&Offload::parameters>(list, a.offload, b.offload);
  note<&Offload::activations>(list, a.offload, b.offload);
  return list;
}

std::vector<Setting> chosen_recompute(const ResolvedRun& r) {
  std::vector<Setting> settings;
  if (!r.recompute_open) return settings;
  for (const Fact& f : recompute_facts(r.run, {})) settings.push_back({f.path, f.value});
  return settings;
}

}  // namespace orrery
