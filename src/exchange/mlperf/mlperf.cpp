// SPDX-License-Identifier: Apache-2.0
#include "exchange/mlperf/mlperf.h"

#include <algorithm>
#include <cctype>

#include "core/units.h"
#include "exchange/hub_names.h"
#include "exchange/mlperf/names.h"
#include "exchange/shell/shell.h"
#include "exchange/text_lines.h"

namespace orrery::mlperf {
namespace {

constexpr const char* kCheckpoints = "ACT_CKPT_LAYERS";
constexpr const char* kLengths[] = {"MAX_SEQLEN", "SEQ_LENGTH", "SEQ_LEN"};

class Environment {
 public:
  Environment(const ShellVariables& variables, NamedSettings& out) : v_(variables), out_(out) {}

  void read() {
    for (const NamedPath& n : kNames) copy(n);
    precision();
    checkpoints();
    attention();
    world();
    batch();
    unread();
    const std::string size = shell_value(v_, "MODEL_SIZE");
    // The benchmark of 8 billion parameters is Llama 3.1's.
    out_.model = size == "8b" ? "llama-3-8b" : shipped_model(size);
    for (const auto& [name, values] : v_) {
      if (begins_with(name, "LORA_")) out_.adapter = benchmark_adapter();
    }
    if (!out_.adapter.is_null() && out_.model.empty()) out_.model = "llama-2-70b";
    const bool fixed = !out_.adapter.is_null() || begins_with(out_.model, "llama-3-");
    if (fixed && !has_length()) add("seq_length", "the benchmark's 8192 tokens", 8192);
  }

 private:
  // The rules of Llama 2 70B LoRA fix them: rank 16 on the fused qkv and the output projection.
  static Json benchmark_adapter() {
    return {{"kind", "lora"}, {"rank", 16}, {"targets", {"qkv", "output"}}, {"dropout", true}};
  }

  static bool is_on(const std::string& value) {
    return value == "True" || value == "true" || value == "1";
  }

  bool has_length() const {
    return std::any_of(std::begin(kLengths), std::end(kLengths),
                       [&](const char* name) { return number(name) > 0; });
  }

  void add(std::string_view name, std::string_view written, Json value) {
    out_.settings.add({std::string(name), std::string(written), std::move(value)});
  }

  void copy(const NamedPath& n) {
    const auto known = v_.find(n.path);
    if (known == v_.end()) return;
    const std::string value = shell_value(v_, n.path);
    if (value.empty() || value == "null" || value == "None") return;
    const bool none = n.name == "num_virtual_stages_per_pipeline_rank" && value == "0";
    if (!none) add(n.name, n.path, value);
  }

  // So many first layers of a stage; 0: none [from memory].
  void checkpoints() {
    const auto each = parse_number(shell_value(v_, "ACT_CKPT_NUM_LAYERS"));
    if (each && *each == 0 && shell_value(v_, "ACT_CKPT_GRANULARITY") != "selective") {
      for (const char* name : {"recompute_method", "recompute_num_layers"})
        out_.settings.remove(name);
      add("recompute_granularity", "ACT_CKPT_NUM_LAYERS", "none");
    }
    const auto layers = parse_number(shell_value(v_, kCheckpoints));
    if (!layers) return;
    add("recompute_granularity", kCheckpoints, *layers > 0 ? "full" : "none");
    if (*layers <= 0) return;
    add("recompute_method", kCheckpoints, "block");
    add("recompute_num_layers", kCheckpoints, static_cast<std::int64_t>(*layers));
  }

  // Transformer Engine's own switches: without both of its kernels attention is unfused.
  void attention() {
    const bool none =
        shell_value(v_, "NVTE_FLASH_ATTN") == "0" && shell_value(v_, "NVTE_FUSED_ATTN") == "0";
    if (none) add("attention_backend", "NVTE_FLASH_ATTN", "unfused");
  }

  // Variables that sound like memory or time, and that nobody asked for.
  void unread() {
    for (const auto& variable : v_) {
      const std::string& name = variable.first;
      std::string lower = name;
      for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      const bool read = std::any_of(kNames.begin(), kNames.end(),
                                    [&](const NamedPath& n) { return n.path == name; });
      const std::string value = shell_value(v_, name);
      const bool none = value.empty() || value == "0" || value == "False" || value == "None";
      if (read) continue;
      if (none || begins_with(name, "LORA_") || !moves_memory(lower)) {
        out_.without_effect.push_back(name);
        continue;
      }
      out_.left.push_back(
          {name + " " + value, "no variable of the benchmarks known here", "", true});
    }
  }

  static bool moves_memory(const std::string& lower) {
    constexpr std::string_view kParts[] = {"act_ckpt",
                                           "recompute",
                                           "checkpointing",
                                           "offload",
                                           "fsdp",
                                           "zero_stage",
                                           "shard",
                                           "num_layers",
                                           "expert_model",
                                           "parallel_size",
                                           "optimizer_instances",
                                           "comm_type",
                                           "layout",
                                           "hidden_size",
                                           "main_grads",
                                           "exp_avg",
                                           "rampup",
                                           "accumulation_step",
                                           "precision_aware",
                                           "grad_reduce_in"};
    return std::any_of(std::begin(kParts), std::end(kParts),
                       [&](std::string_view part) { return contains(lower, part); }) &&
           lower != "act_ckpt_layers" && !contains(lower, "_in_bf16");
  }

  void precision() {
    const std::string own = shell_value(v_, "FP8");
    const std::string fp8 = own.empty() ? shell_value(v_, "PRIMUS_FP8") : own;
    const std::string fp4 = shell_value(v_, "FP4");
    if (fp8.empty() && fp4.empty()) return;
    add("bf16", "FP8", true);
    if (is_on(fp8)) add("fp8_format", "FP8", "hybrid");
    if (is_on(fp4)) add("fp4_format", "FP4", "e2m1");
    const std::string recipe = shell_value(v_, "FP8_RECIPE");
    if (!recipe.empty()) add("fp8_recipe", "FP8_RECIPE", recipe);
  }

  double number(std::string_view name) const {
    return parse_number(shell_value(v_, name)).value_or(0);
  }

  void world() {
    const bool dgx = number("DGXNNODES") > 0;
    const double nodes = number(dgx ? "DGXNNODES" : "NNODES");
    const double per_node = number(number("DGXNGPU") > 0 ? "DGXNGPU" : "GPUS_PER_NODE");
    if (nodes > 0 && per_node > 0) {
      add("WORLD_SIZE", "DGXNNODES x DGXNGPU", nodes * per_node);
    } else if (dgx) {
      out_.left.push_back({"DGXNNODES " + shortest(nodes),
                           "of how many GPUs: DGXNGPU is not said; give --gpus", "cluster.gpus",
                           true});
    }
  }

  // Sequences of a replica and step, accumulated micro batch by micro batch.
  void batch() {
    const double replica = number("MINIBS");
    if (replica <= 0) return;
    add("batch_of_replica", "MINIBS", static_cast<std::int64_t>(replica));
  }

  const ShellVariables& v_;
  NamedSettings& out_;
};

}  // namespace

NamedSettings read_named(const std::vector<ForeignFile>& files, const ShellFiles& scripts) {
  NamedSettings out{Settings(files.front().name)};
  out.other_defaults = "the benchmark's scripts have the default; it is in none of the files";
  ShellVariables variables;
  std::vector<std::string> sourced;
  for (const ForeignFile& f : files) {
    ShellRun run = run_shell(f.text, f.name, std::move(variables), scripts);
    out.included.insert(out.included.end(), run.included.begin(), run.included.end());
    variables = std::move(run.variables);
    for (const std::string& s : run.sources) sourced.push_back(base_name(s));
  }
  Environment(variables, out).read();
  for (const std::string& s : sourced) {
    const bool given = std::any_of(files.begin(), files.end(), [&](const ForeignFile& f) {
      return base_name(f.name).find(s.substr(0, s.rfind('.'))) != std::string::npos;
    });
    if (!given)
      out.left.push_back({"source " + s, "is not given; what it sets is unknown", "", true});
  }
  return out;
}

}  // namespace orrery::mlperf
