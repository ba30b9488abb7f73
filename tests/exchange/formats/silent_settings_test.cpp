// SPDX-License-Identifier: Apache-2.0
// Settings that were once passed over, or taken for others, without a word.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {
namespace {

using namespace formats;  // NOLINT

const std::string kPlainTrainer =
    "model_name_or_path: meta-llama/Meta-Llama-3-8B\nper_device_train_batch_size: 2\n"
    "gradient_accumulation_steps: 4\nbf16: true\nmax_seq_length: 1024\npacking: true\n";

// Accelerate's file of this kind and these settings beside a trainer's.
ImportedRun by_accelerate(const std::string& type, const std::string& more) {
  return read({{"a.yaml", "distributed_type: " + type + "\nnum_processes: 8\n" + more},
               {"b.yaml", kPlainTrainer}});
}

}  // namespace

TEST_CASE("A model that FSDP does not cut into layers stops the import") {
  CHECK(stops_at(by_accelerate("FSDP", "fsdp_config:\n  fsdp_auto_wrap_policy: NO_WRAP\n"),
                 "fsdp_config.fsdp_auto_wrap_policy NO_WRAP"));
  CHECK(stops_at(read(kPlainTrainer + "fsdp: full_shard\n", kEight), "fsdp full_shard"));
  CHECK(!stops_at(read(kPlainTrainer + "fsdp: full_shard auto_wrap\n", kEight), "fsdp"));
  CHECK(!stops_at(read(kPlainTrainer + "fsdp: no_shard\n", kEight), "fsdp"));
  CHECK(stops_at(read(kAxolotl + "fsdp_config:\n  auto_wrap_policy: NO_WRAP\n", kEight),
                 "fsdp_config.auto_wrap_policy"));
  const ImportedRun by_size = by_accelerate(
      "FSDP",
      "fsdp_config:\n  fsdp_auto_wrap_policy: SIZE_BASED_WRAP\n  fsdp_min_num_params: 2000\n");
  CHECK(is_named(by_size, "SIZE_BASED_WRAP"));
}

TEST_CASE("FSDP 2 shards as it is told to reshard, whatever strategy a file keeps") {
  const std::string old =
      "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_reshard_after_forward: false\n";
  const ImportedRun second = by_accelerate("FSDP", old + "  fsdp_version: 2\n");
  CHECK(at(second, "parallel.zero") == 3);
  CHECK(at(second, "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(is_open(by_accelerate("FSDP", old), "parallel.zero"));
  CHECK(at(by_accelerate("FSDP",
                         "fsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\n"
                         "  fsdp_reshard_after_forward: true\n"),
           "parallel.zero") == 3);
}

TEST_CASE("Modules that FSDP leaves whole stop the import, and gathers in the open are named") {
  CHECK(stops_at(by_accelerate("FSDP", "fsdp_config:\n  fsdp_ignored_modules: lm_head\n"),
                 "fsdp_config.fsdp_ignored_modules"));
  CHECK(is_named(by_accelerate("FSDP", "fsdp_config:\n  fsdp_backward_prefetch: NO_PREFETCH\n"),
                 "fsdp_backward_prefetch"));
}

TEST_CASE("Accelerate's launches on other devices than GPUs stop the import") {
  for (const char* type : {"XLA", "TPU", "MULTI_XPU", "MULTI_NPU", "MULTI_HPU", "MULTI_CPU"}) {
    CHECK(stops_at(by_accelerate(type, ""), std::string("distributed_type ") + type));
  }
  CHECK(stops_at(by_accelerate("MULTI_GPU", "ipex_config:\n  use_xpu: true\n"),
                 "ipex_config.use_xpu"));
  const std::string program =
      " sft.py --model_name_or_path Qwen/Qwen3-4B --max_length 1024"
      " --per_device_train_batch_size 4 --bf16\n";
  CHECK(stops_at(read("accelerate launch --num_processes 8 --tpu" + program),
                 "distributed_type TPU"));
  CHECK(stops_at(read("accelerate launch --num_processes 8 --cpu" + program),
                 "distributed_type MULTI_CPU"));
  CHECK(!stops_at(by_accelerate("MULTI_GPU", "use_cpu: false\n"), "use_cpu"));
}

TEST_CASE("Two precisions at once leave it open, and gathers without a limit are named") {
  CHECK(is_open(read(kPlainTrainer + "fp16: true\n", kEight), "training.precision"));
  CHECK(is_named(by_accelerate("FSDP", "fsdp_config:\n  fsdp_limit_all_gathers: false\n"),
                 "fsdp_limit_all_gathers"));
}

TEST_CASE("Accelerate's eager backends compile nothing, and its unknown degrees stop") {
  const char* compile = "parallel.framework_options.compile";
  CHECK(at(by_accelerate("MULTI_GPU", "dynamo_config:\n  dynamo_backend: EAGER\n"), compile)
            .is_null());
  CHECK(at(by_accelerate("MULTI_GPU", "dynamo_config:\n  dynamo_backend: INDUCTOR\n"), compile) ==
        true);
  CHECK(stops_at(by_accelerate("FSDP", "parallelism_config:\n  parallelism_config_ep_size: 2\n"),
                 "parallelism_config.parallelism_config_ep_size"));
}

TEST_CASE("Names of optimizers that only sound like Adam leave its states open") {
  for (const char* name : {"grokadamw", "flash_adamw", "adamax", "adam_mini", "apollo_adamw"})
    CHECK(is_open(read(kPlainTrainer + "optim: " + name + "\n", kEight), "training.optimizer"));
  for (const char* name : {"adamw_torch_fused", "schedule_free_adamw", "stable_adamw"})
    CHECK(!is_open(read(kPlainTrainer + "optim: " + name + "\n", kEight), "training.optimizer"));
  CHECK(at(read(kPlainTrainer + "adafactor: true\n", kEight), "training.optimizer") == "adafactor");
}

TEST_CASE("Degrees and batches of TrainingArguments") {
  const ImportedRun r = read(kPlainTrainer + "tp_size: 4\n", kEight);
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "training.global_batch") == 16);
  CHECK(stops_at(read(kPlainTrainer + "use_cpu: true\n", kEight), "use_cpu"));
  CHECK(stops_at(read(kPlainTrainer + "split_batches: true\n", kEight), "split_batches"));
  CHECK(
      stops_at(read(kPlainTrainer + "parallelism_config: p.yaml\n", kEight), "parallelism_config"));
}

TEST_CASE("torchtune's two ways to checkpoint beside each other are open") {
  const std::string base =
      "model:\n  _component_: torchtune.models.llama3.llama3_8b\nbatch_size: 2\ndtype: bf16\n"
      "tokenizer:\n  max_seq_len: 1024\nenable_activation_checkpointing: true\n";
  CHECK(is_open(read(base + "ac_mode: selective\n", kEight), "parallel.recompute"));
  CHECK(at(read(base + "ac_mode: null\n", kEight), "parallel.recompute") == "full");
}

TEST_CASE("Axolotl's disk, plugins and workers of Ray") {
  const std::string base =
      "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nsample_packing: true\n"
      "micro_batch_size: 2\nbf16: true\n";
  CHECK(is_open(read(base + "gradient_checkpointing: offload_disk\n", kEight),
                "parallel.offload.activations"));
  CHECK(at(read(base + "use_ray: true\nray_num_workers: 4\n"), "cluster.gpus") == 4);
  const std::string adapter =
      "adapter: qlora\nload_in_4bit: true\nlora_r: 8\nlora_target_linear: true\n";
  const char* twice = "training.adapter.double_quantisation";
  CHECK(at(read(base + adapter, kEight), twice).is_null());
  CHECK(
      at(read(base + adapter + "bnb_config_kwargs:\n  bnb_4bit_use_double_quant: false\n", kEight),
         twice) == false);
  const auto plugin = [&](const std::string& name) {
    return read(base + "plugins:\n  - axolotl.integrations." + name + "\n", kEight);
  };
  CHECK(stops_at(plugin("densemixer.DenseMixerPlugin"), "plugins"));
  CHECK(stops_at(plugin("diffusion.DiffusionPlugin"), "plugins"));
  CHECK(is_named(plugin("other.OtherPlugin"), "OtherPlugin"));
  CHECK(plugin("liger.LigerPlugin").not_understood.empty());
}

TEST_CASE("LLaMA-Factory's parts of a model that stay, second models and compilers") {
  const std::string base =
      "model_name_or_path: meta-llama/Meta-Llama-3-8B\nstage: sft\nfinetuning_type: full\n"
      "template: llama3\ncutoff_len: 2048\nper_device_train_batch_size: 1\nbf16: true\n";
  for (const char* name : {"freeze_language_model", "train_mm_proj_only", "use_asft_loss"})
    CHECK(stops_at(read(base + name + ": true\n", kEight), name));
  const ImportedRun r = read({{"a.yaml", base + "deepspeed: ds.json\ntorch_compile: true\n"},
                              {"ds.json", R"({"zero_optimization": {"stage": 3},
                                "bf16": {"enabled": true}})"}},
                             kEight);
  CHECK(is_named(r, "torch_compile"));
}

TEST_CASE("NeMo Automodel's attention, job and types") {
  const auto automodel = [](const std::string& model, const std::string& more) {
    return read(
        "step_scheduler:\n  global_batch_size: 64\n  local_batch_size: 2\n"
        "model:\n  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n"
        "  pretrained_model_name_or_path: meta-llama/Llama-3.1-8B\n" +
        model +
        "distributed:\n"
        "  _target_: nemo_automodel.components.distributed.fsdp2.FSDP2Manager\n" +
        more);
  };
  const char* flash = "training.flash_attention";
  CHECK(at(automodel("  attn_implementation: eager\n", ""), flash) == false);
  CHECK(at(automodel("  attn_implementation: sdpa\n", ""), flash) == true);
  CHECK(stops_at(automodel("  load_in_4bit: true\n", ""), "quantization"));
  CHECK(stops_at(automodel("", "qat:\n  enabled: true\n"), "qat"));
  CHECK(stops_at(automodel("", "  mp_policy:\n    param_dtype: float32\n"),
                 "distributed.mp_policy.param_dtype"));
  CHECK(at(automodel("", "slurm:\n  nodes: 4\n  ntasks_per_node: 8\n"), "cluster.gpus") == 32);
}

TEST_CASE("Copies of the distributed optimizer stand in either part of Megatron-Bridge's file") {
  const auto group = [](const std::string& more) {
    return at(read("model:\n  _target_: megatron.bridge.models.gpt_provider.GPTModelProvider\n"
                   "  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n"
                   "  seq_length: 32\n  vocab_size: 100\n"
                   "train:\n  global_batch_size: 64\n  micro_batch_size: 1\n"
                   "optimizer:\n  use_distributed_optimizer: true\n" +
                       more,
                   R"({"cluster": {"gpus": 16}})"),
              "parallel.zero_shard_group");
  };
  CHECK(group("dist:\n  num_distributed_optimizer_instances: 4\n") == 4);
  CHECK(group("dist:\n  num_distributed_optimizer_instances: 1\n"
              "ddp:\n  num_distributed_optimizer_instances: 2\n") == 8);
  CHECK(group("").is_null());
}

TEST_CASE("MLPerf's unfused attention and other numbers of layers") {
  const std::string base =
      "export MINIBS=32\nexport TENSOR_MODEL_PARALLEL=8\nexport DGXNNODES=8\nexport DGXNGPU=8\n"
      "export MICRO_BATCH_SIZE=1\nexport FP8=False\n";
  const std::string none = "export NVTE_FLASH_ATTN=0\nexport NVTE_FUSED_ATTN=0\n";
  CHECK(at(read({{"config.sh", base + none}}), "training.flash_attention") == false);
  CHECK(at(read({{"config.sh", base + "export NVTE_FLASH_ATTN=0\n"}}),
           "training.flash_attention") != false);
  CHECK(stops_at(read({{"config.sh", base + "export NUM_DISTRIBUTED_OPTIMIZER_INSTANCES=4\n"}}),
                 "NUM_DISTRIBUTED_OPTIMIZER_INSTANCES"));
  CHECK(stops_at(read({{"config.sh", base + "export OVERWRITTEN_NUM_LAYERS=4\n"}}),
                 "OVERWRITTEN_NUM_LAYERS"));
}

TEST_CASE("torchtitan's unknown settings of the optimizer are named or stop") {
  const std::string base =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 2\n"
      "seq_len = 8192\n[optimizer]\nname = \"AdamW\"\nlr = 3e-4\n";
  CHECK(stops_at(read({{"a.toml", base + "offload = true\n"}}, kEight), "optimizer.offload"));
  CHECK(is_named(read({{"a.toml", base + "dtype = \"bfloat16\"\n"}}, kEight), "optimizer.dtype"));
  const ImportedRun plain =
      read({{"a.toml", base + "implementation = \"fused\"\neps = 1e-8\n"}}, kEight);
  CHECK(!is_named(plain, "optimizer"));
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
  CHECK(stops_at(nemo("  dpo:\n    ref_policy_kl_penalty: 0.1\n"), "model.dpo"));
  CHECK(stops_at(nemo("", "  accelerator: cpu\n"), "trainer.accelerator"));
}

TEST_CASE("torchtitan's older switch of the shared loss stops where it is off") {
  const auto titan = [](const std::string& degree) {
    return read({{"a.toml",
                  "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nbatch_size = 2\n"
                  "seq_len = 8192\nenable_loss_parallel = false\ntensor_parallel_degree = " +
                      degree + "\n"}},
                kEight);
  };
  CHECK(stops_at(titan("2"), "training.enable_loss_parallel"));
  CHECK(!stops_at(titan("1"), "training.enable_loss_parallel"));
}

TEST_CASE("DeepSpeed's own words of types") {
  const auto states = [](const std::string& more) {
    return at(read({{"ds.json", R"({"train_batch_size": 8, "bf16": {"enabled": true}, )" + more +
                                    R"("zero_optimization": {"stage": 1}})"}},
                   kEight),
              "training.states");
  };
  CHECK(states(R"("communication_data_type": "bfp16", )") ==
        states(R"("communication_data_type": "bf16", )"));
  CHECK(states(R"("data_types": {"grad_accum_dtype": "float32"}, )") ==
        states(R"("data_types": {"grad_accum_dtype": "fp32"}, )"));
  CHECK(states(R"("communication_data_type": null, )") == states(""));
}

TEST_CASE("Experts of Megatron-DeepSpeed are padded to their capacity") {
  const std::string moe =
      "--fp16 --deepspeed --num-experts 8 --zero-stage 0 --no-pipeline-parallel ";
  const ImportedRun twice = read(started_megatron(moe + "--moe-train-capacity-factor 2.0"));
  CHECK(at(twice, "model.moe_expert_capacity_factor") == 2.0);
  CHECK(at(twice, "model.moe_pad_expert_input_to_capacity") == true);
  const char* factor = "model.moe_expert_capacity_factor";
  CHECK(at(read(started_megatron(moe + "--moe-train-capacity-factor 1.0")), factor).is_null());
  CHECK(at(read(started_megatron(moe + "--moe-train-capacity-factor 2.0 "
                                       "--disable-moe-token-dropping")),
           factor)
            .is_null());
}

TEST_CASE("Second models, rollouts and flags of Megatron-LM's forks are not passed over") {
  for (const char* name : {"--mos", "--kd", "--perform-rl-step", "--swap-optimizer",
                           "--use-dualpipev", "--enable-zbh1-pipeline"})
    CHECK(stops_at(read(started_megatron(std::string("--bf16 ") + name)), name));
  const char* flash = "training.flash_attention";
  CHECK(at(read(started_megatron("--bf16 --deepspeed --use-flash-attn-builder")), flash) == true);
  CHECK(at(read(started_megatron("--bf16 --deepspeed")), flash) == false);
  const std::string loss = "--bf16 --cross-entropy-loss-fusion --cross-entropy-fusion-impl ";
  CHECK(stops_at(read(started_megatron(loss + "linear")), "--cross-entropy-fusion-impl"));
  CHECK(!stops_at(read(started_megatron(loss + "te")), "--cross-entropy-fusion-impl"));
  CHECK(at(read(started_megatron("--bf16 --num-nextn-predict-layers 1")),
           "model.num_nextn_predict_layers") == 1);
}

TEST_CASE("CUDA graphs and stages that wait for each other are named") {
  for (const char* graphs :
       {"--enable-cuda-graph", "--external-cuda-graph", "--cuda-graph-impl local"})
    CHECK(is_named(read(started_megatron(std::string("--bf16 ") + graphs)), graphs));
  CHECK(!is_named(read(started_megatron("--bf16 --cuda-graph-impl none")), "cuda"));
  const std::string stages =
      "--bf16 --pipeline-model-parallel-size 2 --no-overlap-p2p-communication ";
  CHECK(is_named(read(started_megatron(stages + "--num-layers-per-virtual-pipeline-stage 1")),
                 "--no-overlap-p2p-communication"));
  CHECK(!is_named(read(started_megatron(stages)), "--no-overlap-p2p-communication"));
}

TEST_CASE("A layer that predicts again and again, and attention of Megatron-LM's own") {
  const std::string ahead = "--bf16 --mtp-use-repeated-layer --mtp-num-layers ";
  CHECK(stops_at(read(started_megatron(ahead + "2")), "--mtp-use-repeated-layer"));
  CHECK(!stops_at(read(started_megatron(ahead + "1")), "--mtp-use-repeated-layer"));
  CHECK(at(read(started_megatron("--bf16 --export-force-local-attention")),
           "training.flash_attention") == false);
}

TEST_CASE("A list of hosts leaves the GPUs open") {
  const auto gpus = [](const std::string& launcher) {
    return is_open(read(small_megatron(launcher, "--bf16")), "cluster.gpus");
  };
  CHECK(gpus("deepspeed --hostfile hosts"));
  CHECK(gpus("mpirun --hostfile hosts python"));
  CHECK(!gpus("deepspeed --hostfile hosts --num_nodes 2 --num_gpus 8"));
  CHECK(!gpus("mpirun -np 16 --hostfile hosts python"));
}

TEST_CASE("A width of one's own goes over the model that a file names") {
  const ConfigLookup lookup = testing::shipped_configs();
  const auto primus = [&](const std::string& more) {
    return import_files({{{"x.yaml",
                           "modules:\n  pre_trainer:\n    framework: megatron\n"
                           "    model: llama3.1_8B.yaml\n    overrides:\n      bf16: true\n" +
                               more}},
                         {},
                         json_of(kEight),
                         {},
                         &lookup});
  };
  CHECK(is_open(primus("      hidden_size: 5120\n"), "model"));
  CHECK(!is_open(primus("      hidden_size: 4096\n"), "model"));
}

TEST_CASE("Whole numbers in a checkpoint of compressed-tensors are quantised weights") {
  const ConfigLookup lookup = testing::shipped_configs();
  const auto fitted = [&](const char* config) {
    ImportedRun r;
    r.run["model"] = json_of(R"({"model_type": "llama", "hidden_size": 64})");
    r.run["model"]["quantization_config"] = json_of(config);
    fit_import(r, Json::object(), lookup);
    return stops_at(r, "quantization_config.quant_method");
  };
  CHECK(fitted(R"({"quant_method": "compressed-tensors", "format": "pack-quantized"})"));
  CHECK(!fitted(R"({"quant_method": "compressed-tensors", "format": "float-quantized"})"));
  CHECK(fitted(R"({"load_in_4bit": true})"));
  CHECK(fitted(R"({"quant_method": "bitnet"})"));
}

TEST_CASE("Megatron-LM's experts that run one by one are named") {
  const std::string moe = "--bf16 --num-experts 8 --moe-token-dispatcher-type alltoall ";
  const auto named = [](const std::string& arguments) {
    return is_named(read(started_megatron(arguments)), "moe-grouped-gemm");
  };
  CHECK(named(moe));
  CHECK(named(moe + "--expert-model-parallel-size 4"));
  CHECK_FALSE(named(moe + "--expert-model-parallel-size 8"));  // one on each rank
  CHECK_FALSE(named(moe + "--moe-grouped-gemm"));
  CHECK_FALSE(named("--bf16"));
}

}  // namespace orrery
