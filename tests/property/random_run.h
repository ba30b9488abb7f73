// SPDX-License-Identifier: Apache-2.0
//
// Legal runs at random: every shipped model, node and framework, with strategies, precisions, state
// recipes and recompute of every kind, from a seeded generator.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "estimate/framework_document.h"
#include "estimate/run.h"
#include "property/random_cluster.h"
#include "support/runs.h"

namespace orrery::testing {

inline std::vector<std::string> shipped_names(const std::string& folder) {
  std::vector<std::string> names;
  const std::string path = std::string(ORRERY_CONFIG_DIR) + "/" + folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

template <class T>
const T& pick(Dice& dice, const std::vector<T>& from) {
  return from[static_cast<std::size_t>(
      dice.integer(0, static_cast<std::int64_t>(from.size()) - 1))];
}

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv).
inline std::uint64_t hash_of(const std::string& text, std::uint64_t salt) {
  std::uint64_t h = 0xcbf29ce484222325ULL ^ salt;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h ^ (h >> 29U);
}

// One of the named: that whose name hashes highest with the draw. A document more takes its share
// of the draws and leaves all others as they were.
template <class T>
const std::pair<std::string, T>& pick_named(Dice& dice,
                                            const std::vector<std::pair<std::string, T>>& from) {
  const auto salt =
      static_cast<std::uint64_t>(dice.integer(0, std::int64_t{1} << 40U)) * 0x9e3779b97f4a7c15ULL;
  return *std::max_element(from.begin(), from.end(), [&](const auto& a, const auto& b) {
    return hash_of(a.first, salt) < hash_of(b.first, salt);
  });
}

// The documents for random runs, read once.
class Shelf {
 public:
  Shelf() : lookup_(shipped_configs()) {
    const auto load = [](const std::string& folder, auto&& add) {
      for (const std::string& name : shipped_names(folder)) {
        const std::optional<ConfigText> found = shipped_config(folder, name);
        add(parse_json(found->text, found->file), name);
      }
    };
    load("models", [this](const Json& json, const std::string& name) {
      // Text decoders: the changes below are of their keys.
      if (json.contains("trunk") || json.contains("config")) return;
      models.push_back({name, read_model(json, name).architecture});
    });
    load("frameworks", [this](const Json& json, const std::string& name) {
      frameworks.push_back(
          {name, read_framework(with_inherited(json, name, lookup_), name, Json::object(), "", "")
                     .framework});
      // Resolving a run file finds the interval; these runs are made without one.
      frameworks.back().second.level.interval_low = 0.8;
      frameworks.back().second.level.interval_high = 1.25;
      // The level of a stack is a factor on the closed form's whole step; the simulator has none.
      frameworks.back().second.level.factor = 1;
    });
    load("hardware/nodes", [this](const Json& json, const std::string& name) {
      nodes_.push_back({name, json});
    });
  }

  // A random node, as a cluster of `gpus`.
  Cluster cluster(Dice& dice, std::int64_t gpus) {
    const auto& [name, json] = pick_named(dice, nodes_);
    const auto key = std::make_pair(name, gpus);
    const auto known = clusters_.find(key);
    if (known != clusters_.end()) return known->second;
    return clusters_[key] = read_node(json, name, gpus, lookup_.hardware).cluster;
  }

  std::vector<std::pair<std::string, Architecture>> models;
  std::vector<std::pair<std::string, Framework>> frameworks;

 private:
  ConfigLookup lookup_;
  std::vector<std::pair<std::string, Json>> nodes_;
  std::map<std::pair<std::string, std::int64_t>, Cluster> clusters_;
};

// Schedules that are written out step by step, those of files apart.
inline const std::vector<ScheduleId>& written_out() {
  static const std::vector<ScheduleId> all = [] {
    std::vector<ScheduleId> ids;
    for (std::size_t i = 0; i < kNamedSchedules; ++i) {
      const auto id = static_cast<ScheduleId>(i);
      if (schedule_of(id).written_out) ids.push_back(id);
    }
    return ids;
  }();
  return all;
}

class RunMaker {
 public:
  RunMaker(Shelf& shelf, std::uint64_t seed) : shelf_(shelf), dice_(seed) {}

  Run legal() {
    for (;;) {
      Run run = any();
      if (is_legal(run)) return run;
    }
  }

  Dice& dice() { return dice_; }
  // The parts of the last run, for messages.
  const std::string& label() const { return label_; }

 private:
  std::int64_t power(std::int64_t highest) { return std::int64_t{1} << dice_.integer(0, highest); }

  Run any() {
    Run run;
    const auto& [model, architecture] = pick_named(dice_, shelf_.models);
    const auto& [framework, profile] = pick_named(dice_, shelf_.frameworks);
    run.model = architecture;
    run.framework = profile;
    Strategy& s = run.strategy;
    degrees(run.model, s);
    run.cluster = shelf_.cluster(dice_, world_size(s));
    training(run);
    sharding(s);
    recompute(run.model, s);
    offload(s);
    run.model_flops = model_flops(run.model, run.convention,
                                  {run.training.sequence, run.training.global_batch, nullptr, {}});
    label_ = model + " " + framework + " " + std::string(run.cluster.node.view());
    return run;
  }

  void degrees(const Architecture& a, Strategy& s) {
    s.tp = power(3);
    s.cp = dice_.chance(0.3) ? power(2) : 1;
    s.pp = dice_.chance(0.5) ? dice_.integer(1, 12) : 1;
    s.dp = dice_.integer(1, 12);
    if (s.pp > 1 && dice_.chance(0.4)) s.vpp = dice_.integer(2, 4);
    if (is_moe(a)) {
      s.ep = power(4);
      s.etp = dice_.chance(0.5) ? s.tp : power(2);
    }
    s.cp_type = static_cast<ContextType>(dice_.integer(0, 2));
    s.sequence_parallel = s.tp > 1 && (is_moe(a) || dice_.chance(0.5));
    s.schedule = s.vpp > 1           ? ScheduleId::interleaved
                 : dice_.chance(0.2) ? ScheduleId::gpipe
                                     : ScheduleId::one_f_one_b;
    s.micro_batch = dice_.integer(1, 4);
    s.micro_batches = s.vpp > 1 ? s.pp * dice_.integer(1, 4) : dice_.integer(1, 24);
    if (s.pp > 1 && dice_.chance(0.3)) split_backward(s);
    run_again(s);
  }

  // Every third strategy that may runs its schedule twice; no draw, so that others stay as they
  // are.
  void run_again(Strategy& s) {
    if (s.pp == 1 || s.schedule == ScheduleId::dualpipe || s.micro_batches % 3 != 1) return;
    s.micro_batches *= 2;
    s.schedule_runs = 2;
  }

  // A schedule whose backward is two steps, with micro batches that it takes.
  void split_backward(Strategy& s) {
    s.schedule = pick(dice_, written_out());
    if (s.schedule == ScheduleId::dualpipe) s.pp += s.pp % 2;
    s.vpp = schedule_of(s.schedule).chunks == ChunksTaken::two ? 2 : 1;
    s.micro_batches =
        schedule_of(s.schedule).pairs ? 2 * s.pp + 2 * dice_.integer(0, 6) : dice_.integer(1, 24);
    s.post_validation = schedule_of(s.schedule).zero_bubble && dice_.chance(0.7);
  }

  void training(Run& run) {
    Training& t = run.training;
    t.sequence = std::int64_t{256} << dice_.integer(0, 6);
    t.global_batch = run.strategy.dp * run.strategy.micro_batch * run.strategy.micro_batches;
    do {
      t.precision = static_cast<Precision>(dice_.integer(0, kCountOf<Precision> - 1));
    } while (!has_precision(run.cluster.device, t.precision));
    t.recipe = kRecipes[static_cast<std::size_t>(dice_.integer(0, kRecipes.size() - 1))].recipe;
    t.fused_attention = dice_.chance(0.7);
  }

  void sharding(Strategy& s) {
    const std::int64_t ranks = s.dp * s.cp;
    s.zero = dice_.integer(0, 3);
    std::int64_t group = ranks;
    if (dice_.chance(0.2)) {
      group = dice_.integer(1, ranks);
      while (ranks % group != 0) --group;
    }
    s.partition = partition_of(s.zero, group);
    if (dice_.chance(0.3)) s.zeropp = zeropp(s.partition);
  }

  ZeroPlusPlus zeropp(const Partition& p) {
    ZeroPlusPlus z;
    if (p.weights > 1 && dice_.chance(0.5)) z.qwz = dice_.integer(1, 16);
    if (p.weights > 1 && dice_.chance(0.5)) {
      z.hpz = dice_.integer(2, p.weights);
      while (p.weights % z.hpz != 0) ++z.hpz;
    }
    if (p.optimizer > 1 && dice_.chance(0.5)) z.qgz = dice_.integer(1, 16);
    return z;
  }

  void recompute(const Architecture& a, Strategy& s) {
    s.recompute = static_cast<Recompute>(dice_.integer(0, 2));
    if (s.recompute == Recompute::selective) {
      s.recompute_modules = static_cast<ModuleMask>(dice_.integer(1, (1 << kCountOf<Module>)-1));
      const ModuleMask of_experts = mask_of(Module::moe, Module::moe_act);
      const ModuleMask of_latent = mask_of(Module::mla_up_proj);
      if (!is_moe(a)) s.recompute_modules &= static_cast<ModuleMask>(~of_experts);
      if (a.attention != AttentionKind::kLatent) {
        s.recompute_modules &= static_cast<ModuleMask>(~of_latent);
      }
    }
    if (s.recompute == Recompute::full && dice_.chance(0.5)) {
      s.recompute_layers = dice_.integer(1, 8);
      s.recompute_method = static_cast<RecomputeMethod>(dice_.integer(0, 1));
    }
  }

  void offload(Strategy& s) {
    if (!dice_.chance(0.2)) return;
    const auto target = [this] { return static_cast<OffloadTarget>(dice_.integer(0, 2)); };
    s.offload = {target(), target(), target(), dice_.real(0, 1)};
  }

  Shelf& shelf_;
  Dice dice_;
  std::string label_;
};

// A run as one line, for the message of a check that failed.
inline std::string describe(const Run& run, const std::string& label) {
  const Strategy& s = run.strategy;
  std::string text = label;
  const auto add = [&text](const char* name, std::int64_t n) {
    text += std::string(" ") + name + " " + std::to_string(n);
  };
  add("tp", s.tp), add("pp", s.pp), add("vpp", s.vpp), add("cp", s.cp), add("ep", s.ep);
  add("etp", s.etp), add("dp", s.dp), add("b", s.micro_batch), add("m", s.micro_batches);
  add("s", run.training.sequence), add("sp", s.sequence_parallel ? 1 : 0);
  add("weights", s.partition.weights), add("gradients", s.partition.gradients);
  add("optimizer", s.partition.optimizer);
  add("qwz", s.zeropp.qwz), add("hpz", s.zeropp.hpz), add("qgz", s.zeropp.qgz);
  add("recompute", static_cast<int>(s.recompute));
  add("modules", s.recompute_modules), add("layers", s.recompute_layers);
  add("method", static_cast<int>(s.recompute_method)), add("cp_type", static_cast<int>(s.cp_type));
  add("schedule", static_cast<int>(s.schedule));
  add("precision", static_cast<int>(run.training.precision));
  add("fused", run.training.fused_attention ? 1 : 0);
  add("offload", static_cast<int>(s.offload.optimizer)),
      add("", static_cast<int>(s.offload.parameters));
  add("", static_cast<int>(s.offload.activations));
  return text;
}

}  // namespace orrery::testing
