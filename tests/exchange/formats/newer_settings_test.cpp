// SPDX-License-Identifier: Apache-2.0
// Settings of newer releases, and of scripts that trained published models, worked out by hand.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {
namespace {

using namespace formats;  // NOLINT

std::string two_nodes(const std::string& more) {
  return small_megatron("torchrun --nproc_per_node 8 --nnodes 2", more);
}

}  // namespace

TEST_CASE("Megatron-DeepSpeed counts the embedding and its copy among a pipeline's layers") {
  const std::string base = "--bf16 --deepspeed --zero-stage 0 --pipeline-model-parallel-size 4 ";
  const ImportedRun r = read(
      two_nodes(base + "--pp-partition-method 'type:transformer|embedding' --embed-layernorm"));
  CHECK(at(r, "parallel.layer_split") == "ends_as_layers");
  CHECK(at(r, "model.embedding_norm") == true);
  CHECK(
      is_open(read(two_nodes(base + "--pp-partition-method parameters")), "parallel.stage_layers"));
  CHECK_FALSE(is_open(read(two_nodes(base + "--pp-partition-method type:transformer")),
                      "parallel.stage_layers"));
  CHECK(is_open(read(two_nodes(base + "--cpu-optimizer")), "parallel.offload.optimizer"));
}

TEST_CASE("DeepSpeed shards the states of bf16 without ZeRO") {
  const ImportedRun script = read(two_nodes("--bf16 --deepspeed --zero-stage 0"));
  CHECK(at(script, "parallel.zero") == 1);
  CHECK(at(script, "training.states") == "adam-fp32-gradients-18");
  const std::string head = R"({"train_batch_size": 8, "zero_optimization": {"stage": )";
  const ImportedRun plain = read(head + R"(0}, "bf16": {"enabled": true}})", kEight);
  CHECK(at(plain, "parallel.zero") == 1);
  CHECK(at(plain, "training.states") == "adam-fp32-gradients-18");
  CHECK(at(read(head + R"(0}, "fp16": {"enabled": true}})", kEight), "parallel.zero") == 0);
  CHECK(at(read(head + R"(2}, "bf16": {"enabled": true}})", kEight), "parallel.zero") == 2);
  // The precision of another file.
  const ImportedRun both = read({{"a.yml", kAxolotl + "bf16: true\ndeepspeed: z0.json\n"},
                                 {"z0.json", head + R"(0}, "bf16": {"enabled": "auto"}})"}},
                                kEight);
  CHECK(at(both, "parallel.zero") == 1);
}

TEST_CASE("Megatron-LM's context of two kinds is open, and no rank of queries is none") {
  const ImportedRun r =
      read(two_nodes("--bf16 --context-parallel-size 4 --cp-comm-type a2a+p2p "
                     "--hierarchical-context-parallel-sizes 2 2"));
  CHECK(is_open(r, "parallel.cp_type"));
  CHECK_FALSE(stops_at(r, "--hierarchical"));
  CHECK(at(read(two_nodes("--bf16 --softmax-type learnable")), "model.attention_sinks") == true);
  CHECK(at(read(two_nodes("--bf16 --softmax-type vanilla")), "model.attention_sinks").is_null());
  CHECK(at(read(two_nodes("--bf16 --multi-latent-attention --q-lora-rank 0")), "model.q_lora_rank")
            .is_null());
}

TEST_CASE("Axolotl trains bf16 weights as they are loaded, unless something makes them fp32") {
  const auto states = [](const std::string& more) {
    return at(read(kAxolotl + "bf16: true\n" + more, kEight), "training.states");
  };
  CHECK(states("") == "pure-16bit");
  CHECK(states("optimizer: adamw_bnb_8bit\n")["optimizer"] == 2);
  CHECK(states("optimizer: adamw_bnb_8bit\n")["weights"] == 2);
  CHECK(states("optimizer: ao_adamw_fp8\n")["optimizer"] == 2);
  CHECK(states("fsdp_config:\n  reshard_after_forward: true\n") == "fsdp-amp");
  CHECK(states("adapter: lora\nlora_r: 8\nlora_target_linear: true\n") == "fp32-adam-16");
}

TEST_CASE("Adapters stand beside what is a linear layer") {
  const auto of = [](const std::string& model, const std::string& more) {
    return read("base_model: " + model +
                    "\nsequence_len: 64\nsample_packing: true\nmicro_batch_size: 1\n"
                    "gradient_accumulation_steps: 1\nbf16: true\nadapter: lora\nlora_r: 8\n" +
                    more,
                kEight);
  };
  const std::string every = "lora_target_linear: true\n";
  CHECK(at(of("openai/gpt-oss-20b", every), "training.adapter.targets") ==
        Json({"query", "key", "value", "output"}));
  CHECK(stops_at(of("openai/gpt-oss-20b", every + "load_in_4bit: true\n"), "adapter"));
  CHECK(stops_at(of("meta-llama/Llama-4-Scout-17B-16E", every), "adapter"));
  CHECK(stops_at(
      of("meta-llama/Llama-4-Scout-17B-16E", "lora_target_modules:\n  - shared_expert.up_proj\n"),
      "lora_target_modules"));
  CHECK(at(of("Qwen/Qwen3-8B",
              "lora_target_modules: 'model.layers.[\\d]+.(mlp|self_attn).(up|q)_proj'\n"),
           "training.adapter.targets") == Json({"up", "query"}));
  CHECK(stops_at(of("Qwen/Qwen3-8B", "lora_target_modules: 'model.layers.3.(mlp).(up|q)_proj'\n"),
                 "lora_target_modules"));
  const ImportedRun stored =
      of("openai/gpt-oss-20b", every +
                                   "model_quantization_config: Mxfp4Config\n"
                                   "model_quantization_config_kwargs:\n  dequantize: true\n");
  CHECK_FALSE(stops_at(stored, "model_quantization_config"));
  CHECK(at(of("axolotl-quants/Llama-4-Scout-17B-16E-Linearized-bnb-nf4-bf16",
              "lora_target_modules:\n  - q_proj\n"),
           "model") == "llama-4-scout");
}

TEST_CASE("The GPUs of a recipe of torchtune stand in its comment") {
  const std::string body =
      "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\n"
      "  max_seq_len: 1024\ndataset:\n  packed: True\nbatch_size: 2\ndtype: bf16\n";
  const std::string run = "# tune run --nnodes 2 --nproc_per_node 4 full_finetune_distributed\n";
  CHECK(at(read(run + body), "cluster.gpus") == 8);
  CHECK(at(read(run + body), "training.global_batch") == 16);
  CHECK(at(read(run + "# tune run --nproc_per_node 2 full_finetune_distributed\n" + body),
           "cluster.gpus")
            .is_null());
  const ImportedRun one = read("# tune run lora_finetune_single_device\n" + body);
  CHECK(at(one, "cluster.gpus") == 1);
  CHECK(at(one, "parallel.zero") == 0);
  CHECK(at(read({{"a", run + body}}, R"({"cluster": {"gpus": 16}})"), "training.global_batch") ==
        32);
}

TEST_CASE("Hub names of smaller models, and of those that see images") {
  const auto of = [](const std::string& model) {
    return read("base_model: " + model + "\nsequence_len: 64\nsample_packing: true\n" +
                    "micro_batch_size: 1\ngradient_accumulation_steps: 1\nbf16: true\n",
                kEight);
  };
  const std::pair<const char*, const char*> names[] = {
      {"NousResearch/Llama-3.2-1B", "llama-3.2-1b"},
      {"Qwen/Qwen2-7B-Instruct", "qwen2.5-7b"},
      {"Qwen/Qwen2.5-0.5B", "qwen2.5-0.5b"},
      {"Qwen/Qwen3-4B-Instruct-2507", "qwen3-4b"},
      {"google/gemma-2b", "gemma-2b"},
      {"google/gemma-2-2b-it", "gemma-2-2b"},
      {"mistralai/Mistral-Nemo-Instruct-2407", "mistral-nemo-12b"},
      {"mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3"},
      {"mistralai/Mistral-7B-Instruct-v0.2", "mistral-7b"},
      {"microsoft/Phi-3-mini-4k-instruct", "phi-3-mini"},
      {"TinyLlama/TinyLlama-1.1B-Chat-v1.0", "tinyllama-1.1b"},
      {"deepseek-ai/DeepSeek-V2-Lite-Chat", "deepseek-v2-lite"},
      {"huggyllama/llama-7b", "llama-2-7b"}};
  for (const auto& name : names) {
    CAPTURE(name.first);
    CHECK(at(of(name.first), "model") == name.second);
  }
  const auto mentions = [](const ImportedRun& r) {
    return std::any_of(r.not_understood.begin(), r.not_understood.end(), [](const LeftOver& l) {
      return l.why.find("encoder of images") != std::string::npos;
    });
  };
  CHECK(mentions(of("google/gemma-3-4b-it")));
  CHECK_FALSE(mentions(of("google/gemma-3-1b-it")));
}

TEST_CASE("What launches a training and is not given stops the import") {
  const std::string job =
      "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:8\n"
      "srun bash -c 'accelerate launch --config_file a/fsdp.yaml train.py --cfg x.yaml'\n";
  const std::string fsdp =
      "distributed_type: FSDP\nnum_processes: 16\nfsdp_config:\n  fsdp_version: 2\n";
  const std::string run = kAxolotl + "bf16: true\n";
  CHECK(stops_at(read({{"job.sh", job}, {"x.yml", run}}), "--config_file"));
  const ImportedRun both = read({{"job.sh", job}, {"x.yml", run}, {"fsdp.yaml", fsdp}});
  CHECK_FALSE(stops_at(both, "--config_file"));
  CHECK(at(both, "parallel.zero") == 3);
  CHECK_FALSE(stops_at(read({{"job.sh", job}, {"x.yml", run}}, "{}", {{"config_file", "none"}}),
                       "--config_file"));
}

TEST_CASE("Primus beside torchtitan leaves open what its defaults say") {
  const std::string file =
      "modules:\n  pre_trainer:\n    framework: torchtitan\n    config: pre_trainer.yaml\n"
      "    model: llama3.1_8B.yaml\n    overrides:\n      training:\n        batch_size: 3\n"
      "        seq_len: 8192\n      parallelism:\n        tensor_parallel_degree: 1\n"
      "        pipeline_parallel_degree: 1\n        context_parallel_degree: 1\n"
      "      activation_checkpoint:\n        mode: full\n";
  CHECK(is_open(read(file, kEight), "parallel.framework_options.compile"));
  const ImportedRun both =
      read({{"exp.yaml", file},
            {"llama3.1_8B.yaml", "job:\n  dump_folder: a\nmodel:\n  name: llama3\n  flavor: 8B\n"},
            {"pre_trainer.yaml", "extends:\n  - none.yaml\ncompile:\n  enable: true\n"}},
           kEight);
  CHECK(at(both, "model") == "llama-3-8b");
  CHECK(at(both, "parallel.framework_options.compile") == true);
}

TEST_CASE("MLPerf's 405B has sequences of 8,192 tokens, and other submitters other names") {
  const ImportedRun r = read(
      "export MODEL_SIZE=405b\nexport MINIBS=24\nexport DGXNNODES=64\nexport DGXNGPU=8\n"
      "export TENSOR_MODEL_PARALLEL=4\nexport PIPELINE_MODEL_PARALLEL=8\n"
      "export CONTEXT_PARALLEL=2\nexport FP8=True\n");
  CHECK(at(r, "training.sequence_length") == 8192);
  const ImportedRun small = read("export MODEL_SIZE=8b\nexport MINIBS=4\nexport FP8=True\n");
  CHECK(at(small, "model") == "llama-3-8b");
  CHECK(at(small, "training.sequence_length") == 8192);
  const ImportedRun amd = read(
      "export DGXSYSTEM=MI300X_1x8\nexport WORLD_SIZE=8\nexport TP=1\nexport PP=1\n"
      "export MBS=1\nexport GBS=8\nexport SEQ_LEN=8192\nexport FP8=True\nexport LORA_A2A=1\n");
  CHECK(at(amd, "cluster.gpus") == 8);
  CHECK(at(amd, "training.global_batch") == 8);
  CHECK(at(amd, "training.sequence_length") == 8192);
}

}  // namespace orrery
