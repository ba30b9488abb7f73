// SPDX-License-Identifier: Apache-2.0
// Files, experiments and launchers of NeMo 1 and 2.
#include <doctest/doctest.h>

#include <algorithm>

#include "exchange/yaml.h"
#include "read_text.h"
#include "support/runs.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

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

ImportedRun nemo_one(const std::string& model, const std::string& precision = "bf16") {
  return read("trainer: {num_nodes: 1, devices: 8, precision: " + precision +
              "}\nmodel:\n  encoder_seq_length: 2048\n  micro_batch_size: 1\n"
              "  global_batch_size: 8\n  tensor_model_parallel_size: 1\n" +
              model);
}

std::string nemo(const std::string& more) {
  return "trainer:\n  num_nodes: 1\n  devices: 8\n  precision: bf16\nmodel:\n"
         "  micro_batch_size: 1\n  global_batch_size: 64\n  encoder_seq_length: 128\n"
         "  num_layers: 2\n  hidden_size: 64\n  ffn_hidden_size: 256\n"
         "  num_attention_heads: 4\n" +
         more;
}

}  // namespace

TEST_CASE("NeMo's trainer and model are Megatron-LM's settings") {
  const ImportedRun r = read(
      "trainer: {num_nodes: 4, devices: 8, precision: bf16, max_steps: 10}\n"
      "model:\n  mcore_gpt: true\n  megatron_amp_O2: true\n  micro_batch_size: 1\n"
      "  global_batch_size: 64\n  "
      "tensor_model_parallel_size: 4\n"
      "  pipeline_model_parallel_size: 2\n  virtual_pipeline_model_parallel_size: 4\n  "
      "encoder_seq_length: 2048\n"
      "  num_layers: 32\n  hidden_size: 1024\n  ffn_hidden_size: ${multiply:4, ${.hidden_size}}\n  "
      "num_attention_heads: 16\n"
      "  num_query_groups: 4\n  normalization: rmsnorm\n  activation: fast-swiglu\n  bias: false\n "
      " position_embedding_type: rope\n"
      "  share_embeddings_and_output_weights: false\n  hidden_dropout: 0.0\n  attention_dropout: "
      "0.0\n  sequence_parallel: true\n"
      "  fp8: true\n  fp8_e4m3: false\n  fp8_hybrid: true\n  activations_checkpoint_granularity: "
      "full\n"
      "  activations_checkpoint_method: block\n  activations_checkpoint_num_layers: 2\n  "
      "ub_tp_comm_overlap: true\n"
      "  optim: {name: mcore_distributed_optim, overlap_grad_sync: true, overlap_param_sync: "
      "true}\n");
  CHECK(r.ignored.empty());
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(at(r, "training.precision") == "fp8");
  CHECK(at(r, "training.sequence_length") == 2048);
  CHECK(at(r, "model.intermediate_size") == 4096);
  CHECK(at(r, "model.num_key_value_heads") == 4);
  CHECK(at(r, "model.hidden_act") == "swiglu");
  CHECK(at(r, "model.attention_bias") == false);
  CHECK(at(r, "model.tie_word_embeddings") == false);
  CHECK(at(r, "parallel.vpp") == 4);
  CHECK(at(r, "parallel.zero") == 1);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(at(r, "parallel.recompute_layers") == 2);
  CHECK(at(r, "parallel.framework_options.tp_comm_overlap") == true);
  CHECK(missing_keys(r.run) == std::vector<std::string>{"model.vocab_size", "cluster.node"});
}

TEST_CASE("A NeMo launcher's training= names the file that its overrides change") {
  const ImportedRun r =
      read({{"run.sh",
             "#!/bin/bash\npython3 main.py training=gpt3/small stages=[training] data_dir=/d "
             "training.trainer.num_nodes=4 training.model.micro_batch_size=2\n"},
            {"small.yaml",
             "trainer:\n  num_nodes: 1\n  devices: 8\n  precision: bf16\nmodel:\n"
             "  micro_batch_size: 1\n  global_batch_size: 64\n  encoder_seq_length: 128\n"
             "  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n"}});
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(at(r, "training.micro_batch") == 2);
  CHECK(at(r, "training.global_batch") == 64);
}

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
  const auto dispatcher = std::find_if(r.ignored.begin(), r.ignored.end(), [](const LeftOver& l) {
    return l.key == "parallel.framework_options.dispatcher";
  });
  REQUIRE(dispatcher != r.ignored.end());
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
  CHECK(refuses_at(trainer("accelerator: cpu"), "trainer.accelerator cpu"));
  CHECK(refuses_at(trainer("callbacks: [{_target_: x.MegatronTokenDropCallback}]"),
                   "trainer.callbacks MegatronTokenDropCallback"));
  const ImportedRun unknown = trainer("callbacks: [{_target_: x.MyCallback}]");
  CHECK(!refuses_at(unknown, "trainer.callbacks"));
  CHECK(!unknown.ignored.empty());
  CHECK(trainer("callbacks: [{_target_: x.TimingCallback}]").ignored.empty());
  CHECK(refuses_at(trainer("accumulate_grad_batches: 4"), "trainer.accumulate_grad_batches"));
  std::string text = nemo_two("llama.Llama3Config8B");
  CHECK(is_open(looked_up(std::string(text).replace(text.find("micro_batch_size: 1, "), 21, "")),
                "training.micro_batch"));
  CHECK(
      refuses_at(looked_up(std::string(text).replace(text.find("api.pretrain"), 12, "api.distill")),
                 "_target_"));
}

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
  CHECK(refuses_at(nemo_one(lora + "layer_selection: [1, 2]}\n"),
                   "model.peft.lora_tuning.layer_selection"));
  CHECK(
      refuses_at(nemo_one(lora + "weight_tying: true}\n"), "model.peft.lora_tuning.weight_tying"));
  CHECK(refuses_at(nemo_one(lora + "variant: canonical}\n"), "model.peft.lora_tuning.variant"));
  CHECK(!refuses_at(nemo_one(lora + "weight_tying: false, variant: nemo}\n"), "model.peft"));
  const ImportedRun experts = nemo_one(
      o2 +
      "  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n  num_moe_experts: 8\n"
      "  moe_layer_freq: 2\n");
  CHECK(at(experts, "model.moe_layer_freq") == 2);
}

TEST_CASE("An unequal first stage is named as its file names it") {
  CHECK_THROWS_WITH(nemo_one("  megatron_amp_O2: true\n  num_layers: 32\n  hidden_size: 64\n"
                             "  num_attention_heads: 4\n  pipeline_model_parallel_size: 4\n"
                             "  num_layers_in_first_pipeline_stage: 4\n"),
                    doctest::Contains("num_layers_in_first_pipeline_stage"));
}

TEST_CASE("A program of NeMo with Hydra's overrides alone is read") {
  const ImportedRun r = read(
      "python megatron_gpt_pretraining.py trainer.devices=8 trainer.num_nodes=2 "
      "model.micro_batch_size=1 model.tensor_model_parallel_size=2\n");
  CHECK(at(r, "cluster.gpus") == 16);
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(is_open(r, "parallel.pp"));
}

TEST_CASE("NeMo's micro batches that checkpoint less than others stop the import") {
  const char* name = "num_micro_batches_with_partial_activation_checkpoints";
  const auto with = [&](const std::string& value) {
    return read(
        "trainer: {num_nodes: 1, devices: 8}\nmodel:\n  micro_batch_size: 1\n"
        "  encoder_seq_length: 64\n  " +
        std::string(name) + ": " + value + "\n");
  };
  CHECK(refuses_at(with("2"), "model." + std::string(name)));
  CHECK_FALSE(refuses_at(with("null"), "model." + std::string(name)));
}

TEST_CASE("NeMo's encoders leave the model open, and a tuning's length is its data's") {
  const std::string head = "trainer:\n  devices: 8\n  num_nodes: 1\n  precision: bf16\n";
  const std::string model =
      "model:\n  micro_batch_size: 1\n  global_batch_size: 8\n  tensor_model_parallel_size: 1\n"
      "  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n  encoder_seq_length: 32\n";
  CHECK(is_open(read("name: megatron_bert\n" + head + model), "model"));
  CHECK(is_open(read("name: megatron_t5\n" + head + model), "model"));
  CHECK(is_open(read(head + model + "  bert_binary_head: true\n"), "model"));
  CHECK_FALSE(is_open(read("name: megatron_gpt\n" + head + model), "model"));
  CHECK(is_open(read("name: megatron_griffin\n" + head + model), "model"));
  CHECK(
      is_open(read(head + model + "  mcore_customization_config:\n    parallel_attention: true\n"),
              "model.use_parallel_residual"));
  const ImportedRun tuned =
      read(head +
           "model:\n  micro_batch_size: 1\n  tensor_model_parallel_size: 1\n"
           "  restore_from_path: llama2_13b.nemo\n  peft:\n    peft_scheme: lora\n"
           "  data:\n    train_ds:\n      max_seq_length: 2048\n");
  CHECK(at(tuned, "training.sequence_length") == 2048);
}

TEST_CASE("NeMo without O2 keeps fp32 weights under autocast") {
  const auto of = [](const std::string& more) {
    return at(read("trainer:\n  num_nodes: 1\n  devices: 8\n  precision: bf16-mixed\nmodel:\n"
                   "  micro_batch_size: 1\n  encoder_seq_length: 4096\n" +
                   more),
              "training.states");
  };
  CHECK(of("  megatron_amp_O2: true\n") == "adam-fp32-gradients-18");
  CHECK(of("  megatron_amp_O2: false\n") == "fp32-adam-16");
  CHECK(of("  megatron_amp_O2: False\n  fsdp: true\n  fsdp_sharding_strategy: full\n") ==
        "fsdp-amp-fp32-reduce");
  CHECK(of("  megatron_amp_O2: False\n  fsdp: true\n  fsdp_grad_reduce_dtype: bf16\n") ==
        "fsdp-amp");
}

TEST_CASE("NeMo's gated ReLU leaves the activation open") {
  CHECK(is_open(read(nemo("  activation: reglu\n")), "model.hidden_act"));
  CHECK(at(read(nemo("  activation: relu\n")), "model.hidden_act") == "relu");
  CHECK(refuses_at(read(nemo("  fp32_residual_connection: True\n")),
                   "model.fp32_residual_connection"));
}

TEST_CASE("NeMo's own layers have fused attention only where they ask for it") {
  const auto nemo = [](const std::string& model, const std::string& trainer = "") {
    return read("trainer:\n  num_nodes: 1\n  devices: 8\n  precision: bf16\n" + trainer +
                "model:\n  micro_batch_size: 1\n  global_batch_size: 16\n"
                "  encoder_seq_length: 32\n  num_layers: 4\n  hidden_size: 64\n"
                "  num_attention_heads: 4\n  megatron_amp_O2: true\n" +
                model);
  };
  const std::string own = "  transformer_engine: false\n";
  const char* flash = "training.flash_attention";
  CHECK(at(nemo(own), flash) == false);
  CHECK(at(nemo(own + "  use_flash_attention: true\n"), flash) == true);
  CHECK(at(nemo(own + "  mcore_gpt: true\n"), flash) == true);
  CHECK(refuses_at(nemo("  dpo:\n    ref_policy_kl_penalty: 0.1\n"), "model.dpo"));
  CHECK(refuses_at(nemo("", "  accelerator: cpu\n"), "trainer.accelerator"));
}

TEST_CASE(
    "NeMo's method counts for full recompute alone, and gradients are of the type they travel in") {
  const auto of = [](const std::string& more) {
    return read(
        "trainer: {num_nodes: 1, devices: 8, precision: bf16}\nmodel:\n  encoder_seq_length: 2048\n"
        "  megatron_amp_O2: true\n  micro_batch_size: 1\n  global_batch_size: 8\n  "
        "tensor_model_parallel_size: 1\n"
        "  activations_checkpoint_granularity: selective\n  activations_checkpoint_method: block\n"
        "  activations_checkpoint_num_layers: 2\n  optim: {name: " +
        more + "}\n");
  };
  const ImportedRun r = of("mcore_distributed_optim, grad_sync_dtype: bf16");
  CHECK(at(r, "parallel.recompute") == "selective");
  CHECK(r.ignored.empty());
  CHECK(at(r, "training.states") == "adam-fp16-gradients-20");
  CHECK(at(of("mcore_distributed_optim"), "training.states") == "adam-fp32-gradients-18");
  CHECK(at(of("distributed_fused_adam, grad_sync_dtype: bf16"), "training.states") ==
        "adam-mixed-16");
  const char* overlap = "parallel.framework_options.overlap_grad_reduce";
  CHECK(at(r, overlap) == false);
  CHECK(at(of("distributed_fused_adam"), overlap) == true);
  CHECK(at(of("distributed_fused_adam, overlap_grad_sync: false"), overlap) == false);
}

TEST_CASE("An experiment of NeMo 2 is read by its strategy, its plugin and its class of model") {
  const ImportedRun r = read(
      "model: {config: {_target_: nemo.collections.llm.gpt.model.llama.Llama31Config70B}}\n"
      "trainer:\n  devices: 8\n  num_nodes: 4\n  plugins: {precision: bf16-mixed, fp8: hybrid, "
      "grad_reduce_in_fp32: false}\n  strategy: {tensor_model_parallel_size: 4, "
      "pipeline_model_parallel_size: 2, sequence_parallel: true, ddp: {grad_reduce_in_fp32: "
      "true}}\n"
      "data: {seq_length: 8192, global_batch_size: 128, micro_batch_size: 1}\n"
      "optim: {config: {optimizer: adam, use_distributed_optimizer: true}}\n");
  CHECK(at(r, "model") == "llama-3-70b");
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(at(r, "training.precision") == "fp8");
  CHECK(at(r, "training.states") == "adam-fp16-gradients-20");
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "parallel.zero") == 1);
  CHECK(at(r, "training.sequence_length") == 8192);
}

}  // namespace orrery
