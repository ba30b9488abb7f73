// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "core/json_path.h"
#include "estimate/resolve.h"
#include "exchange/arguments.h"
#include "exchange/torchtitan/names.h"
#include "exchange/torchtitan/torchtitan.h"

namespace orrery::torchtitan {
namespace {

struct Line {
  std::string table;
  std::string key;
  Json value;
};

class TorchtitanExport {
 public:
  explicit TorchtitanExport(const ResolvedRun& r) : r_(r) {}

  std::vector<Line> lines(bool tokens) {
    const Strategy& s = r_.run.strategy;
    add("training", "seq_len", r_.run.training.sequence);
    types();
    tokens ? batches_in_tokens() : batches();
    const std::int64_t shards = shards_of(s);
    add("parallelism", "data_parallel_replicate_degree", s.dp / shards);
    add("parallelism", "data_parallel_shard_degree", shards);
    add("parallelism", "tensor_parallel_degree", s.tp);
    add("parallelism", "context_parallel_degree", s.cp);
    if (s.cp > 1 && s.cp_type != ContextType::a2a) {
      add("parallelism", "context_parallel_rotate_method",
          s.cp_type == ContextType::all_gather ? "allgather" : "alltoall");
    }
    if (s.ep > 1) add("parallelism", "expert_parallel_degree", s.ep);
    if (s.ep > 1) add("parallelism", "expert_tensor_parallel_degree", s.etp);
    pipeline();
    const std::string reshard = option("reshard_after_forward");
    // FSDP's own profile says "false".
    if (reshard == "never" || reshard == "false")
      add("parallelism", "fsdp_reshard_after_forward", "never");
    if (reshard == "always") add("parallelism", "fsdp_reshard_after_forward", reshard);
    if (option("async_tp") == "true") add("parallelism", "enable_async_tensor_parallel", true);
    recompute();
    compile();
    converters();
    return std::move(lines_);
  }

 private:
  void add(const char* table, const char* key, Json value) {
    lines_.push_back({table, key, std::move(value)});
  }

  std::string option(const char* name) const {
    const Json& value = value_at(*r_.inputs, std::string("parallel.framework_options.") + name);
    return value.is_string() ? value.get<std::string>() : "";
  }

  // FSDP shards over data and context ranks together.
  static std::int64_t shards_of(const Strategy& s) {
    const std::int64_t n = s.partition.optimizer;
    if (n <= 1) return 1;
    return n % s.cp == 0 && s.dp % (n / s.cp) == 0 ? n / s.cp : s.dp;
  }

  void batches() {
    const Run& run = r_.run;
    const Strategy& s = run.strategy;
    const bool pipeline = s.pp > 1;
    add("training", "local_batch_size",
        s.micro_batch * (pipeline ? s.micro_batches / s.schedule_runs : 1));
    add("training", "global_batch_size", run.training.global_batch);
    if (pipeline) {
      add("parallelism", "pipeline_parallel_microbatch_size", s.micro_batch);
    }
  }

  void batches_in_tokens() {
    const Run& run = r_.run;
    add("training", "num_tokens_per_microbatch_per_dp_rank",
        run.strategy.micro_batch * run.training.sequence);
    add("training", "num_tokens_per_train_step", run.training.global_batch * run.training.sequence);
  }

  void pipeline() {
    const Strategy& s = r_.run.strategy;
    add("parallelism", "pipeline_parallel_degree", s.pp);
    const std::string_view ours = name_of(s.schedule);
    for (const ScheduleName& name : kSchedules) {
      if (s.pp > 1 && name.ours == ours) {
        add("parallelism", "pipeline_parallel_schedule", std::string(name.theirs));
      }
    }
    if (s.pp == 1 || s.listed_stages || s.layer_split != LayerSplit::even) return;
    add("parallelism", "pipeline_parallel_first_stage_less_layers", 0);
    add("parallelism", "pipeline_parallel_last_stage_less_layers", 0);
  }

  // n, if even chunks checkpoint as many layers as every n-th would be; else 0.
  std::int64_t checkpointed_every() const {
    const Strategy& s = r_.run.strategy;
    const std::int64_t layers = r_.run.model.layers;
    const bool block = s.recompute == Recompute::full &&
                       s.recompute_method == RecomputeMethod::block && s.recompute_layers > 0;
    const bool even = !s.listed_stages && (s.pp == 1 || s.layer_split == LayerSplit::even);
    if (!block || !even || layers % (s.pp * s.vpp) != 0) return 0;
    return one_in(s.recompute_layers, layers / (s.pp * s.vpp));
  }

  void recompute() {
    const Strategy& s = r_.run.strategy;
    if (const std::int64_t every = checkpointed_every(); every > 0) {
      add("activation_checkpoint", "mode", "selective");
      return add("activation_checkpoint", "selective_ac_option", std::to_string(every));
    }
    add("activation_checkpoint", "mode", std::string(name_of(s.recompute)));
    if (s.recompute == Recompute::selective) {
      add("activation_checkpoint", "selective_ac_option", "op");
    }
  }

  void compile() {
    const bool on = option("compile") == "true";
    add("compile", "enable", on);
    if (on) {
      add("compile", "components",
          option("compile_loss") == "true" ? Json({"model", "loss"}) : Json({"model"}));
    }
  }

  // torchtitan converts linear layers only where its list of converters says so.
  void converters() {
    const Precision p = r_.run.training.precision;
    if (p == Precision::mxfp8) add("model", "converters", Json({"quantize.linear.mx"}));
    if (p != Precision::fp8) return;
    add("model", "converters", Json({"quantize.linear.float8"}));
    const char* table = "quantize.linear.float8";
    const std::string float8 = option("float8");
    add(table, "recipe_name", float8 == "rowwise" ? "rowwise" : "tensorwise");
    // Rows have scales of their own, with which FSDP gathers 16 bits.
    if (float8 != "rowwise") add(table, kGathersFloat8, float8 == "tensorwise");
  }

  // mixed_precision_reduce takes float32 alone (torchtitan @ b5bcd76), so no other is written.
  void types() {
    const Run& run = r_.run;
    const StateRecipe& states = run.training.recipe;
    if (run.training.precision == Precision::fp32)
      add("training", "mixed_precision_param", "float32");
    if (states.optimizer != 2 * states.weights) return;
    if (states.weights == 2) add("training", "dtype", "bfloat16");
    if (states.gradients == 0) add("optimizer", "early_step_in_backward", true);
  }

  const ResolvedRun& r_;
  std::vector<Line> lines_;
};

const ModelName* model_of(const ResolvedRun& r) {
  const auto found = std::find_if(kModels.begin(), kModels.end(),
                                  [&](const ModelName& m) { return m.full == r.model_name; });
  return found == kModels.end() ? nullptr : &*found;
}

std::string word(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& v : value) text += (text.empty() ? "" : " ") + word(v);
  return text;
}

}  // namespace

std::string export_toml(const ResolvedRun& resolved) {
  std::vector<Line> lines = TorchtitanExport(resolved).lines(false);
  if (const ModelName* m = model_of(resolved)) {
    lines.insert(lines.begin(), {{"model", "name", std::string(m->module)},
                                 {"model", "flavor", std::string(m->flavor)}});
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.table < b.table; });
  std::string text;
  std::string table;
  for (const Line& l : lines) {
    if (l.table != table) text += (text.empty() ? "[" : "\n[") + l.table + "]\n";
    table = l.table;
    text += l.key + " = " + l.value.dump() + "\n";
  }
  return text;
}

std::string export_arguments(const ResolvedRun& resolved) {
  ArgumentLines arguments(ArgumentLines::Style::as_is);
  arguments.start();
  const ModelName* m = model_of(resolved);
  if (m != nullptr && !m->config.empty()) {
    arguments.add("module", std::string(m->module));
    arguments.add("config", std::string(m->config));
  }
  std::string table;
  for (const Line& l : TorchtitanExport(resolved).lines(true)) {
    if (l.table != table) arguments.start();
    table = l.table;
    arguments.add(l.table + "." + l.key, word(l.value));
  }
  return "./run_train.sh" + arguments.text();
}

}  // namespace orrery::torchtitan
