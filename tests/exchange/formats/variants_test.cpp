// SPDX-License-Identifier: Apache-2.0
// Settings that other releases and habits write, with what they say worked out by hand.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "read_text.h"

namespace orrery {
namespace {

using testing::json_of;
using namespace formats;  // NOLINT

}  // namespace

TEST_CASE("DeepSpeed's and Apex's autocast are 16 bits over weights of 32") {
  const std::string head = R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 1, )";
  const ImportedRun torch =
      read(head + R"("torch_autocast": {"enabled": true, "dtype": "bfloat16"}})");
  CHECK(at(torch, "training.precision") == "bf16");
  CHECK(at(torch, "training.states") == "fp32-adam-16");
  CHECK(at(read(head + R"("amp": {"enabled": true}})"), "training.precision") == "fp16");
  CHECK(is_open(read(head + R"("amp": {"enabled": true, "opt_level": "O2"}})"),
                "training.precision"));
  CHECK(is_open(read(head + R"("fp16": true})"), "training.precision"));
  CHECK(is_open(read(head + R"("bf16": {"enabled": true, "bf16_master_weights_and_grads": true}})"),
                "training.states"));
}

TEST_CASE("torchtitan's states, offload and stages are those of the file") {
  const auto of = [](const std::string& more) {
    return read("[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 4096\n" + more,
                kEight);
  };
  CHECK(at(of(""), "training.states").is_null());
  CHECK(at(of("dtype = \"bfloat16\"\n"), "training.states")["weights"] == 2);
  CHECK(at(of("mixed_precision_reduce = \"bfloat16\"\n"), "training.states")["reduced"] == 2);
  CHECK(at(of("[optimizer]\nearly_step_in_backward = true\n"), "training.states")["gradients"] ==
        0);
  CHECK(at(of("enable_cpu_offload = true\n"), "parallel.offload.parameters") == "host");
  CHECK(is_open(of("[activation_checkpoint]\nmode = \"memory_budget\"\nmemory_budget = 0.5\n"),
                "parallel.recompute"));
  const std::string stages =
      "[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = "
      "\"Interleaved1F1B\"\npipeline_parallel_layers_per_stage = ";
  CHECK(is_open(of(stages + "5\n"), "parallel.vpp"));
  CHECK(at(of("[parallelism]\npipeline_parallel_degree = 2\n"
              "pipeline_parallel_schedule = \"interleaved1f1b\"\n"),
           "parallel.schedule") == "interleaved");
  const ConfigLookup lookup = testing::shipped_configs();
  ImportJob job{{{"a", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 4096\n" +
                           stages + "6\n"}},
                {},
                json_of(kEight)};
  job.lookup = &lookup;
  CHECK(at(import_files(std::move(job)), "parallel.vpp") == 3);
}

TEST_CASE("Accelerate's context ranks are a ring or Ulysses, and older keys count") {
  const auto of = [](const std::string& more) {
    return read("distributed_type: FSDP\nnum_processes: 16\nmixed_precision: bf16\n" + more);
  };
  const std::string sizes = "parallelism_config:\n  parallelism_config_dp_shard_size: 4\n";
  const ImportedRun ring = of(sizes + "  parallelism_config_cp_size: 4\n");
  CHECK(at(ring, "parallel.cp_type") == "all_gather");
  const ImportedRun passed = of(
      sizes + "  parallelism_config_cp_size: 4\n  parallelism_config_cp_comm_strategy: alltoall\n");
  CHECK(at(passed, "parallel.cp_type") == "p2p");
  const ImportedRun ulysses = of(sizes + "  parallelism_config_sp_size: 4\n");
  CHECK(at(ulysses, "parallel.cp") == 4);
  CHECK(at(ulysses, "parallel.cp_type") == "a2a");
  CHECK(is_open(of(sizes + "  parallelism_config_sp_size: 4\n  parallelism_config_cp_size: 2\n"),
                "parallel.cp"));
  CHECK(at(of("dynamo_backend: INDUCTOR\n"), "parallel.framework_options.compile") == true);
}

TEST_CASE("Axolotl's older names are read") {
  const auto of = [](const std::string& more) {
    return read(kAxolotl + "bf16: true\n" + more, kEight);
  };
  CHECK(at(of("sequence_parallel_degree: 4\n"), "parallel.cp") == 4);
  CHECK(at(of("flash_attention: false\nsdp_attention: true\n"), "training.flash_attention") ==
        true);
  CHECK(at(of("fsdp: [shard_grad_op, auto_wrap]\n"),
           "parallel.framework_options.reshard_after_forward") == "false");
  const ImportedRun batch = read(
      "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 2\nbatch_size: "
      "16\n"
      "bf16: true\n",
      kEight);
  CHECK(at(batch, "training.global_batch") == 128);
}

TEST_CASE("torchtune's checkpointing, compiling and fp8 have several keys") {
  const auto of = [](const std::string& more) {
    return read(
        "model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\nbatch_size: 2\ndtype: "
        "bf16\n" +
            more,
        kEight);
  };
  CHECK(at(of(""), "parallel.recompute") == "none");
  CHECK(at(of("ac_mode: full\n"), "parallel.recompute") == "full");
  CHECK(is_open(of("ac_mode: selective\nac_option: 2\n"), "parallel.recompute"));
  CHECK(is_open(of("enable_activation_checkpointing: true\nac_mode: selective\n"),
                "parallel.recompute"));
  CHECK(at(of("compile: {model: true, loss: true}\n"), "parallel.framework_options.compile") ==
        true);
  CHECK(at(of("enable_fp8_training: true\n"), "training.precision") == "fp8");
  CHECK(at(of("fsdp_reshard_after_forward: false\n"),
           "parallel.framework_options.reshard_after_forward") == "false");
}

TEST_CASE("Megatron-Bridge's precision may be a recipe's name, and overrides leave degrees open") {
  const auto of = [](const std::string& name) {
    return read(
        "model:\n  tensor_model_parallel_size: 2\ntrain:\n  global_batch_size: "
        "64\nmixed_precision: " +
        name + "\n");
  };
  CHECK(at(of("bf16_mixed"), "training.precision") == "bf16");
  CHECK(at(of("bf16_with_fp8_current_scaling_mixed"), "training.precision") == "fp8");
  CHECK(at(of("bf16_with_mxfp8_mixed"), "training.precision") == "mxfp8");
  CHECK(at(of("bf16_with_nvfp4_mixed"), "training.precision") == "nvfp4");
  CHECK(is_open(of("bf16_mixed"), "parallel.pp"));
  CHECK(is_open(of("bf16_mixed"), "parallel.cp"));
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
  CHECK(r.not_understood.empty());
  CHECK(at(r, "training.states") == "adam-fp16-gradients-20");
  CHECK(at(of("mcore_distributed_optim"), "training.states") == "adam-fp32-gradients-18");
  CHECK(at(of("distributed_fused_adam, grad_sync_dtype: bf16"), "training.states") ==
        "adam-mixed-16");
  const char* overlap = "parallel.framework_options.overlap_grad_reduce";
  CHECK(at(r, overlap) == false);
  CHECK(at(of("distributed_fused_adam"), overlap) == true);
  CHECK(at(of("distributed_fused_adam, overlap_grad_sync: false"), overlap) == false);
}

TEST_CASE(
    "Megatron-LM's latent attention has no compressed queries unless told, and a part of a model "
    "completes a file") {
  const std::string text =
      "--num-layers 4 --hidden-size 2048 --num-attention-heads 16 --multi-latent-attention "
      "--kv-lora-rank 512 --seq-length 2048 --micro-batch-size 1 --bf16";
  CHECK(at(read(text), "model.q_lora_rank").is_null());
  const ConfigLookup lookup = testing::shipped_configs();
  ImportJob job{{{"a", text}}, {}, json_of(R"({"model": {"vocab_size": 32000}})")};
  job.lookup = &lookup;
  CHECK(at(import_files(std::move(job)), "model.num_hidden_layers") == 4);
}

TEST_CASE("a script of Megatron-DeepSpeed keeps its profile and states beside its DeepSpeed file") {
  const ImportedRun r = read(
      {{"x.sh",
        "deepspeed --num_nodes 1 --num_gpus 8 pretrain_gpt.py --deepspeed --num-layers 4 "
        "--hidden-size 2048 "
        "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 1 --global-batch-size 8 "
        "--fp16\n"},
       {"ds.json",
        R"({"train_batch_size": 8, "fp16": {"enabled": true}, "zero_optimization": {"stage": 1}})"}});
  CHECK(at(r, "framework") == "megatron-deepspeed");
  CHECK(at(r, "training.states") == "adam-mixed-16");
  CHECK(at(r, "parallel.zero") == 1);
}

TEST_CASE("nvidia-smi's list and table name a node's GPUs") {
  std::string log = "==============NVSMI LOG==============\n\nAttached GPUs : 8\n";
  std::string table = "index, name, memory.total [MiB]\n";
  for (int i = 0; i < 8; ++i) {
    log += "GPU 00000000:0" + std::to_string(i) + ":00.0\n    Product Name   : NVIDIA H200\n";
    table += std::to_string(i) + ", NVIDIA A100-SXM4-40GB, 40960 MiB\n";
  }
  CHECK(at(read(log), "cluster.node") == "hgx-h200");
  CHECK(at(read(table), "cluster.node") == "dgx-a100-40gb");
  CHECK(is_open(read(log.substr(0, log.rfind("GPU "))), "cluster.node"));
  CHECK_THROWS_AS(read(log + "    Product Name   : NVIDIA H100 PCIe\n"), InputError);
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

TEST_CASE("Primus beside torchtitan has torchtitan's tables") {
  const std::string head =
      "modules:\n  pre_trainer:\n    framework: torchtitan\n    model: llama3.1_8B.yaml\n";
  const std::string tables =
      "    overrides:\n      training: {local_batch_size: 4, seq_len: 8192}\n"
      "      parallelism: {tensor_parallel_degree: 2, data_parallel_shard_degree: -1}\n"
      "      activation_checkpoint: {mode: full}\n";
  const ImportedRun r = read(head + tables, kEight);
  CHECK(at(r, "model") == "llama-3-8b");
  CHECK(at(r, "framework") == "torchtitan");
  CHECK(at(r, "training.global_batch") == 16);
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(is_open(read(head + "    config: pre_trainer.yaml\n" + tables, kEight), "parallel.pp"));
}

TEST_CASE("torchtitan's files of 2024, and degrees that are not the world") {
  const std::string old =
      "[model]\nname = \"llama2\"\nflavor = \"13b\"\n[training]\nbatch_size = 8\nseq_len = 2048\n"
      "data_parallel_degree = -1\ntensor_parallel_degree = 2\npipeline_parallel_degree = 2\n";
  const ImportedRun r =
      read(old +
               "fp8_linear = \"dynamic\"\n[experimental]\npipeline_parallel_schedule = "
               "\"interleaved_1f1b\"\n",
           kEight);
  CHECK(at(r, "model") == "llama-2-13b");
  CHECK(at(r, "training.precision") == "fp8");
  CHECK(at(r, "parallel.schedule") == "interleaved");
  CHECK(at(r, "training.global_batch") == 16);
  CHECK(at(read(old + "fp8_linear = \"\"\n", kEight), "training.precision") == "bf16");
  const std::string whole =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len = "
      "2048\n"
      "[parallelism]\ndata_parallel_shard_degree = 8\ntensor_parallel_degree = 2\n";
  CHECK(at(read(whole), "cluster.gpus") == 16);
  CHECK(stops_at(read(whole, kEight), "replicas x shards"));
}

TEST_CASE("Old scripts of Megatron-LM have no fused attention unless they ask for it") {
  const std::string old =
      "python pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 "
      "--seq-length 1024 --micro-batch-size 4 --DDP-impl local --fp16";
  CHECK(at(read(old), "training.flash_attention") == false);
  CHECK(at(read(old + " --use-flash-attn"), "training.flash_attention") == true);
  CHECK(at(read(old + " --transformer-impl transformer_engine"), "training.flash_attention") ==
        true);
}

TEST_CASE("Settings that stand in a file that is not given are open, and other optimizers known") {
  const std::string head = "torchrun --nproc_per_node 8 pretrain_gpt.py ";
  CHECK(is_open(read(head + "--yaml-cfg config.yaml"), "parallel.tp"));
  CHECK(at(read(head + "--num-layers 2 --bf16 --optimizer dist_muon"), "training.optimizer") ==
        "muon");
}

TEST_CASE("Degrees of a trainer's file that are not the world stop the import") {
  const std::string shards = kAxolotl +
                             "bf16: true\nfsdp_version: 2\nfsdp_config: {reshard_after_forward: "
                             "true}\ndp_shard_size: 4\ntensor_parallel_size: ";
  CHECK(stops_at(read(shards + "4\n", kEight), "dp_shard_size"));
  CHECK_FALSE(stops_at(read(shards + "2\n", kEight), "dp_shard_size"));
  CHECK(stops_at(read(kAxolotl + "bf16: true\nunfrozen_parameters: ['^lm_head.weight$']\n", kEight),
                 "unfrozen_parameters"));
  const ImportedRun hybrid = read(
      "distributed_type: FSDP\nmixed_precision: bf16\nnum_machines: 4\nnum_processes: 32\n"
      "fsdp_config: {fsdp_sharding_strategy: HYBRID_SHARD}\n");
  CHECK(at(hybrid, "parallel.zero_shard_group") == 8);
}

TEST_CASE("LLaMA-Factory's files for Megatron-Core are not Hugging Face's training") {
  const std::string head =
      "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nfinetuning_type: full\ncutoff_len: 4096\n"
      "per_device_train_batch_size: 1\nbf16: true\npipeline_model_parallel_size: 2\n"
      "use_distributed_optimizer: true\n";
  const ImportedRun r = read(head, kEight);
  CHECK(at(r, "framework") == "megatron-core");
  CHECK(at(r, "parallel.zero") == 1);
  CHECK(at(r, "parallel.recompute") == "none");
  CHECK(at(r, "training.states").is_null());
  CHECK(at(read(head + "recompute_granularity: full\n", kEight), "parallel.recompute") == "full");
}

TEST_CASE("Bytes that are no UTF-8 are shown as replaced, whatever reads them") {
  const ImportedRun script =
      read("torchrun --nproc_per_node 8\xff pretrain_gpt.py --num-layers 2 --seq-length 8");
  CHECK(at(script, "model.num_hidden_layers") == 2);
  const ImportedRun yaml = read(kAxolotl + "bf16: true\noptimizer: \"\xff\xfe\"\n", kEight);
  CHECK(is_open(yaml, "training.optimizer"));
}

TEST_CASE(
    "FSDP's words count in any letters, and its checkpoints and offload are the trainer's too") {
  const std::string head =
      "distributed_type: FSDP\nnum_processes: 8\nmixed_precision: bf16\nfsdp_config:\n";
  const ImportedRun old = read(
      head + "  fsdp_sharding_strategy: shard_grad_op\n  fsdp_activation_checkpointing: true\n");
  CHECK(at(old, "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(at(old, "parallel.recompute") == "full");
  const ImportedRun unknown =
      read(head + "  fsdp_sharding_strategy: MOSTLY\n  fsdp_activation_checkpointing: true\n");
  CHECK(is_open(unknown, "parallel.zero"));
  CHECK(at(unknown, "parallel.recompute") == "full");
  const std::string axolotl =
      "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 2\nbf16: true\n";
  const ImportedRun offloads = read(
      axolotl + "fsdp: [full_shard, offload]\nfsdp_config: {fsdp_activation_checkpointing: true}\n",
      kEight);
  CHECK(at(offloads, "parallel.recompute") == "full");
  CHECK(at(offloads, "parallel.offload.parameters") == "host");
  CHECK(at(offloads, "parallel.offload.optimizer") == "host");
  const ImportedRun some = read(
      axolotl +
          "adapter: lora\nlora_r: 8\nlora_target_linear: true\nlora_layers_to_transform: [0, 1]\n",
      kEight);
  CHECK(stops_at(some, "lora_layers_to_transform"));
}

TEST_CASE("Words of a launch that may be more arguments are never taken as none without a word") {
  const std::string head = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --bf16 ";
  const auto said = [](const ImportedRun& r, const std::string& setting) {
    return std::any_of(r.not_understood.begin(), r.not_understood.end(),
                       [&](const LeftOver& l) { return l.setting == setting; });
  };
  CHECK(stops_at(read("mapfile -t MORE < args.txt\n" + head + "\"${MORE[@]}\""), "$MORE"));
  CHECK(stops_at(read(head + "$(python3 more.py)"), "$(python3 more.py)"));
  CHECK(stops_at(read("source ./common.sh\n" + head + "$MORE"), "$MORE"));
  const ImportedRun unset = read(head + "$MORE \"$@\"");
  CHECK(said(unset, "$MORE"));
  CHECK_FALSE(stops_at(unset, "$"));
  GivenSetting none{"MORE", "none"};
  CHECK_FALSE(stops_at(read({{"a", "source ./common.sh\n" + head + "$MORE"}}, "{}", {none}), "$"));
}

TEST_CASE(
    "A launcher's GPUs are torchtitan's, and a Trainer's command line is no script of "
    "Megatron-LM") {
  const ImportedRun titan = read(
      "torchrun --nproc_per_node 8 --nnodes 2 -m torchtitan.train --model.name llama3 "
      "--model.flavor 8B "
      "--training.local_batch_size 2 --training.seq_len 4096");
  CHECK(at(titan, "cluster.gpus") == 16);
  CHECK(at(titan, "training.global_batch") == 32);
  const ImportedRun trainer =
      read("accelerate launch train.py --model_name_or_path x --per_device_train_batch_size 2");
  CHECK(is_open(trainer, "model"));
  CHECK(at(trainer, "framework") == "hf-trainer");
  const ImportedRun overrides = read(
      "torchrun --nproc_per_node 8 run.py --recipe llama3_8b "
      "model.tensor_model_parallel_size=4 --num-layers 2");
  CHECK(at(overrides, "parallel.tp") == 4);
  CHECK(is_open(overrides, "parallel.zero"));
  CHECK(stops_at(read("torchrun --nproc_per_node 8 run.py data.size=4 --num-layers 2"),
                 "data.size=4"));
  // TOML without a section, and a byte order mark.
  const ImportedRun toml = read(
      "# 8B\nmodel = {name = \"llama3\", flavor = \"8B\"}\ntraining.seq_len = 8192\n"
      "parallelism.tensor_parallel_degree = 2\n",
      kEight);
  CHECK(at(toml, "parallel.tp") == 2);
  CHECK(at(read("\xef\xbb\xbf{\"train_batch_size\": 64, \"bf16\": {\"enabled\": true}}"),
           "training.global_batch") == 64);
  // Half a character, where a pattern cut one.
  CHECK(at(read("X=\xc3\xa9\ntorchrun --nproc_per_node \"${X#?}\" pretrain_gpt.py --num-layers 2"),
           "model.num_hidden_layers") == 2);
  CHECK(at(read("args:\n--num-layers 2 --micro-batch-size 4\n--fp16\n"), "training.precision") ==
        "fp16");
}

TEST_CASE("What a provider of Megatron-Bridge has in Python is not Megatron-LM's default") {
  const auto dump = [](const std::string& more) {
    return read(
        "train: {micro_batch_size: 1, global_batch_size: 8}\nmixed_precision: bf16_mixed\nmodel:\n"
        "  _target_: megatron.bridge.models.llama.llama_provider.Llama3ModelProvider8B\n"
        "  num_layers: 32\n  hidden_size: 4096\n  num_attention_heads: 32\n  seq_length: 4096\n" +
            more,
        kEight);
  };
  CHECK(is_open(dump(""), "model.position_embedding"));
  CHECK(at(dump(""), "training.precision") == "bf16");
  CHECK_FALSE(is_open(dump("  normalization: RMSNorm\n"), "model.position_embedding"));
}

TEST_CASE("Accelerate's own part of DeepSpeed and a file of DeepSpeed may not differ") {
  const auto both = [](const std::string& stage) {
    return read({{"a.yaml",
                  "distributed_type: DEEPSPEED\nnum_processes: 8\nmixed_precision: bf16\n"
                  "deepspeed_config: {zero_stage: " +
                      stage + ", offload_optimizer_device: cpu}\n"},
                 {"ds.json", R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 8,
                     "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})"}});
  };
  CHECK(at(both("3"), "parallel.zero") == 3);
  CHECK(at(both("3"), "parallel.offload.optimizer") == "host");
  CHECK(is_open(both("2"), "parallel.zero"));
}

TEST_CASE("Axolotl's kernels and gathers are listed and do not stop, and unsloth offloads") {
  const ImportedRun r = read(kAxolotl +
                                 "bf16: true\nfp8: true\nfp8_enable_fsdp_float8_all_gather: true\n"
                                 "cut_cross_entropy: true\nflex_attention: true\n",
                             kEight);
  CHECK(at(r, "parallel.framework_options.loss") == "linear-fused");
  CHECK(std::none_of(r.not_understood.begin(), r.not_understood.end(),
                     [](const LeftOver& l) { return l.stops; }));
  CHECK(r.not_understood.size() == 2);
  const ImportedRun unsloth = read(
      "gradient_checkpointing: unsloth\nbase_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\n"
      "micro_batch_size: 1\n",
      kEight);
  CHECK(at(unsloth, "parallel.offload.activations") == "host");
}

TEST_CASE("Liger patches a model whoever shards it, each part by its own switch") {
  const auto of = [](const std::string& more) {
    return read(
        {{"a.yml", kAxolotl +
                       "bf16: true\ndeepspeed: zero3.json\n"
                       "plugins: [axolotl.integrations.liger.LigerPlugin]\n" +
                       more},
         {"zero3.json", R"({"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}})"}},
        kEight);
  };
  const std::string layers = "liger_rope: true\nliger_rms_norm: true\nliger_glu_activation: true\n";
  const auto option = [](const ImportedRun& r, const char* name) {
    return value_at(r.run, std::string("parallel.framework_options.") + name);
  };
  const ImportedRun none = of("");
  CHECK(option(none, "kernels").is_null());
  CHECK(option(none, "loss").is_null());
  const ImportedRun all = of(layers + "liger_fused_linear_cross_entropy: true\n");
  CHECK(option(all, "kernels") == "liger");
  CHECK(option(all, "loss").is_null());
  CHECK(all.not_understood.empty());
  CHECK(option(of(layers), "loss") == "unfused");
  const ImportedRun cut = of(layers + "cut_cross_entropy: true\n");
  CHECK(option(cut, "kernels") == "liger");
  CHECK(option(cut, "loss") == "linear-fused");
  CHECK(cut.not_understood.empty());
  CHECK(option(of(layers + "liger_cross_entropy: true\n"), "loss") == "in-place");
  const ImportedRun loss = of("liger_fused_linear_cross_entropy: true\n");
  CHECK(option(loss, "kernels").is_null());
  CHECK(option(loss, "loss") == "linear-fused");
  CHECK(is_named(of("liger_rms_norm: true\n"), "liger_*"));
}

TEST_CASE("torchtune's losses keep all logits, their softmax or both") {
  const auto of = [](const std::string& loss) {
    return at(read("model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\nbatch_size: 2\n"
                   "dtype: bf16\nloss: {_component_: torchtune.modules.loss." +
                       loss + "}\n",
                   kEight),
              "parallel.framework_options.loss");
  };
  CHECK(of("LinearCrossEntropyLoss") == "chunked");
  CHECK(of("CEWithChunkedOutputLoss") == "fused");
  CHECK(of("CrossEntropyLoss").is_null());
}

TEST_CASE("SGD without momentum keeps nothing beside weights and gradients") {
  const auto states = [](const std::string& text) {
    return at(read(text, kEight), "training.states");
  };
  const Json plain = states(kAxolotl + "bf16: true\noptimizer: sgd\n");
  CHECK(plain["weights"] == 2);
  CHECK(plain["optimizer"] == 0);
  const Json sharded =
      states(kAxolotl + "bf16: true\noptimizer: sgd\nfsdp_config:\n  fsdp_version: 2\n");
  CHECK(sharded["weights"] == 4);
  CHECK(sharded["gathered"] == 2);
  const Json wide = states(kAxolotl +
                           "bf16: false\ntf32: true\noptimizer: sgd\nfsdp_config:\n"
                           "  fsdp_version: 2\n");
  CHECK(wide["gathered"] == 4);
  const std::string tune =
      "model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\nbatch_size: 2\ndtype: bf16\n"
      "optimizer: {_component_: torch.optim.SGD, momentum: ";
  CHECK(states(tune + "0.9}\n")["optimizer"] == 2);
  CHECK(states(tune + "0}\n")["optimizer"] == 0);
}

TEST_CASE("Files of LLaMA-Factory that train nothing stop, and its defaults are listed") {
  const std::string base =
      "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: lora\n"
      "cutoff_len: 2048\n";
  CHECK(stops_at(read(base + "do_predict: true\nbf16: true\n", kEight), "do_predict"));
  CHECK(stops_at(read(base + "do_train: false\nbf16: true\n", kEight), "do_train"));
  CHECK(stops_at(read(base + "export_dir: out\nbf16: true\n", kEight), "export_dir"));
  CHECK(!stops_at(read(base + "do_train: true\ndo_predict: true\nbf16: true\n", kEight), "do_"));
  CHECK(is_open(read(base + "do_train: true\n", kEight), "training.precision"));
  const ImportedRun usual = read(base + "do_train: true\nbf16: true\n", kEight);
  const auto assumes = [&](const char* path, const char* value) {
    return std::any_of(usual.assumed.begin(), usual.assumed.end(), [&](const Assumed& a) {
      return a.path == path && a.value.find(value) != std::string::npos;
    });
  };
  CHECK(assumes("training.micro_batch", "8"));
  CHECK(assumes("parallel.recompute", "full"));
  CHECK(assumes("training.adapter", "rank 8"));
}

}  // namespace orrery
