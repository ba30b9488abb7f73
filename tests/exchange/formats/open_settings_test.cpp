// SPDX-License-Identifier: Apache-2.0
// Forms of files that users bring, whose settings were lost, guessed or refused for a wrong reason.
#include <doctest/doctest.h>

#include "core/error.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

std::string error_of(const std::string& name, const std::string& text) {
  try {
    read({{name, text}});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

const std::string kPlain =
    "model_name_or_path: Qwen/Qwen3-4B\nper_device_train_batch_size: 2\nmax_length: 1024\n"
    "packing: true\n";

}  // namespace

TEST_CASE("The size of a table of positions that a model lacks is no question") {
  const std::string unknown = "--bf16 --max-position-embeddings $(cat most) ";
  CHECK_FALSE(is_open(read(started_megatron(unknown + "--position-embedding-type rope")),
                      "model.max_position_embeddings"));
  CHECK(is_open(read(started_megatron(unknown)), "model.max_position_embeddings"));
}

TEST_CASE("Megatron-LM's own YAML is not Primus's") {
  CHECK(error_of("gpt.yaml",
                 "language_model:\n  num_layers: 24\nmodel_parallel:\n"
                 "  tensor_model_parallel_size: 1\nmicro_batch_size: 2\n")
            .find("--yaml-cfg") != std::string::npos);
}

TEST_CASE("Megatron-Bridge's length is its data's where its model says none") {
  const std::string base =
      "train:\n  global_batch_size: 8\n  micro_batch_size: 1\nmixed_precision: bf16_mixed\n";
  const std::string data = "dataset:\n  sequence_length: 4096\n";
  CHECK(at(read(base + data), "training.sequence_length") == 4096);
  CHECK(at(read(base + data + "model:\n  seq_length: 2048\n"), "training.sequence_length") == 2048);
  CHECK(at(read("python run_recipe.py --recipe x dataset.seq_length=512 train.micro_batch_size=1 "
                "model.tensor_model_parallel_size=2\n"),
           "training.sequence_length") == 512);
}

TEST_CASE("A checkpoint says the type of weights that nothing makes fp32") {
  const std::string automatic = kPlain + "torch_dtype: auto\n";
  CHECK(is_open(read(automatic + "bf16: true\n", kEight), "training.states"));
  CHECK(is_open(read(automatic, kEight), "training.precision"));
  CHECK(at(read(automatic + "bf16: true\nfsdp: full_shard\n", kEight), "training.states") ==
        "fsdp-amp");
  CHECK_FALSE(
      is_open(read(automatic + "bf16: true\nuse_peft: true\nlora_target_modules: all\n", kEight),
              "training.states"));
}

TEST_CASE("Two ways to say FSDP's sharding that differ leave it open") {
  const std::string strategy = "fsdp_config:\n  fsdp_sharding_strategy: SHARD_GRAD_OP\n";
  CHECK(is_open(read(kAxolotl + "fsdp: [full_shard, auto_wrap]\n" + strategy, kEight),
                "parallel.zero"));
  CHECK(at(read(kAxolotl + "fsdp: [shard_grad_op, auto_wrap]\n" + strategy, kEight),
           "parallel.framework_options.reshard_after_forward") == "false");
}

TEST_CASE("qlora.py trains adapters beside 4 bits unless it is told otherwise") {
  const std::string command =
      "python qlora.py --model_name_or_path huggyllama/llama-7b --bf16 --lora_modules all "
      "--source_max_len 16 --target_max_len 512 ";
  const ImportedRun r = read(command, R"({"cluster": {"gpus": 1}})");
  CHECK(at(r, "training.adapter.kind") == "qlora");
  CHECK(at(r, "training.adapter.rank") == 64);
  CHECK(at(r, "training.adapter.targets").is_null());
  CHECK(at(r, "training.sequence_length") == 528);
  CHECK(at(r, "training.global_batch") == 16);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(at(read(command + "--bits 8"), "training.adapter.base_precision") == "int8");
  CHECK(at(read(command + "--bits 16"), "training.adapter.kind") == "lora");
  CHECK(at(read(command + "--full_finetune --bits 16"), "training.adapter").is_null());
  CHECK(stops_at(read(command + "--quant_type fp4"), "quant_type"));
}

TEST_CASE("A sourced file of variables may be called .conf, and may speak of switches") {
  const ImportedRun r =
      read({{"job.conf", "# SwitchName=leaf1 is ours\nTP=4\nexport GPUS=8\n"},
            {"run.sh", "source ./job.conf\n" + small_megatron("torchrun --nproc_per_node $GPUS",
                                                              "--bf16 --tensor-model-parallel-size "
                                                              "$TP")}});
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "cluster.gpus") == 8);
}

TEST_CASE("Lines that end in CR LF go on behind a backslash, and UTF-16 is named") {
  const std::string lines =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 \\\r\n"
      "  --hidden-size 64 --num-attention-heads 4 --seq-length 32 \\\r\n"
      "  --micro-batch-size 2 --global-batch-size 16 --bf16\r\n";
  CHECK(at(read(lines), "training.micro_batch") == 2);
  CHECK(at(read(lines), "training.precision") == "bf16");
  CHECK(error_of("a.yaml", std::string("\xff\xfe"
                                       "b\0a\0",
                                       6))
            .find("UTF-16") != std::string::npos);
}

TEST_CASE("A key of YAML that stands twice is refused by its line") {
  CHECK(error_of("a.yml", kAxolotl + "micro_batch_size: 4\n")
            .find("line 7: found the key \"micro_batch_size\" twice") != std::string::npos);
  CHECK(at(read("base: &b\n  bf16: true\n<<: *b\n" + kPlain), "training.precision") == "bf16");
}

TEST_CASE("DeepSpeed's prefetch is the profile's option, which auto takes from the width") {
  const auto option = [](const std::string& zero, const char* given = "{}") {
    const ImportedRun r = read({{"d.json", R"({"train_batch_size": 8, "bf16": {"enabled": true},
                                              "zero_optimization": {)" +
                                               zero + "}}"}},
                               given);
    return at(r, "parallel.framework_options.stage3_prefetch_bucket_size");
  };
  CHECK(option(R"("stage": 3, "stage3_prefetch_bucket_size": 3e7)") == 30'000'000);
  CHECK(option(R"("stage": 3, "stage3_prefetch_bucket_size": 0)") == 1);
  CHECK(option(R"("stage": 2, "stage3_prefetch_bucket_size": 3e7)").is_null());
  const ImportedRun r = read(
      R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "stage3_prefetch_bucket_size": "auto"}})");
  CHECK(r.prefetch_of_width);
}

TEST_CASE("DeepSpeed's older and empty words of ZeRO and offload") {
  const auto with = [](const std::string& zero) {
    return read(R"({"train_batch_size": 8, "fp16": {"enabled": true}, "zero_optimization": )" +
                zero + "}");
  };
  CHECK(at(with("true"), "parallel.zero") == 1);
  const ImportedRun old = with(R"({"stage": 3, "cpu_offload": true, "cpu_offload_params": true})");
  CHECK(at(old, "parallel.offload.optimizer") == "host");
  CHECK(at(old, "parallel.offload.parameters") == "host");
  const ImportedRun none =
      with(R"({"stage": 3, "offload_param": null, "offload_optimizer": null})");
  CHECK(at(none, "parallel.offload").is_null());
  CHECK_FALSE(stops_at(none, "zero_optimization.offload_param"));
}

TEST_CASE("DeepSpeed counts its batches by Accelerate's processes") {
  const ImportedRun r =
      read({{"a.yaml",
             "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n"
             "  deepspeed_config_file: d.json\n"},
            {"d.json", R"({"bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 2,
                           "gradient_accumulation_steps": 4})"}});
  CHECK(at(r, "training.global_batch") == 64);
}

TEST_CASE("Accumulations that differ leave the batch open") {
  const ImportedRun r = read({{"a.yaml",
                               "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n"
                               "  zero_stage: 2\n  gradient_accumulation_steps: 1\n"},
                              {"t.yaml", kPlain + "bf16: true\ngradient_accumulation_steps: 4\n"}});
  CHECK(is_open(r, "training.global_batch"));
  CHECK(at(r, "training.global_batch").is_null());
}

TEST_CASE("TrainingArguments may hold DeepSpeed's settings themselves") {
  const ImportedRun r =
      read({{"args.json", R"({"model_name_or_path": "gpt2-xl", "per_device_train_batch_size": 2,
                              "block_size": 512, "bf16": true, "deepspeed": {"bf16": {"enabled": "auto"},
                              "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}})"}},
           kEight);
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "parallel.offload.optimizer") == "host");
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "training.global_batch") == 16);
}

TEST_CASE("Layers on the host by their number alone, and Muon's states over replicas") {
  const std::string layers = "--bf16 --cpu-offloading-num-layers 5";
  CHECK(is_open(read(started_megatron(layers)), "parallel.offload.activations"));
  CHECK_FALSE(is_open(read(started_megatron("--bf16 --cpu-offloading-num-layers 0")),
                      "parallel.offload.activations"));
  CHECK(at(read(started_megatron("--bf16 --optimizer dist_muon")), "parallel.zero") == 1);
  CHECK(at(read(started_megatron("--bf16 --optimizer muon")), "parallel.zero") == 0);
}

TEST_CASE("A config.json is whole in its family's words") {
  const ImportedRun r =
      read({{"config.json", R"({"model_type": "gpt2", "n_embd": 1600, "n_head": 25, "n_layer": 48,
                               "vocab_size": 50257})"}});
  const std::vector<std::string> missing = missing_keys(r.run);
  CHECK(std::none_of(missing.begin(), missing.end(),
                     [](const std::string& key) { return key.rfind("model", 0) == 0; }));
}

TEST_CASE("A vocabulary that is padded further than the profile pads it is the model's") {
  CHECK(at(read(started_megatron("--bf16 --padded-vocab-size 4096")), "model.vocab_size") == 4096);
  CHECK(at(read(started_megatron("--bf16 --make-vocab-size-divisible-by 512")),
           "model.vocab_size") == 512);
  CHECK(at(read(started_megatron("--bf16 --make-vocab-size-divisible-by 64")),
           "model.vocab_size") == 100);
  CHECK(at(read(started_megatron("--bf16 --padded-vocab-size 128")), "model.vocab_size") == 100);
}

TEST_CASE("Transformer Engine's word for gathered context is ours") {
  CHECK(at(read(started_megatron("--bf16 --context-parallel-size 2 --cp-comm-type all_gather")),
           "parallel.cp_type") ==
        at(read(started_megatron("--bf16 --context-parallel-size 2 --cp-comm-type allgather")),
           "parallel.cp_type"));
}

TEST_CASE("What a branch in doubt adds to a variable leaves the words from before sure") {
  for (const char* adds :
       {"ARGS=\"$ARGS --fp8-format hybrid\"", "ARGS=\"${ARGS} --fp8-format hybrid\"",
        "ARGS+=\" --fp8-format hybrid\""}) {
    CAPTURE(adds);
    const std::string begin = "ARGS=\"--bf16 --tensor-model-parallel-size 4\"\n";
    const ImportedRun r =
        read(begin + "if [ -n \"$DEBUG\" ]; then " + adds + "; fi\n" + started_megatron("$ARGS"));
    CHECK(at(r, "parallel.tp") == 4);
    CHECK(is_open(r, "training.precision"));
  }
  const ImportedRun list =
      read("ARGS=(--bf16)\nif [ -n \"$DEBUG\" ]; then ARGS+=(--recompute-activations); fi\n" +
           started_megatron("${ARGS[@]}"));
  CHECK(at(list, "training.precision") == "bf16");
  CHECK(is_open(list, "parallel.recompute"));
  const ImportedRun number = read("TP=1\nif [ -n \"$DEBUG\" ]; then TP=16; fi\n" +
                                  started_megatron("--bf16 --tensor-model-parallel-size $TP"));
  CHECK(is_open(number, "parallel.tp"));
  std::string one_line = started_megatron("--bf16 --tensor-model-parallel-size 2");
  one_line.pop_back();
  const ImportedRun command = read(
      "CMD=\"" + one_line +
      "\"\nif [ -n \"$DEBUG\" ]; then CMD=\"$CMD --recompute-activations\"; fi\neval \"$CMD\"\n");
  CHECK(at(command, "cluster.gpus") == 8);
  CHECK(is_open(command, "parallel.recompute"));
}

TEST_CASE("Visible GPUs are those of a launcher that starts a process on each") {
  const ForeignFile settings = {"lora.yaml",
                                "model_name_or_path: Qwen/Qwen3-8B\nstage: sft\nbf16: true\n"
                                "finetuning_type: full\ncutoff_len: 512\n"
                                "per_device_train_batch_size: 2\n"};
  const auto gpus = [&](const std::string& before) {
    return at(read({{"run.sh", before + "llamafactory-cli train lora.yaml\n"}, settings}),
              "cluster.gpus");
  };
  CHECK(gpus("CUDA_VISIBLE_DEVICES=0,1,2,3 ") == 4);
  CHECK(gpus("CUDA_VISIBLE_DEVICES=$MINE ").is_null());
  CHECK(gpus("CUDA_VISIBLE_DEVICES=0,1,2,3 NPROC_PER_NODE=2 ") == 2);
}

TEST_CASE("A program of NeMo with Hydra's overrides alone is read") {
  const ImportedRun r = read(
      "python megatron_gpt_pretraining.py trainer.devices=8 trainer.num_nodes=2 "
      "model.micro_batch_size=1 model.tensor_model_parallel_size=2\n");
  CHECK(at(r, "cluster.gpus") == 16);
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(is_open(r, "parallel.pp"));
}

TEST_CASE("Words that a branch in doubt may take away are in doubt") {
  const auto after = [](const std::string& text) {
    return read(text + started_megatron("--bf16 $MORE ${LIST[@]}"));
  };
  const std::string words = "MORE=\"--recompute-activations\"\n";
  CHECK(is_open(after(words + "if [ -n \"$OFF\" ]; then MORE=\"\"; fi\n"), "parallel.recompute"));
  CHECK(is_open(after(words + "[ -n \"$OFF\" ] && MORE=--no-bias\n"), "parallel.recompute"));
  CHECK(is_open(after(words + "if [ -n \"$OFF\" ]; then unset MORE; fi\n"), "parallel.recompute"));
  CHECK(
      is_open(after("LIST=(--fp8-format hybrid --swiglu)\nif [ -n \"$OFF\" ]; then LIST=(); fi\n"),
              "training.precision"));
  CHECK(is_open(after(words + "while read l; do MORE=\"\"; done < list\n"), "parallel.recompute"));
  // A branch that leaves the script changes nothing behind it.
  CHECK(at(after(words + "if [ ! -d /data ]; then MORE=\"\"; exit 1; fi\n"),
           "parallel.recompute") == "selective");
  // One of the branches is taken, and both replace it.
  const ImportedRun both =
      after(words + "if [ -n \"$OFF\" ]; then MORE=--swiglu; else MORE=--squared-relu; fi\n");
  CHECK_FALSE(is_open(both, "parallel.recompute"));
  CHECK(is_open(both, "model.hidden_act"));
  CHECK(at(after(words + "unset MORE\n"), "parallel.recompute") == "none");
}

TEST_CASE("Automodel's manager of plain replicas, or of Megatron FSDP, says its sharding") {
  const auto zero = [](const std::string& manager) {
    return at(read({{"a.yaml",
                     "step_scheduler:\n  global_batch_size: 64\n  local_batch_size: 2\n"
                     "model:\n  pretrained_model_name_or_path: meta-llama/Llama-3.1-8B\n"
                     "distributed:\n  _target_: nemo_automodel.components.distributed." +
                         manager}},
                   kEight),
              "parallel.zero");
  };
  CHECK(zero("ddp.DDPManager\n") == 0);
  CHECK(zero("fsdp2.FSDP2Manager\n") == 3);
  CHECK(zero("megatron_fsdp.MegatronFSDPManager\n  zero_dp_strategy: 2\n") == 2);
}

TEST_CASE("Axolotl's trainings of some layers, and a base of GPTQ, stop the import") {
  CHECK(stops_at(read(kAxolotl + "spectrum_top_fraction: 0.5\n", kEight), "spectrum_top_fraction"));
  CHECK(stops_at(read(kAxolotl + "lisa_n_layers: 4\n", kEight), "lisa_n_layers"));
  CHECK(stops_at(read(kAxolotl + "gptq: true\n", kEight), "gptq"));
  for (const char* optimizer : {"galore_adamw_8bit", "galore_adafactor", "galore_adamw_layerwise"})
    CHECK(is_open(read(kAxolotl + "optimizer: " + optimizer + "\n", kEight), "training.optimizer"));
  CHECK(at(read(kAxolotl + "optimizer: galore_adamw\n", kEight), "training.optimizer") == "galore");
}

TEST_CASE("An optimizer that torchtitan's profile does not have leaves its states open") {
  const auto with = [](const std::string& name) {
    return read(
        {{"a.toml",
          "[training]\nlocal_batch_size = 1\nseq_len = 8\n[optimizer]\nname = \"" + name + "\"\n"}},
        kEight);
  };
  CHECK(is_open(with("Muon"), "training.optimizer"));
  CHECK_FALSE(is_open(with("AdamW"), "training.optimizer"));
}

TEST_CASE("NeMo's micro batches that checkpoint less than others stop the import") {
  const char* name = "num_micro_batches_with_partial_activation_checkpoints";
  const auto with = [&](const std::string& value) {
    return read(
        "trainer: {num_nodes: 1, devices: 8}\nmodel:\n  micro_batch_size: 1\n"
        "  encoder_seq_length: 64\n  " +
        std::string(name) + ": " + value + "\n");
  };
  CHECK(stops_at(with("2"), "model." + std::string(name)));
  CHECK_FALSE(stops_at(with("null"), "model." + std::string(name)));
}

TEST_CASE("Expert ranks that a model file of Primus may say are open without it") {
  const ImportedRun r = read(
      "modules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
      "    model: deepseek_v3.yaml\n"
      "    overrides:\n      micro_batch_size: 1\n      tensor_model_parallel_size: 1\n");
  CHECK(is_open(r, "parallel.ep"));
  CHECK(at(r, "parallel.pp") == 1);
}

TEST_CASE("Several distributed optimizers shard over a part of the replicas each") {
  const auto with = [](const std::string& more) {
    return read(started_megatron("--bf16 " + more));
  };
  const std::string two = "--num-distributed-optimizer-instances 2 ";
  CHECK(at(with(two + "--use-distributed-optimizer"), "parallel.zero_shard_group") == 4);
  CHECK(at(with(two + "--use-distributed-optimizer --tensor-model-parallel-size 2 "
                      "--context-parallel-size 2"),
           "parallel.zero_shard_group") == 2);
  CHECK(at(with(two), "parallel.zero_shard_group").is_null());
  CHECK(at(with("--use-layer-wise-distributed-optimizer"), "parallel.zero") == 1);
  CHECK(stops_at(with("--retro-add-retriever"), "--retro-add-retriever"));
}

}  // namespace orrery
