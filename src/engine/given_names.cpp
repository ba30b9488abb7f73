// SPDX-License-Identifier: Apache-2.0
#include "engine/given_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "core/units.h"
#include "document/words.h"
#include "engine/near_names.h"
#include "estimate/rl_keys.h"
#include "estimate/run_keys.h"
#include "exchange/hub_names.h"
#include "hardware/cluster_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kNode = key_path<&ClusterRequest::node>;
constexpr const char* kRolloutNode = key_path<&RolloutRequest::node>;
constexpr const char* kAlgorithm = key_path<&RlRequest::algorithm>;
constexpr const char* kGpusOfCluster = key_path<&ClusterRequest::gpus>;
constexpr const char* kGpusOfNode = "devices_per_node";
constexpr const char* kPerNode = "cluster.devices_per_node";
constexpr const char* kTiersOfCluster = "cluster.tiers";
constexpr const char* kOptimizerOfRun = key_path<&TrainingRequest::optimizer>;

constexpr std::array<std::string_view, 12> kSilentWords = {
    "nvidia", "geforce", "tesla",      "amd",   "instinct", "gpus",
    "gpu",    "nodes",   "generation", "hbm3e", "hbm3",     "hbm2e"};

// Letters and digits alone, small, without a maker's name.
std::string plain_name(const std::string& text) {
  std::string plain;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) continue;
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const std::string_view word : kSilentWords) {
    const std::size_t at = plain.find(word);
    if (at != std::string::npos && plain.size() > word.size()) plain.erase(at, word.size());
  }
  return plain;
}

// A card's name without the memory in it: "NVIDIA A100-SXM4-80GB" is a100sxm with 80 GB.
struct CardName {
  std::string plain;
  double gb = 0;  // 0: none in it
};

bool is_memory(std::string_view word) {
  const std::size_t digits = word.find_first_not_of("0123456789");
  if (digits == 0 || digits > 3 || digits == std::string_view::npos) return false;
  const std::string_view unit = word.substr(digits);
  return unit == "gb" || unit == "g" || unit == "gib";
}

CardName card_name(const std::string& text) {
  CardName card;
  std::string all, word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (card.gb == 0 && is_memory(word)) {
      card.gb = std::stod(word);
    } else {
      const bool has_socket = word.size() == 4 && word.starts_with("sxm");  // sxm2 to sxm5
      all += (has_socket ? "sxm" : word) + " ";
    }
    word.clear();
  }
  card.plain = plain_name(all);
  return card;
}

struct NamesRow {
  std::string ours;
  std::string why;
  std::vector<std::string> by_gpus;  // of a node: ours with 1, 2, … GPUs, the fewest first
  KeptJson defaults;                 // of a framework: the tool's own, by key
  std::int64_t cores = 0;            // of a chip, where a slice is named by them; 0: no slices
};

NamesRow names_row(const Json& row, const char* key) {
  NamesRow r{row[key].get<std::string>(), row["why"].get<std::string>(), {}, {}, 0};
  r.defaults = KeptJson(value_at(row, "defaults"));
  const Json& cores = value_at(row, "cores");
  if (cores.is_number_integer()) r.cores = cores.get<std::int64_t>();
  for (const Json& node : value_at(row, "by_gpus")) r.by_gpus.push_back(node.get<std::string>());
  return r;
}

// The row of configs/names.json under `list` that has the name; its value is at `key`.
std::optional<NamesRow> row_of(const ConfigLookup& lookup, const char* list, const char* key,
                               const std::string& name) {
  const auto text = lookup.names ? lookup.names() : std::nullopt;
  if (!text) return {};
  const std::string wanted = plain_name(name);
  const Json document = parse_json(text->text, text->file);
  for (const Json& row : value_at(document, list)) {
    for (const Json& known : row["names"]) {
      if (plain_name(known.get<std::string>()) == wanted) return names_row(row, key);
    }
  }
  return {};
}

Json node_document(const ConfigLookup& lookup, const std::string& name) {
  const auto found = lookup.hardware.find(HardwareKind::node, name);
  return found ? parse_json(found->text, found->file) : Json();
}

// True of a node whose device has about so much memory; drivers keep some of it.
bool has_memory(const ConfigLookup& lookup, const std::string& node, double gb) {
  constexpr double kKept = 0.07;  // [judgement]; 81,251 of 81,920 MiB are left of an A100's
  const Json whole = node_document(lookup, node);
  const Json& device = value_at(whole, "device");
  if (!device.is_string()) return false;
  const auto found = lookup.hardware.find(HardwareKind::device, device.get<std::string>());
  if (!found) return false;
  const Json document = parse_json(found->text, found->file);
  const Json& capacity = value_at(document, "memory_capacity");
  if (!capacity.is_string()) return false;
  const auto bytes = parse_quantity(capacity.get<std::string>(), kBytes);
  return bytes && std::abs(*bytes / kGiB.si() / gb - 1) <= kKept;
}

// The node of a card by a name with its memory or its socket, as drivers print it; one of ours in
// another spelling.
std::optional<NamesRow> card_row(const ConfigLookup& lookup, const std::string& name) {
  const CardName wanted = card_name(name);
  const auto fits = [&](const std::string& known, const std::string& node) {
    const CardName card = card_name(known);
    if (card.plain != wanted.plain) return false;
    return wanted.gb == card.gb || (card.gb == 0 && has_memory(lookup, node, wanted.gb));
  };
  const auto text = lookup.names ? lookup.names() : std::nullopt;
  if (!text) return {};
  const Json document = parse_json(text->text, text->file);
  for (const Json& row : value_at(document, "nodes")) {
    for (const Json& known : row["names"]) {
      if (fits(known.get<std::string>(), row["node"].get<std::string>()))
        return names_row(row, "node");
    }
  }
  for (const std::string& node : lookup.hardware.names(HardwareKind::node)) {
    if (fits(node, node)) return NamesRow{node, "of the same name", {}, {}, 0};
  }
  return {};
}

void replace(const char* path, const std::string& name, const NamesRow& row, Json& run,
             std::vector<Fact>& facts) {
  set_at(run, path, row.ours);
  facts.push_back({path, row.ours, row.why, Known::derived, kNameOf + name});
}

// A text at the path that no document has.
std::optional<std::string> open_name(
    const Json& run, const char* path,
    const std::function<std::optional<ConfigText>(const std::string&)>& find) {
  const Json& value = value_at(run, path);
  if (!value.is_string()) return {};
  std::string name = value.get<std::string>();
  if (name.empty() || find(name)) return {};
  return name;
}

// "Qwen/Qwen3-32B" of "https://huggingface.co/Qwen/Qwen3-32B/tree/main"; "" of another text.
std::string hub_name(const std::string& name) {
  std::string rest = name;
  for (const char* hub : {"https://huggingface.co/", "huggingface.co/", "hf://",
                          "https://modelscope.cn/models/", "https://www.modelscope.cn/models/"}) {
    if (rest.starts_with(hub)) rest.erase(0, std::string_view(hub).size());
  }
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos || slash == 0 || rest.front() == '.') return "";
  const std::size_t second = rest.find('/', slash + 1);
  if (second != std::string::npos && rest == name) return "";  // a path of folders
  rest = rest.substr(0, second);
  return rest.ends_with(".json") || rest.ends_with(".yaml") ? "" : rest;
}

[[noreturn]] void refuse_hub_name(const std::string& file, const std::string& name,
                                  const std::string& hub, const ConfigLookup& lookup) {
  const std::string word = hub.substr(hub.find('/') + 1);
  throw InputError(ErrorCode::unknown_name, file, key_path<&RunRequest::model>,
                   "\"" + name + "\", of which no shipped model is",
                   "its config.json by path (huggingface.co/" + hub +
                       "/raw/main/config.json), or a name of `orrery list models`",
                   nearest_name(plain_name(word), lookup.model_names()));
}

void take_model_name(const ConfigLookup& lookup, const std::string& file, Json& run,
                     std::vector<Fact>& facts) {
  constexpr const char* kModelOfRun = key_path<&RunRequest::model>;
  const auto name = open_name(run, kModelOfRun, lookup.model);
  if (!name) return;
  const std::string hub = hub_name(*name);
  const std::string packed = quantised_base(*name);
  if (!packed.empty() && !hub.empty()) {
    throw InputError(file, kModelOfRun,
                     "\"" + *name + "\", weights that are packed (" + packed + ")",
                     "the name of the model without it, with --qlora RANK to train beside weights "
                     "of 4 bits");
  }
  const std::string ours = shipped_model(*name);
  if (!ours.empty()) {
    replace(kModelOfRun, *name, {ours, "of the same dimensions", {}, {}, 0}, run, facts);
  } else if (!hub.empty()) {
    refuse_hub_name(file, *name, hub, lookup);
  } else if (const auto family = of_same_family(*name, lookup.model_names()); !family.empty()) {
    throw InputError(ErrorCode::unknown_name, file, kModelOfRun, "\"" + *name + "\"",
                     alternatives(family) + ", or another of `orrery list models`",
                     nearest_name(*name, family));
  }
}

// Any of the keys that say how states are spread: one of them answers for all.
constexpr std::array kSharding = {key_path<&StrategyRequest::zero>,
                                  key_path<&StrategyRequest::partition>,
                                  key_path<&StrategyRequest::zero_shard_group>};

bool is_given(const Json& run, const std::string& path) {
  const auto is = [&](const char* key) { return !value_at(run, key).is_null(); };
  const bool of_sharding = std::find(kSharding.begin(), kSharding.end(), path) != kSharding.end();
  return of_sharding ? std::any_of(kSharding.begin(), kSharding.end(), is) : is(path.c_str());
}

// A default `with` a key is taken where that key is open, `with` a key's value where the key is
// open or has that value, `beside` a key where that key is given.
bool is_taken(const Json& run, const Json& entry) {
  const Json& beside = value_at(entry, "beside");
  if (beside.is_string() && !is_given(run, beside.get<std::string>())) return false;
  const Json& with = value_at(entry, "with");
  if (with.is_string()) return !is_given(run, with.get<std::string>());
  for (const auto& [path, value] : with.items()) {
    if (is_given(run, path) && value_at(run, path.c_str()) != value) return false;
  }
  return true;
}

// Values that the tool takes where nobody gives them: its profile is that of several tools.
void take_defaults(const std::string& tool, const NamesRow& row, Json& run,
                   std::vector<Fact>& facts) {
  const Json& defaults = *row.defaults;
  if (!defaults.is_object()) return;
  const Json given = run;
  for (const auto& [path, entry] : defaults.items()) {
    if (is_given(given, path) || !is_taken(given, entry)) continue;
    const Json& value = entry.is_object() ? entry.at("value") : entry;
    set_at(run, path, value);
    // `alone`: the tool runs no other value, so that no search frees it.
    const bool is_alone = value_at(entry, "alone") == true;
    facts.push_back(
        {path, bare_text(value), row.why, is_alone ? Known::derived : Known::tool_default, tool});
  }
}

void take_row(const ConfigLookup& lookup, const char* path, const char* list, const char* key,
              const std::optional<std::string>& name, Json& run, std::vector<Fact>& facts) {
  if (!name) return;
  const auto row = row_of(lookup, list, key, *name);
  if (!row) return;
  replace(path, *name, *row, run, facts);
  // An optimizer's defaults wait for the framework.
  if (path != std::string_view(kOptimizerOfRun)) take_defaults(*name, *row, run, facts);
}

// The run's profile, or one that it begins with, has the option's value.
bool has_option(const ConfigLookup& lookup, const Json& framework, const std::string& option,
                const std::string& value) {
  constexpr int kMostBases = 8;
  Json at = framework;
  for (int i = 0; i < kMostBases && !at.is_null(); ++i) {
    Json profile = at;
    if (at.is_string()) {
      const auto found = lookup.framework(at.get<std::string>());
      if (!found) return false;
      profile = parse_json(found->text, found->file);
    }
    if (!value_at(profile, "options." + option + ".values." + value).is_null()) return true;
    at = value_at(profile, "inherits");
  }
  return false;
}

// Options of a framework that an optimizer's name sets; one that the profile lacks is named.
void take_optimizer_options(const ConfigLookup& lookup, Json& run, std::vector<Fact>& facts) {
  constexpr std::string_view kOptions = "parallel.framework_options.";
  const auto named = std::find_if(facts.rbegin(), facts.rend(), [](const Fact& f) {
    return f.path == kOptimizerOfRun && f.where.starts_with(kNameOf);
  });
  if (named == facts.rend()) return;
  const std::string name = named->where.substr(std::string_view(kNameOf).size());
  const auto row = row_of(lookup, "optimizers", "optimizer", name);
  if (!row || !row->defaults->is_object()) return;
  for (const auto& [path, value] : row->defaults->items()) {
    if (is_given(run, path)) continue;
    const std::string option = path.substr(kOptions.size());
    if (has_option(lookup, value_at(run, key_path<&RunRequest::framework>), option,
                   bare_text(value))) {
      set_at(run, path, value);
      facts.push_back({path, bare_text(value), row->why, Known::derived, kNameOf + name});
    } else {
      facts.push_back(
          {path, "not " + bare_text(value),
           "the framework's profile has no such optimizer: its states stay on the device",
           Known::derived, kNameOf + name});
    }
  }
}

// "Megatron-LM" of megatron-lm.
void take_framework(const ConfigLookup& lookup, Json& run, std::vector<Fact>& facts) {
  constexpr const char* kFrameworkOfRun = key_path<&RunRequest::framework>;
  const auto name = open_name(run, kFrameworkOfRun, lookup.framework);
  if (!name) return;
  for (const std::string& ours : lookup.framework_names()) {
    if (plain_name(ours) != plain_name(*name)) continue;
    return replace(kFrameworkOfRun, *name, {ours, "the profile of that name", {}, {}, 0}, run,
                   facts);
  }
  take_row(lookup, kFrameworkOfRun, "frameworks", "framework", name, run, facts);
}

std::optional<std::string> unknown_optimizer(const Json& run) {
  const Json& value = value_at(run, kOptimizerOfRun);
  if (!value.is_string() || find_name<Optimizer>(value.get<std::string>())) return {};
  return value.get<std::string>();
}

constexpr std::int64_t kMostCounted = 1'000'000;
constexpr std::int64_t kMostInNode = 1'000;  // of "1x7900XTX" the second number is a name's

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// A whole number that the text begins with, and an "x", "×" or blank behind it; 0 where there is
// none. "4090" is a name.
std::int64_t leading_count(std::string& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == 0 || end > 6 || end == text.size()) return 0;
  std::size_t next = end;
  while (next < text.size() && text[next] == ' ') ++next;
  const bool blank = next > end;
  const std::string_view rest = std::string_view(text).substr(next);
  const std::size_t sign = rest.starts_with("×")                            ? 2
                           : rest.starts_with('x') || rest.starts_with('*') ? 1
                                                                            : 0;
  if (sign == 0 && !blank) return 0;
  const std::int64_t n = std::stoll(text.substr(0, end));
  std::size_t begin = next + sign;
  while (begin < text.size() && text[begin] == ' ') ++begin;
  text.erase(0, begin);
  return n;
}

// "h100x8", "h100:8": a count behind the name, where none stands before it.
bool take_trailing_count(CountedName& counted) {
  const std::size_t sign = counted.name.find_last_not_of("0123456789");
  if (counted.per_node > 0 || sign == std::string::npos || sign == 0) return false;
  const std::string digits = counted.name.substr(sign + 1);
  const char c = counted.name[sign];
  if (digits.empty() || digits.size() > 3 || (c != 'x' && c != ':' && c != '*')) return false;
  counted.per_node = std::stoll(digits);
  counted.name.erase(sign);
  return counted.per_node > 0;
}

// Chips of the end of a slice's name: "128" cores, or "4x4x8" chips; 0 for another text.
std::int64_t chips_of(const std::string& end, std::int64_t cores) {
  std::int64_t product = 1;
  std::int64_t number = 0;
  bool is_shape = false;
  for (const char c : end + "x") {
    if (is_digit(c) && number < kMostCounted) {
      number = 10 * number + (c - '0');
    } else if (c == 'x' && number > 0 && product < kMostCounted) {
      is_shape = is_shape || product > 1;
      product *= std::exchange(number, 0);
    } else {
      return 0;
    }
  }
  if (is_shape) return product;
  return product % cores == 0 ? product / cores : 0;
}

// "v5p-128", "v5litepod-16", "v4-2x2x4" as Google Cloud names slices of TPUs.
std::optional<NamesRow> slice_row(const ConfigLookup& lookup, CountedName& counted) {
  const std::size_t dash = counted.name.rfind('-');
  if (dash == std::string::npos) return {};
  const auto row = row_of(lookup, "nodes", "node", counted.name.substr(0, dash));
  if (!row || row->cores == 0) return {};
  const std::int64_t chips = chips_of(counted.name.substr(dash + 1), row->cores);
  if (chips == 0) return {};
  if (counted.per_node > 0) counted.nodes = counted.per_node;
  counted.per_node = chips;
  return row;
}

bool drop_word(std::string& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.erase(0, word.size());
  while (!text.empty() && text.front() == ' ') text.erase(0, 1);
  return true;
}

std::int64_t whole_at(const Json& run, const char* path) {
  const Json& value = value_at(run, path);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

// The name of the innermost tier that is larger than so many GPUs; "" where none is.
std::string larger_tier(const Json& node, std::int64_t gpus) {
  for (const Json& tier : value_at(node, "tiers")) {
    const Json& size = value_at(tier, "size");
    if (size.is_number_integer() && size.get<std::int64_t>() > gpus)
      return value_at(tier, "name").get<std::string>();
  }
  return "";
}

bool has_tier_of(const Json& node, std::int64_t gpus) {
  const Json& tiers = value_at(node, "tiers");
  return std::any_of(tiers.begin(), tiers.end(),
                     [&](const Json& tier) { return value_at(tier, "size") == gpus; });
}

// Changes by name, as the run has them, over tiers that the part keeps.
void change_tiers(const std::string& file, const Json& changes, Json& tiers) {
  std::vector<std::string> names;
  for (const Json& tier : tiers) names.push_back(value_at(tier, "name").get<std::string>());
  for (const auto& [name, change] : changes.items()) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      throw InputError(ErrorCode::unknown_name, file, std::string(kTiersOfCluster) + "." + name,
                       "no such tier", "tiers of this part of a node: " + alternatives(names));
    }
    tiers[static_cast<std::size_t>(at - names.begin())].merge_patch(change);
  }
}

// The part of a node that is one of its inner tiers, or one GPU, reaches others by the tiers beyond
// the node: those without a size.
void keep_tiers_of_part(const std::string& file, const Json& node, std::int64_t gpus, Json& run,
                        std::vector<Fact>& facts) {
  Json kept = Json::array();
  for (const Json& tier : value_at(node, "tiers")) {
    const Json& size = value_at(tier, "size");
    if (!size.is_null() && size.get<std::int64_t>() > gpus) continue;
    kept.push_back(tier);
    if (size == gpus) kept.back().erase("block");  // it joins the whole part
  }
  if (kept.empty()) return;
  const Json changes = value_at(run, kTiersOfCluster);
  if (changes.is_object()) change_tiers(file, changes, kept);
  set_at(run, kTiersOfCluster, kept);
  const std::string part = counted(gpus, "GPU");
  facts.push_back(
      {kTiersOfCluster, gpus == 1 ? "those beyond the node" : "those up to " + part + " and beyond",
       "each node has " + part + " here", Known::derived, std::string(kNameOf) + part + " a node"});
}

// Nodes of which the run has so many GPUs. Its own changes of tiers stay.
void take_part_of_node(const std::string& file, const Json& node, std::int64_t gpus, Json& run,
                       std::vector<Fact>& facts) {
  set_at(run, kPerNode, gpus);
  if (gpus == 1 || has_tier_of(node, gpus)) return keep_tiers_of_part(file, node, gpus, run, facts);
  const std::string tier = larger_tier(node, gpus);
  if (tier.empty()) return;
  const std::string path = std::string(kTiersOfCluster) + "." + tier + ".size";
  if (!value_at(run, path).is_null()) return;
  set_at(run, path, gpus);
  facts.push_back({path, std::to_string(gpus), "the GPUs that each node has here", Known::derived,
                   kNameOf + std::to_string(gpus) + " GPUs a node"});
}

// The smallest of the nodes that a name may mean that has so many GPUs; else the largest.
void choose_by_gpus(const ConfigLookup& lookup, std::int64_t gpus, NamesRow& row) {
  for (const std::string& node : row.by_gpus) {
    row.ours = node;
    if (whole_at(node_document(lookup, node), kGpusOfNode) >= gpus) return;
  }
}

// "16xA10": the counts tell a node's name from a path.
[[noreturn]] void refuse_node_name(const ConfigLookup& lookup, const std::string& file,
                                   const char* path, const std::string& text,
                                   const std::string& name) {
  std::vector<std::string> known = lookup.hardware.names(HardwareKind::node);
  if (const auto names = lookup.names ? lookup.names() : std::nullopt) {
    const Json document = parse_json(names->text, names->file);
    for (const Json& row : value_at(document, "nodes")) {
      for (const Json& other : row["names"]) known.push_back(other.get<std::string>());
    }
  }
  if (name.find(',') != std::string::npos) {
    throw InputError(file, path, "\"" + text + "\", several kinds of node",
                     "one of them, or `cluster.groups` of a run file (docs/mixed.md)");
  }
  throw InputError(ErrorCode::unknown_name, file, path, "\"" + text + "\", and no node of " + name,
                   "a number and a GPU or a node of `orrery list nodes`, as 8xA100; or one of your "
                   "own, a file by path (docs/run-file.md, \"Hardware of your own\")",
                   nearest_by_number(name, known));
}

[[noreturn]] void refuse_counts(const std::string& file, std::int64_t gpus, std::int64_t nodes) {
  throw InputError(ErrorCode::conflict, file, kGpusOfCluster,
                   std::to_string(gpus) + " GPUs in " + std::to_string(nodes) + " nodes",
                   "a multiple of the nodes");
}

[[noreturn]] void refuse_product(const std::string& file, std::int64_t gpus,
                                 const CountedName& counted) {
  throw InputError(ErrorCode::conflict, file, kGpusOfCluster,
                   std::to_string(gpus) + " GPUs beside " + std::to_string(counted.nodes) +
                       " nodes of " + std::to_string(counted.per_node),
                   std::to_string(counted.nodes * counted.per_node) + ", or other counts");
}

// GRPO is grpo.
void take_algorithm(Json& run) {
  const Json& given = value_at(run, kAlgorithm);
  if (!given.is_string()) return;
  std::string small = given.get<std::string>();
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (small != given.get<std::string>()) set_at(run, kAlgorithm, small);
}

// The node that generates; GPUs that a name counts are those of placement.rollout_gpus.
void take_rollout_node(const ConfigLookup& lookup, const std::string& file, Json& run,
                       std::vector<Fact>& facts) {
  const auto find = [&](const std::string& name) -> std::optional<ConfigText> {
    const auto found = lookup.hardware.find(HardwareKind::node, name);
    return found ? std::optional(ConfigText{found->text, found->file}) : std::nullopt;
  };
  const auto name = open_name(run, kRolloutNode, find);
  if (!name) return;
  const CountedName counted = counted_name(*name);
  auto row = row_of(lookup, "nodes", "node", *name);
  if (!row) row = row_of(lookup, "nodes", "node", counted.name);
  if (!row && find(counted.name)) row = NamesRow{counted.name, "the node of that name", {}, {}, 0};
  if (!row) row = card_row(lookup, counted.name);
  if (!row) refuse_node_name(lookup, file, kRolloutNode, *name, counted.name);
  if (counted.per_node > 0) choose_by_gpus(lookup, counted.per_node, *row);
  replace(kRolloutNode, *name, *row, run, facts);
}

}  // namespace

CountedName counted_name(const std::string& text) {
  CountedName c;
  std::string rest;
  for (const char ch : text)
    rest += static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
  const std::int64_t first = leading_count(rest);
  const bool of_nodes = first > 0 && (drop_word(rest, "nodes of") || drop_word(rest, "node of") ||
                                      drop_word(rest, "nodes x") || drop_word(rest, "nodes"));
  std::string behind = rest;
  std::int64_t second = first > 0 ? leading_count(behind) : 0;
  if (!of_nodes && second > kMostInNode) second = 0;
  if (second > 0) rest = behind;
  c.nodes = of_nodes || second > 0 ? first : 0;
  c.per_node = of_nodes || second > 0 ? second : first;
  c.name = rest;
  return c;
}

void take_names(const ConfigLookup& lookup, const std::string& file, Json& run,
                std::vector<Fact>& facts) {
  if (!run.is_object()) return;
  take_algorithm(run);
  take_model_name(lookup, file, run, facts);
  take_framework(lookup, run, facts);
  take_row(lookup, kOptimizerOfRun, "optimizers", "optimizer", unknown_optimizer(run), run, facts);
}

void take_node(const ConfigLookup& lookup, const std::string& file,
               std::optional<std::int64_t> nodes, Json& run, std::vector<Fact>& facts) {
  take_optimizer_options(lookup, run, facts);
  const auto find = [&](const std::string& name) -> std::optional<ConfigText> {
    const auto found = lookup.hardware.find(HardwareKind::node, name);
    return found ? std::optional(ConfigText{found->text, found->file}) : std::nullopt;
  };
  take_rollout_node(lookup, file, run, facts);
  if (value_at(run, kNode).is_number_integer()) {  // --node 4090
    set_at(run, kNode, std::to_string(whole_at(run, kNode)));
  }
  CountedName counted;
  if (const auto name = open_name(run, kNode, find)) {
    counted = counted_name(*name);
    auto row = row_of(lookup, "nodes", "node", *name);
    if (row) counted = {*name, 0, 0};
    if (!row) row = row_of(lookup, "nodes", "node", counted.name);
    if (!row && find(counted.name)) row = NamesRow{counted.name, "so many of its GPUs", {}, {}, 0};
    if (!row) row = slice_row(lookup, counted);
    if (!row) row = card_row(lookup, counted.name);
    if (!row && take_trailing_count(counted)) {
      row = row_of(lookup, "nodes", "node", counted.name);
      if (!row) row = card_row(lookup, counted.name);
    }
    const bool has_gpus = nodes || whole_at(run, kGpusOfCluster) > 0;
    if (!row && (counted.per_node > 0 || !has_gpus))
      refuse_node_name(lookup, file, kNode, *name, counted.name);
    if (!row) return;
    if (counted.per_node > 0) choose_by_gpus(lookup, counted.per_node, *row);
    replace(kNode, *name, *row, run, facts);
  }
  if (nodes) counted.nodes = *nodes;
  const Json& named = value_at(run, kNode);
  const Json node = named.is_string() ? node_document(lookup, named.get<std::string>()) : Json();
  const std::int64_t whole = whole_at(node, kGpusOfNode);
  const bool shaped = value_at(run, kTiersOfCluster).is_array();
  const std::int64_t gpus = whole_at(run, kGpusOfCluster);
  if (counted.nodes > 0 && gpus > 0 && counted.per_node > 0 &&
      gpus != counted.nodes * counted.per_node)
    refuse_product(file, gpus, counted);
  if (counted.nodes > 0 && gpus > 0 && counted.per_node == 0) {
    if (gpus % counted.nodes != 0) refuse_counts(file, gpus, counted.nodes);
    counted.per_node = gpus / counted.nodes;
  }
  const std::int64_t given = whole_at(run, kPerNode);
  const std::int64_t each = given > 0 ? given : counted.per_node > 0 ? counted.per_node : whole;
  if (gpus == 0 && (counted.nodes > 0 || counted.per_node > 0) && each > 0)
    set_at(run, kGpusOfCluster, std::max<std::int64_t>(1, counted.nodes) * each);
  const bool is_part =
      each > 0 && each < whole && !shaped && (given > 0 || counted.nodes > 1 || gpus > each);
  if (is_part) take_part_of_node(file, node, each, run, facts);
}

namespace {

// One key of a run, once names are taken.
template <class Take>
std::string renamed(const char* path, const std::string& name, const Take& take) {
  Json run = Json::object();
  set_at(run, path, name);
  std::vector<Fact> facts;
  take(run, facts);
  return value_at(run, path).get<std::string>();
}

}  // namespace

std::string our_model_name(const ConfigLookup& lookup, const std::string& name) {
  return renamed(key_path<&RunRequest::model>, name, [&](Json& run, std::vector<Fact>& facts) {
    take_names(lookup, "orrery show model", run, facts);
  });
}

std::string our_node_name(const ConfigLookup& lookup, const std::string& name) {
  return renamed(kNode, name, [&](Json& run, std::vector<Fact>& facts) {
    take_node(lookup, "orrery show node", {}, run, facts);
  });
}

}  // namespace orrery
