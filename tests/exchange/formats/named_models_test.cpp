// SPDX-License-Identifier: Apache-2.0
// Models that a file takes by their names or classes, and sections of NeMo's and Bridge's files.
#include <doctest/doctest.h>

#include "core/error.h"
#include "read_text.h"

namespace orrery {
namespace {

using namespace formats;  // NOLINT

const std::string kNemoSections =
    "optim:\n  config: {_target_: OptimizerConfig, use_distributed_optimizer: true, lr: 0.1}\n";

std::string nemo_two(const std::string& model, const std::string& strategy = "",
                     const std::string& more = kNemoSections, const std::string& trainer = "") {
  return "_target_: nemo.collections.llm.api.pretrain\n"
         "data: {global_batch_size: 64, micro_batch_size: 1, seq_length: 4096}\n"
         "model:\n  config:\n    _target_: nemo.collections.llm." +
         model +
         "\ntrainer:\n  devices: 8\n  num_nodes: 2\n"
         "  plugins: {_target_: MegatronMixedPrecision, precision: bf16-mixed}\n" +
         trainer +
         "  strategy:\n    _target_: MegatronStrategy\n    tensor_model_parallel_size: 2\n" +
         strategy + more;
}

ImportedRun looked_up(const std::string& text, const char* given = "{}") {
  static const ConfigLookup kLookup = testing::shipped_configs();
  return import_files({{{"a.yaml", text}}, {}, json_of(given), {}, &kLookup});
}

ImportedRun llama_class(const std::string& field) {
  return looked_up(nemo_two("llama.Llama3Config8B\n    " + field));
}

const std::string kNemoDimensions =
    "\n    num_layers: 24\n    hidden_size: 2048\n    ffn_hidden_size: 8192\n"
    "    num_attention_heads: 16\n    vocab_size: 50257\n    num_query_groups: 4";

}  // namespace

TEST_CASE("Fields that a model by name has otherwise leave the model open") {
  for (const char* field :
       {"num_query_groups: 32", "ffn_hidden_size: 28672", "vocab_size: 256000",
        "num_moe_experts: 8", "mtp_num_layers: 1", "qk_layernorm: true", "kv_channels: 64",
        "window_size: [4096, 0]", "num_attention_heads: 64", "add_bias_linear: true",
        "hidden_dropout: 0.1", "position_embedding_type: learned_absolute",
        "normalization: LayerNorm", "share_embeddings_and_output_weights: true", "num_layers: 2",
        "multi_latent_attention: true", "gated_linear_unit: false"}) {
    const ImportedRun r = llama_class(field);
    CAPTURE(field);
    CHECK((is_open(r, "model") || is_open(r, "model.hidden_act")));
  }
  for (const char* field :
       {"num_query_groups: 8", "ffn_hidden_size: 14336", "vocab_size: 128256", "kv_channels: 128",
        "add_bias_linear: false", "hidden_dropout: 0.0", "normalization: RMSNorm",
        "share_embeddings_and_output_weights: false", "num_layers: 32", "rotary_base: 500000",
        "gated_linear_unit: true", "max_position_embeddings: 8192"}) {
    CAPTURE(field);
    CHECK(at(llama_class(field), "model") == "llama-3-8b");
  }
  CHECK(!is_open(
      looked_up(nemo_two("llama.Llama3Config8B\n    num_layers: 2"), R"({"model": "llama-3-8b"})"),
      "model"));
}

TEST_CASE("Experts of a model by name are compared too") {
  const auto mixtral = [](const std::string& field) {
    return looked_up(nemo_two(
        "mixtral.MixtralConfig8x7B\n    moe_token_dispatcher_type: alltoall\n    " + field));
  };
  for (const char* field : {"num_moe_experts: 16", "moe_router_topk: 4", "moe_layer_freq: 2",
                            "moe_expert_capacity_factor: 1.25", "moe_ffn_hidden_size: 1024",
                            "moe_layer_freq: ([0]*2+[1]*30)"}) {
    CAPTURE(field);
    CHECK(is_open(mixtral(field), "model"));
  }
  for (const char* field : {"num_moe_experts: 8", "moe_router_topk: 2", "moe_layer_freq: 1",
                            "moe_ffn_hidden_size: 14336", "ffn_hidden_size: 14336"}) {
    CAPTURE(field);
    CHECK(at(mixtral(field), "model") == "mixtral-8x7b");
  }
  const ImportedRun r =
      looked_up(nemo_two("mixtral.MixtralConfig8x7B", "    expert_model_parallel_size: 4\n"));
  const auto dispatcher =
      std::find_if(r.not_understood.begin(), r.not_understood.end(),
                   [](const LeftOver& l) { return l.setting == "moe_token_dispatcher_type"; });
  REQUIRE(dispatcher != r.not_understood.end());
  CHECK(dispatcher->why.find("Megatron-LM's default") == std::string::npos);
}

TEST_CASE("Classes of NeMo 2 have their family's defaults, and unknown ones are open") {
  const ImportedRun r = looked_up(nemo_two("llama.LlamaConfig" + kNemoDimensions));
  CHECK(at(r, "model.hidden_act") == "swiglu");
  CHECK(at(r, "model.norm") == "rmsnorm");
  CHECK(at(r, "model.position_embedding") == "rope");
  CHECK(at(r, "model.dropout") == false);
  CHECK(at(r, "model.mlp_bias") == false);
  CHECK(at(r, "model.tie_word_embeddings") == false);
  CHECK(at(r, "model.num_key_value_heads") == 4);
  const ImportedRun gpt = looked_up(nemo_two("base.GPTConfig" + kNemoDimensions));
  CHECK(at(gpt, "model.hidden_act") == "gelu");
  CHECK(at(gpt, "model.num_key_value_heads") == 4);
  const ImportedRun qwen = looked_up(nemo_two("qwen2.Qwen2Config" + kNemoDimensions));
  CHECK(at(qwen, "model.attention_bias") == true);
  CHECK(at(qwen, "model.attention_output_bias") == false);
  CHECK(is_open(looked_up(nemo_two("x.FooConfig" + kNemoDimensions)), "model"));
}

TEST_CASE("Sections of an experiment of NeMo 2 are read or named") {
  const std::string model = "llama.Llama3Config8B";
  const auto optim = [&](const std::string& more) {
    return looked_up(nemo_two(
        model, "", "optim:\n  config:\n    use_distributed_optimizer: true\n    " + more + "\n"));
  };
  const ImportedRun offload =
      optim("optimizer_cpu_offload: true\n    optimizer_offload_fraction: 0.5");
  CHECK(at(offload, "parallel.offload.optimizer_fraction") == 0.5);
  const auto ddp = [&](const std::string& more) {
    return looked_up(nemo_two(model, "    ddp: {_target_: D, " + more + "}\n"));
  };
  CHECK(at(ddp("num_distributed_optimizer_instances: 2"), "parallel.zero_shard_group") == 4);
  const ImportedRun fsdp = looked_up(nemo_two(
      model,
      "    fsdp: megatron\n    ddp: {data_parallel_sharding_strategy: optim_grads_params}\n"));
  CHECK(at(fsdp, "parallel.zero") == 3);
  CHECK(is_open(looked_up(nemo_two(model, "    fsdp: megatron\n")), "parallel.zero"));
  CHECK(is_open(looked_up(nemo_two(model, "", "")), "parallel.zero"));
  const auto plugin = [&](const std::string& more) {
    std::string text = nemo_two(model);
    text.replace(text.find("bf16-mixed"), 10, "bf16-mixed, " + more);
    return looked_up(text);
  };
  CHECK(at(plugin("fp4: e2m1"), "training.precision") == "nvfp4");
  CHECK(at(plugin("fp8: hybrid, fp8_recipe: mxfp8"), "training.precision") == "mxfp8");
  CHECK(is_open(llama_class("fp8: hybrid"), "training.precision"));
  CHECK(at(llama_class("attention_backend: {_target_: AttnBackend, _args_: [unfused]}"),
           "training.flash_attention") == false);
}

TEST_CASE("Trainers, callbacks and data of NeMo 2 that change the run stop") {
  const auto trainer = [](const std::string& more) {
    return looked_up(nemo_two("llama.Llama3Config8B", "", kNemoSections, "  " + more + "\n"));
  };
  CHECK(stops_at(trainer("accelerator: cpu"), "trainer.accelerator cpu"));
  CHECK(stops_at(trainer("callbacks: [{_target_: x.MegatronTokenDropCallback}]"),
                 "trainer.callbacks MegatronTokenDropCallback"));
  const ImportedRun unknown = trainer("callbacks: [{_target_: x.MyCallback}]");
  CHECK(!stops_at(unknown, "trainer.callbacks"));
  CHECK(!unknown.not_understood.empty());
  CHECK(trainer("callbacks: [{_target_: x.TimingCallback}]").not_understood.empty());
  CHECK(stops_at(trainer("accumulate_grad_batches: 4"), "trainer.accumulate_grad_batches"));
  std::string text = nemo_two("llama.Llama3Config8B");
  CHECK(is_open(looked_up(std::string(text).replace(text.find("micro_batch_size: 1, "), 21, "")),
                "training.micro_batch"));
  CHECK(stops_at(looked_up(std::string(text).replace(text.find("api.pretrain"), 12, "api.distill")),
                 "_target_"));
}

namespace {

ImportedRun nemo_one(const std::string& model, const std::string& precision = "bf16") {
  return read("trainer: {num_nodes: 1, devices: 8, precision: " + precision +
              "}\nmodel:\n  encoder_seq_length: 2048\n  micro_batch_size: 1\n"
              "  global_batch_size: 8\n  tensor_model_parallel_size: 1\n" +
              model);
}

}  // namespace

TEST_CASE("Settings of NeMo 1 that say a thing twice or not at all are open") {
  CHECK(is_open(nemo_one(""), "training.states"));
  const std::string o2 = "  megatron_amp_O2: true\n";
  CHECK(!is_open(nemo_one(o2), "training.states"));
  CHECK(is_open(nemo_one(o2, "fp8"), "training.precision"));
  CHECK(is_open(nemo_one(o2, "64"), "training.precision"));
  CHECK(at(nemo_one(o2, "32"), "training.precision") == "fp32");
  CHECK(is_open(nemo_one(o2 + "  data: {seq_length: 4096}\n"), "training.sequence_length"));
  const std::string tuning =
      o2 + "  data: {train_ds: {micro_batch_size: 2, global_batch_size: 8}}\n";
  CHECK(is_open(nemo_one(tuning), "training.micro_batch"));
  CHECK(!is_open(nemo_one(tuning), "training.global_batch"));
  CHECK(is_open(nemo_one(o2 + "  optim: {name: distributed_fused_adam, distributed_size: 4}\n"),
                "parallel.zero_shard_group"));
  const std::string lora =
      o2 + "  peft:\n    peft_scheme: lora\n    lora_tuning: {adapter_dim: 16, ";
  CHECK(stops_at(nemo_one(lora + "layer_selection: [1, 2]}\n"),
                 "model.peft.lora_tuning.layer_selection"));
  CHECK(stops_at(nemo_one(lora + "weight_tying: true}\n"), "model.peft.lora_tuning.weight_tying"));
  CHECK(stops_at(nemo_one(lora + "variant: canonical}\n"), "model.peft.lora_tuning.variant"));
  CHECK(!stops_at(nemo_one(lora + "weight_tying: false, variant: nemo}\n"), "model.peft"));
  const ImportedRun experts = nemo_one(
      o2 +
      "  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n  num_moe_experts: 8\n"
      "  moe_layer_freq: 2\n");
  CHECK(at(experts, "model.moe_layer_freq") == 2);
}

TEST_CASE("Sections of Megatron-Bridge that differ leave the sharding open, and null is none") {
  const auto bridge = [](const std::string& more) {
    return read(
        "train: {global_batch_size: 8, micro_batch_size: 1}\nmodel:\n"
        "  tensor_model_parallel_size: 1\n  recompute_granularity: null\n" +
            more,
        kEight);
  };
  CHECK(is_open(bridge("ddp: {use_megatron_fsdp: true}\ndist: {use_megatron_fsdp: false}\n"),
                "parallel.zero"));
  CHECK(is_open(bridge("ddp: {use_distributed_optimizer: true}\n"
                       "optimizer: {use_distributed_optimizer: false}\n"),
                "parallel.zero"));
  const ImportedRun same = bridge(
      "ddp: {use_distributed_optimizer: true}\noptimizer: {use_distributed_optimizer: true}\n");
  CHECK(at(same, "parallel.zero") == 1);
  CHECK(at(same, "parallel.recompute") == "none");
  CHECK_THROWS_WITH(
      read("python setup_experiment.py --account a --model_name llama3 --num_gpus 8\n"),
      doctest::Contains("Megatron-Bridge"));
}

TEST_CASE("Sections of Automodel that were taken for harmless") {
  const auto automodel = [](const std::string& more, const std::string& sharding = "") {
    return read(
        "# torchrun --nproc-per-node=8 finetune.py --config a.yaml\n"
        "step_scheduler: {global_batch_size: 64, local_batch_size: 1}\n"
        "model: {_target_: nemo_automodel.x, pretrained_model_name_or_path: Qwen/Qwen3-8B, "
        "torch_dtype: bf16}\npacked_sequence: {packed_sequence_size: 2048}\n"
        "distributed: {strategy: fsdp2, tp_size: 1" +
        sharding + "}\n" + more);
  };
  CHECK(at(automodel("benchmark: {num_nodes: 2}\n"), "cluster.gpus") == 16);
  CHECK(at(automodel(""), "cluster.gpus") == 8);
  for (const char* more : {"_target_: transformer_engine.pytorch.optimizers.fused_adam.FusedAdam",
                           "_target_: torch.optim.AdamW, exp_avg_dtype: torch.float32",
                           "_target_: x.FusedAdam, store_param_remainders: true"}) {
    CHECK(is_open(automodel("optimizer: {" + std::string(more) + "}\n"), "training.states"));
  }
  CHECK(!is_open(automodel("optimizer: {_target_: torch.optim.AdamW, lr: 0.1}\n"),
                 "training.states"));
  CHECK(at(automodel("loss_fn: {_target_: x.FusedLinearCrossEntropy}\n"),
           "parallel.framework_options.kernels") == "liger");
  CHECK(at(automodel("", ", reshard_after_forward: false"),
           "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(stops_at(automodel("", ", moe: {reshard_after_forward: false}"),
                 "distributed.moe.reshard_after_forward"));
  CHECK(stops_at(automodel("", ", moe: {offload_policy: {_target_: CPUOffloadPolicy}}"),
                 "distributed.moe.offload_policy"));
  CHECK(!stops_at(automodel("", ", moe: {reshard_after_forward: true}"), "distributed"));
}

TEST_CASE("An unequal first stage is named as its file names it") {
  CHECK_THROWS_WITH(nemo_one("  megatron_amp_O2: true\n  num_layers: 32\n  hidden_size: 64\n"
                             "  num_attention_heads: 4\n  pipeline_model_parallel_size: 4\n"
                             "  num_layers_in_first_pipeline_stage: 4\n"),
                    doctest::Contains("num_layers_in_first_pipeline_stage"));
}

}  // namespace orrery
