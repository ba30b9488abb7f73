// SPDX-License-Identifier: Apache-2.0
#include "exchange/megatron/megatron.h"

#include <algorithm>

#include "core/error.h"
#include "core/modules.h"
#include "core/units.h"
#include "exchange/arguments.h"
#include "exchange/megatron/names.h"
#include "exchange/text_lines.h"
#include "parallel/strategy.h"

namespace orrery::megatron {
namespace {

constexpr std::string_view kBegin = "- arguments -";
constexpr std::string_view kEnd = "- end of arguments -";
constexpr std::string_view kVariables[] = {"WORLD_SIZE"};

// "None", "True", "8", "['core_attn', 'mlp']", "torch.bfloat16" as Python prints them.
Json python_value(std::string_view text) {
  if (text == "True") return true;
  if (text == "False") return false;
  const bool list = text.size() >= 2 && text.front() == '[' && text.back() == ']' &&
                    text.find('*') == std::string_view::npos;
  if (!list) return std::string(text);
  Json values = Json::array();
  for (std::string_view field : fields_of(text.substr(1, text.size() - 2), ',')) {
    const bool quoted = field.size() >= 2 && (field.front() == '\'' || field.front() == '"');
    if (quoted) field = field.substr(1, field.size() - 2);
    if (!field.empty()) values.push_back(std::string(field));
  }
  return values.empty() ? Json("None") : values;
}

// "  tensor_model_parallel_size ...................... 8", whatever the log puts before it.
void add_line(std::string_view line, Settings& settings) {
  const std::size_t dots = line.find(" ...");
  if (dots == std::string_view::npos) return;
  const std::size_t start = line.find_last_of(" \t", dots == 0 ? 0 : dots - 1);
  const std::string name(line.substr(start == std::string_view::npos ? 0 : start + 1,
                                     dots - (start == std::string_view::npos ? 0 : start + 1)));
  const std::size_t value = line.find_first_not_of('.', dots + 1);
  if (value == std::string_view::npos || name.empty()) return;
  const std::size_t first = line.find_first_not_of(' ', value);
  const std::string_view text = first == std::string_view::npos ? "" : line.substr(first);
  if (text.empty() || text == "None") return;
  settings.add({name, name, python_value(text)});
}

Settings settings_of_log(std::string_view text, const std::string& file) {
  Settings settings(file);
  const std::size_t begin = text.find(kBegin);
  for (const std::string_view line : lines_of(text.substr(begin + kBegin.size()))) {
    if (line.find(kEnd) != std::string_view::npos) break;
    add_line(line, settings);
  }
  return settings;
}

bool is_log(std::string_view text) { return text.find(kBegin) != std::string_view::npos; }

bool given_name(ImportDraft& d, std::string_view name) {
  const auto word = d.settings.text(name);
  return word && *word != "None";
}

void precision(ImportDraft& d) {
  const bool bf16 = d.is_on("bf16");
  const bool fp16 = d.is_on("fp16");
  d.settings.take("params_dtype");
  std::string word = bf16 ? "bf16" : fp16 ? "fp16" : "fp32";
  if (!bf16 && !fp16) d.note("training.precision", "fp32", "without --bf16 and --fp16");
  const bool fp8 = given_name(d, "fp8_format") || given_name(d, "fp8");
  const auto recipe = d.settings.text("fp8_recipe");
  if (fp8) word = recipe == "mxfp8" ? "mxfp8" : "fp8";
  const bool fp4 = given_name(d, "fp4_format") || given_name(d, "fp4");
  d.settings.take("fp4_recipe");
  if (fp4) word = "nvfp4";
  d.set("training.precision", word);
}

// bf16 always accumulates in fp32 there; fp16 where it is told to, and otherwise the fp32 copy of
// the gradients is the optimizer's.
std::string_view usual_states(ImportDraft& d) {
  const bool wide = d.is_on("accumulate_allreduce_grads_in_fp32");
  if (wide || d.at("training.precision") != "fp16") return kFp32Gradients;
  d.note("training.states", std::string(kFp16Gradients),
         "fp16 without --accumulate-allreduce-grads-in-fp32");
  return kFp16Gradients;
}

void states(ImportDraft& d) {
  d.settings.take("accumulate_allreduce_grads_in_fp32");
  constexpr std::array<std::string_view, 2> kOptimizers = {"adam", "sgd"};
  if (d.settings.choice("optimizer", kOptimizers).value_or(0) == 1)
    return d.set("training.optimizer", "sgd");
  const bool half = d.at("training.precision") != "fp32";
  const auto dtype = [&](std::string_view name) {
    return d.settings.text(name).value_or("fp32").find("bf16") != std::string::npos;
  };
  const bool gradients = dtype("main_grads_dtype");
  const bool moments = dtype("exp_avg_dtype");
  const bool second = dtype("exp_avg_sq_dtype");
  d.settings.take("use_precision_aware_optimizer");
  if (moments != second || (gradients && moments)) {
    d.not_understood("--main-grads-dtype, --exp-avg-dtype, --exp-avg-sq-dtype",
                     "no recipe has these together; --set training.states={…}");
  }
  d.set("training.states", !half       ? "fp32-adam-16"
                           : gradients ? "adam-mixed-16"
                           : moments   ? "bf16-moments"
                                       : std::string(usual_states(d)));
}

void attention(ImportDraft& d) {
  constexpr std::array<std::string_view, 5> kBackends = {"auto", "flash", "fused", "unfused",
                                                         "local"};
  std::optional<std::size_t> backend;
  if (const auto word = d.settings.text("attention_backend")) {
    // A log has "AttnBackend.flash".
    const std::string last = word->substr(word->find('.') + 1);
    const auto found = std::find(kBackends.begin(), kBackends.end(), last);
    if (found == kBackends.end())
      d.settings.refuse("attention_backend", "auto, flash, fused, unfused or local");
    backend = static_cast<std::size_t>(found - kBackends.begin());
  }
  const bool flash = d.is_on("use_flash_attn");
  const bool local = d.settings.text("transformer_impl") == "local";
  const bool fused = backend ? *backend < 3 : flash || !local;
  d.set("training.flash_attention", fused);
  if (!backend && !flash) {
    d.note("training.flash_attention", fused ? "true" : "false", "Transformer Engine's choice");
  }
}

void tokens(ImportDraft& d) {
  const auto samples = d.settings.count("train_samples", 1);
  const auto steps = d.settings.count("train_iters", 1);
  const auto length = d.at("training.sequence_length");
  const auto batch = d.at("training.global_batch");
  if (length.is_null() || (!samples && (!steps || batch.is_null()))) return;
  const double sequences =
      samples ? static_cast<double>(*samples) : static_cast<double>(*steps) * batch.get<double>();
  const double tokens = sequences * length.get<double>();
  if (tokens < 9e15) d.set("training.tokens", static_cast<std::int64_t>(tokens));
}

// A launcher's value, which may also be "gpu" or "1:4".
std::optional<std::int64_t> launched(ImportDraft& d, std::string_view name) {
  const auto word = d.settings.text(name);
  if (!word) return {};
  if (parse_number(*word)) return d.settings.count(name, 1, kMostDegree);
  d.not_understood("--" + std::string(name) + " " + *word, "no number; --gpus says how many");
  return {};
}

// A log and the launcher know how many GPUs there are.
void world(ImportDraft& d) {
  auto world = d.settings.count("world_size", 1);
  if (const auto variable = d.settings.count("WORLD_SIZE", 1)) world = variable;
  const auto per_node = launched(d, "nproc_per_node");
  const auto nodes = launched(d, "nnodes");
  const bool counted = nodes || !d.settings.has("nnodes");
  if (!world && per_node && counted) world = *per_node * nodes.value_or(1);
  const auto dp = d.settings.count("data_parallel_size", 1);
  if (!world) return;
  d.set("cluster.gpus", *world);
  const std::int64_t others =
      d.count_at("parallel.tp", 1) * d.count_at("parallel.pp", 1) * d.count_at("parallel.cp", 1);
  if (dp && *dp * others != *world) {
    d.settings.refuse("data_parallel_size",
                      std::to_string(*dp) + ", world size " + std::to_string(*world),
                      "world size over tp x pp x cp");
  }
}

void context(ImportDraft& d) {
  const auto words = d.settings.words("cp_comm_type");
  if (!words || d.count_at("parallel.cp", 1) == 1) return;
  const auto found = std::find(kContextTypes.begin(), kContextTypes.end(), words->front());
  if (words->size() != 1 || found == kContextTypes.end()) {
    d.not_understood("--cp-comm-type", "p2p, allgather or a2a for all layers");
    return;
  }
  d.set(
      "parallel.cp_type",
      std::string(kNamesOf<ContextType>[static_cast<std::size_t>(found - kContextTypes.begin())]));
}

void dispatcher(ImportDraft& d) {
  const auto type = d.settings.choice("moe_token_dispatcher_type", kDispatchers);
  if (d.at("model.num_local_experts").is_null()) return;
  if (type && *type < 2) {
    d.set("parallel.framework_options.dispatcher", std::string(kDispatchers[*type]));
  } else {
    d.not_understood("--moe-token-dispatcher-type allgather",
                     "Megatron's default; the profile's dispatcher is used");
  }
}

void sharding(ImportDraft& d) {
  const bool fsdp =
      d.is_on("use_megatron_fsdp") || d.is_on("use_custom_fsdp") || d.is_on("use_torch_fsdp2");
  const auto strategy = d.settings.choice("data_parallel_sharding_strategy", kSharding);
  const bool optimizer = d.is_on("use_distributed_optimizer");
  const std::int64_t otherwise = optimizer ? 1 : 0;
  const std::int64_t zero = fsdp ? static_cast<std::int64_t>(strategy.value_or(3)) : otherwise;
  d.set("parallel.zero", zero);
  if (!optimizer && !fsdp) d.note("parallel.zero", "0", "without --use-distributed-optimizer");
}

// A switch that is not given is off; of what the run does not have nothing is said.
void switches(ImportDraft& d) {
  read_rows_of(kSwitchRows, d.settings, d.out.run);
  d.assume("parallel.framework_options.overlap_grad_reduce", false,
           "without --overlap-grad-reduce");
  if (d.count_at("parallel.zero", 0) > 0) {
    d.assume("parallel.framework_options.overlap_param_gather", false,
             "without --overlap-param-gather");
  }
  if (d.count_at("parallel.tp", 1) > 1) {
    d.assume("parallel.framework_options.tp_comm_overlap", false, "without --tp-comm-overlap");
  }
}

void read_modules(ImportDraft& d) {
  Json known = Json::array();
  for (const std::string& name :
       d.settings.words("recompute_modules").value_or(std::vector<std::string>{"core_attn"})) {
    if (find_name<Module>(name)) {
      known.push_back(name);
    } else {
      d.not_understood("--recompute-modules " + name, "no module of ours");
    }
  }
  d.set("parallel.recompute_modules", known);
}

void recompute(ImportDraft& d) {
  const auto granularity = d.settings.choice("recompute_granularity", kGranularities);
  const bool old_name = d.is_on("recompute_activations");
  const auto method = d.settings.choice("recompute_method", kNamesOf<RecomputeMethod>);
  const auto layers = d.settings.count("recompute_num_layers", 1);
  if (granularity == std::size_t{0} || (!granularity && old_name)) {
    d.set("parallel.recompute", "selective");
    return read_modules(d);
  }
  d.set("parallel.recompute", granularity ? "full" : "none");
  if (!granularity) return d.note("parallel.recompute", "none", "without --recompute-granularity");
  const std::size_t how = method.value_or(0);
  // Uniform groups of one layer are every layer alone.
  if (how == 0 && layers.value_or(1) == 1) return;
  d.set("parallel.recompute_method", std::string(kNamesOf<RecomputeMethod>[how]));
  d.set("parallel.recompute_layers", layers.value_or(1));
}

void offload(ImportDraft& d) {
  const double fraction = d.settings.number("optimizer_offload_fraction", 0, 1).value_or(1);
  d.set("parallel.offload", {{"optimizer", "host"}, {"optimizer_fraction", fraction}});
}

}  // namespace

Settings read_settings(std::string_view text, const std::string& file) {
  if (is_log(text)) return settings_of_log(text, file);
  return settings_of_words(shell_words(text, file), file, kVariables);
}

ImportedRun import_run(std::string_view text, const std::string& file) {
  ImportDraft d{read_settings(text, file), kWithoutEffect};
  if (d.settings.all().empty()) {
    throw InputError(file, "", "no argument of Megatron-LM",
                     "a script, a list of --arguments, or a log that begins with them");
  }
  d.set_aside_unknown_values();
  read_model_of(d);
  read_training_of(d);
  read_parallel_of(d);
  d.assume("framework", "megatron-core", "Megatron-LM today; --framework takes another profile");
  d.list_leftovers();
  return std::move(d.out);
}

void read_training_of(ImportDraft& d) {
  read_rows_of(kTrainingRows, d.settings, d.out.run);
  precision(d);
  states(d);
  attention(d);
  tokens(d);
}

void read_parallel_of(ImportDraft& d) {
  read_rows_of(kParallelRows, d.settings, d.out.run);
  for (const char* path : {"parallel.tp", "parallel.pp", "parallel.cp", "parallel.ep"}) {
    d.assume(path, 1, "not given");
  }
  d.assume("parallel.sequence_parallel", false, "without --sequence-parallel");
  d.assume("training.micro_batch", 1, "not given");
  world(d);
  context(d);
  dispatcher(d);
  sharding(d);
  switches(d);
  read_layout_of(d);
  recompute(d);
  d.set("parallel.order", d.is_on("use_tp_pp_dp_mapping") ? "tp-cp-ep-pp-dp" : "tp-cp-ep-dp-pp");
  if (d.is_on("optimizer_cpu_offload")) offload(d);
}

}  // namespace orrery::megatron
