// SPDX-License-Identifier: Apache-2.0
// Settings of public files that were read as something else, without a word.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

// A file of torchtitan with tensor and pipeline ranks.
std::string titan(const std::string& training, const std::string& parallelism) {
  return "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 4\n"
         "seq_len = 8192\n" +
         training + "[parallelism]\ndata_parallel_shard_degree = 4\n" + parallelism +
         "[activation_checkpoint]\nmode = \"none\"\n";
}

std::string nemo(const std::string& more) {
  return "trainer:\n  num_nodes: 1\n  devices: 8\n  precision: bf16\nmodel:\n"
         "  micro_batch_size: 1\n  global_batch_size: 64\n  encoder_seq_length: 128\n"
         "  num_layers: 2\n  hidden_size: 64\n  ffn_hidden_size: 256\n"
         "  num_attention_heads: 4\n" +
         more;
}

std::string bridge(const std::string& more) {
  return "model:\n  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n"
         "  seq_length: 128\n  normalization: RMSNorm\n" +
         more +
         "train:\n  global_batch_size: 64\n  micro_batch_size: 1\nmixed_precision: bf16_mixed\n";
}

}  // namespace

TEST_CASE("Flags of Megatron-LM's forks say the shape of the model") {
  const ImportedRun swiglu = read(started_megatron("--bf16 --glu-activation swiglu"));
  CHECK(at(swiglu, "model.hidden_act") == "swiglu");
  CHECK(at(swiglu, "model.intermediate_size") == 256);
  CHECK(is_open(read(started_megatron("--bf16 --glu-activation liglu")), "model.hidden_act"));
  CHECK(at(read(started_megatron("--bf16 --attention-head-type multiquery")),
           "model.num_key_value_heads") == 1);
  CHECK(at(read(started_megatron("--bf16 --attention-output-gate")), "model.attention_gate_dim") ==
        16);
  const ImportedRun experts = read(started_megatron(
      "--bf16 --num-experts 8 --moe-token-dispatcher-type alltoall --moe-latent-size 32"));
  CHECK(at(experts, "model.moe_latent_size") == 32);
}

TEST_CASE("Layers of an encoder's name are those of the model") {
  const ImportedRun r = read(
      "torchrun --nproc_per_node 8 pretrain_gpt.py --encoder-num-layers 10 --hidden-size 64"
      " --num-attention-heads 4 --seq-length 32 --max-position-embeddings 32"
      " --micro-batch-size 1 --global-batch-size 16 --vocab-size 100 --bf16\n");
  CHECK(at(r, "model.num_hidden_layers") == 10);
}

TEST_CASE("Settings of Megatron-LM and its forks that no key says stop the import") {
  for (const char* flag :
       {"--heterogeneous-layers-config-path x.json", "--fp32-residual-connection",
        "--standalone-embedding-stage", "--moe-extended-tp", "--experimental-attention-variant dsa",
        "--remote-device cpu", "--num-layer-list 4,6", "--noop-layers 8,9", "--tp-2d",
        "--gradient-accumulation-steps 8", "--intermediate-size 128"}) {
    const ImportedRun r = read(started_megatron(std::string("--bf16 ") + flag));
    CHECK_MESSAGE(stops_at(r, std::string(flag).substr(0, std::string(flag).find(' '))), flag);
  }
}

TEST_CASE("Saved activations that tensor ranks share stop the import") {
  const std::string full = "--bf16 --recompute-granularity full --distribute-saved-activations";
  const char* setting = "--distribute-saved-activations";
  CHECK(stops_at(read(started_megatron(full + " --tensor-model-parallel-size 2")), setting));
  CHECK(!stops_at(read(started_megatron(full)), setting));
}

TEST_CASE("PyTorch's FSDP2 beside Megatron FSDP's default strategy is ZeRO 3") {
  const ImportedRun r =
      read(started_megatron("--bf16 --use-torch-fsdp2 --data-parallel-sharding-strategy no_shard"));
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(!stops_at(r, "--data-parallel-sharding-strategy"));
}

TEST_CASE("MindSpeed's way of context parallelism is ours") {
  const std::string two = "--bf16 --context-parallel-size 2 --context-parallel-algo ";
  CHECK(at(read(started_megatron(two + "ulysses_cp_algo")), "parallel.cp_type") == "a2a");
  CHECK(at(read(started_megatron(two + "megatron_cp_algo")), "parallel.cp_type") == "p2p");
  CHECK(is_open(read(started_megatron(two + "hybrid_cp_algo")), "parallel.cp_type"));
}

TEST_CASE("What a checkpoint says of the model is no default of Megatron-LM's") {
  const ImportedRun r = read(started_megatron("--bf16 --use-checkpoint-args"));
  CHECK(is_open(r, "model.norm"));
  CHECK(at(r, "parallel.recompute") == "none");
}

TEST_CASE("Lengths that grow and layers in bf16 are named") {
  for (const char* flag : {"--random-ltd", "--curriculum-learning-legacy",
                           "--fp8-format hybrid --first-last-layers-bf16"}) {
    CHECK_MESSAGE(!read(started_megatron(std::string("--bf16 ") + flag)).not_understood.empty(),
                  flag);
  }
}

TEST_CASE("A file's own number of layers goes over the model that it names") {
  ImportJob job;
  job.files.push_back(
      {"p.yaml",
       "modules:\n  pre_trainer:\n    framework: megatron\n    model: llama3_8B.yaml\n"
       "    overrides:\n      num_layers: 4\n      bf16: true\n"});
  const ConfigLookup lookup = testing::shipped_configs();
  job.lookup = &lookup;
  const ImportedRun r = import_files(std::move(job));
  CHECK(is_open(r, "model"));
  CHECK(at(r, "model").is_null());
}

TEST_CASE("Megatron-Bridge's settings that move a number are not passed over") {
  CHECK(at(read(bridge("  attention_output_gate: true\n")), "model.attention_gate_dim") == 16);
  for (const char* key : {"fp32_residual_connection", "heterogeneous_block_specs",
                          "hybrid_context_parallel", "variable_seq_lengths"}) {
    CHECK_MESSAGE(
        stops_at(read(bridge(std::string("  ") + key + ": true\n")), std::string("model.") + key),
        key);
  }
  const ImportedRun r = read(bridge("") +
                                 "ddp:\n  use_distributed_optimizer: true\n"
                                 "  num_distributed_optimizer_instances: 2\n",
                             kEight);
  CHECK(at(r, "parallel.zero_shard_group") == 4);
}

TEST_CASE("NeMo's gated ReLU leaves the activation open") {
  CHECK(is_open(read(nemo("  activation: reglu\n")), "model.hidden_act"));
  CHECK(at(read(nemo("  activation: relu\n")), "model.hidden_act") == "relu");
  CHECK(
      stops_at(read(nemo("  fp32_residual_connection: True\n")), "model.fp32_residual_connection"));
}

TEST_CASE("A file of torchtitan with plain data parallelism shards nothing") {
  CHECK(at(read(titan("data_parallel_type = \"ddp\"\n", "")), "parallel.zero") == 0);
  CHECK(at(read(titan("data_parallel_type = \"fsdp\"\n", "")), "parallel.zero") == 3);
}

TEST_CASE("Logits that each tensor rank has whole stop torchtitan's import") {
  const std::string off = "disable_loss_parallel = true\n";
  CHECK(stops_at(read(titan("", off + "tensor_parallel_degree = 2\n")),
                 "parallelism.disable_loss_parallel"));
  CHECK(!stops_at(read(titan("", off)), "parallelism.disable_loss_parallel"));
}

TEST_CASE("A converter that is not read and stages by modules stop torchtitan's import") {
  std::string text = titan("", "");
  text.insert(text.find("[training]"), "converters = [\"float8\", \"lora\"]\n");
  CHECK(stops_at(read(text), "model.converters lora"));
  CHECK(is_open(read(titan("",
                           "pipeline_parallel_degree = 2\n"
                           "module_fqns_per_model_part = [[\"tok_embeddings\"]]\n")),
                "parallel.stage_layers"));
}

TEST_CASE("Axolotl's attention is eager only where it is told so") {
  const char* key = "training.flash_attention";
  CHECK(at(read(kAxolotl + "bf16: true\nflash_attention: false\n", kEight), key) == true);
  CHECK(at(read(kAxolotl + "bf16: true\neager_attention: true\n", kEight), key) == false);
  CHECK(at(read(kAxolotl + "bf16: true\nsdp_attention: true\n", kEight), key) == true);
}

TEST_CASE("Axolotl's bfloat16 has no copy in fp32, and its default is bf16 where the GPU has it") {
  const ImportedRun pure = read(kAxolotl + "bfloat16: true\n", kEight);
  CHECK(at(pure, "training.precision") == "bf16");
  CHECK(at(pure, "training.states") == "pure-16bit");
  CHECK(is_open(read(kAxolotl, kEight), "training.precision"));
  CHECK(at(read(kAxolotl + "bf16: false\n", kEight), "training.precision") == "fp32");
}

TEST_CASE("Axolotl's other losses and other shapes stop the import") {
  const std::string base = kAxolotl + "bf16: true\n";
  CHECK(stops_at(read(base + "reward_model: true\n", kEight), "reward_model"));
  CHECK(stops_at(read(base + "kd_trainer: true\n", kEight), "kd_trainer"));
  CHECK(stops_at(read(base + "overrides_of_model_config:\n  num_hidden_layers: 16\n", kEight),
                 "overrides_of_model_config.num_hidden_layers"));
  CHECK(at(read(base + "optimizer: galore_adamw\noptim_args:\n  rank: 64\n", kEight),
           "training.optimizer_rank") == 64);
}

TEST_CASE("A mapping that others merge says nothing by itself") {
  const std::string text = kAxolotl +
                           "bf16: true\nfsdp_usual: &usual\n  fsdp_offload_params: true\n"
                           "  fsdp_sharding_strategy: FULL_SHARD\nfsdp_config:\n"
                           "  <<: *usual\n  fsdp_offload_params: false\n";
  const ImportedRun r = read(text, kEight);
  CHECK(!stops_at(r, "fsdp_usual"));
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "parallel.offload.parameters").is_null());
  // Without others it is a setting like each.
  CHECK(stops_at(read(kAxolotl + "bf16: true\nfsdp_usual:\n  fsdp_offload_params: true\n", kEight),
                 "fsdp_usual"));
}

TEST_CASE("The command in torchtune's comments says the GPUs, whatever a comment advises") {
  const std::string text =
      "#   tune run --nproc_per_node 4 full_finetune_distributed --config llama3/8B_full\n"
      "# Best on 2+ GPUs; use 8B_full_single_device.yaml for one.\n"
      "model:\n  _component_: torchtune.models.llama3.llama3_8b\nbatch_size: 2\ndtype: bf16\n"
      "tokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n  max_seq_len: 1024\n";
  CHECK(at(read(text), "cluster.gpus") == 4);
}

TEST_CASE("Losses of torchtune's earlier layers stop the import") {
  CHECK(stops_at(read("output_dir: x\nmodel:\n  _component_: torchtune.models.llama3.llama3_8b\n"
                      "early_exit_loss:\n  scale: 1.0\nbatch_size: 4\ndtype: bf16\n"),
                 "early_exit_loss"));
}

TEST_CASE("Accelerate's tensor parallelism has a part of its own too") {
  const ImportedRun r = read({{"a.yaml",
                               "distributed_type: TP\nnum_processes: 8\nmixed_precision: bf16\n"
                               "tp_config:\n  tp_size: 2\n"},
                              {"b.yaml",
                               "model_name_or_path: Qwen/Qwen3-4B\nbf16: true\nmax_length: 1024\n"
                               "per_device_train_batch_size: 2\n"}});
  CHECK(at(r, "parallel.tp") == 2);
}

TEST_CASE("A configuration that a command changes is another model") {
  CHECK(stops_at(read("python run_clm.py --model_type gpt2 --config_overrides n_layer=48 "
                      "--block_size 1024 --per_device_train_batch_size 8 --bf16\n",
                      R"({"model": "gpt2", "cluster": {"gpus": 1}})"),
                 "config_overrides"));
}

TEST_CASE("Defaults of TRL's command are open, since releases differ") {
  const std::string base =
      "trl sft --model_name_or_path Qwen/Qwen3-4B --max_length 1024 --packing True"
      " --per_device_train_batch_size 2";
  CHECK(is_open(read(base + "\n", kEight), "training.precision"));
  CHECK(is_open(read(base + " --bf16\n", kEight), "parallel.recompute"));
  CHECK(at(read(base + " --bf16 --gradient_checkpointing\n", kEight), "parallel.recompute") ==
        "full");
}

TEST_CASE("A model whose weights are quantised already stops the import") {
  const ConfigLookup lookup = testing::shipped_configs();
  const auto fitted = [&](const char* way) {
    ImportedRun r;
    r.run["model"] = json_of(std::string(R"({"model_type": "llama", "hidden_size": 64,
      "quantization_config": {"quant_method": ")") +
                             way + "\"}}");
    fit_import(r, Json::object(), lookup);
    return r;
  };
  CHECK(stops_at(fitted("gptq"), "quantization_config.quant_method gptq"));
  CHECK(stops_at(fitted("awq"), "quantization_config.quant_method awq"));
  CHECK(!stops_at(fitted("fp8"), "quantization_config"));
}

}  // namespace orrery
