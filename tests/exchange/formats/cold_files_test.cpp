// SPDX-License-Identifier: Apache-2.0
// Files of kinds that were read wrongly, or refused without need, when they were first seen.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "read_text.h"

namespace orrery {
namespace {

using namespace formats;  // NOLINT

std::string refusal(const std::string& name, const std::string& text) {
  try {
    read({{name, text}});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

const std::string kTrainer =
    "model_name_or_path: meta-llama/Meta-Llama-3-8B\nper_device_train_batch_size: 2\n"
    "gradient_accumulation_steps: 4\nbf16: true\nmax_seq_length: 1024\n";

bool assumes(const ImportedRun& r, const std::string& path) {
  return std::any_of(r.assumed.begin(), r.assumed.end(),
                     [&](const Assumed& a) { return a.path == path; });
}

}  // namespace

TEST_CASE("The arguments of a functional test of Megatron-LM are those of a command") {
  const ImportedRun r = read({{"model_config.yaml",
                               "ENV_VARS:\n  CUDA_DEVICE_MAX_CONNECTIONS: 1\nMODEL_ARGS:\n"
                               "  --num-layers: 12\n  --hidden-size: 512\n"
                               "  --num-attention-heads: 8\n  --micro-batch-size: 4\n"
                               "  --global-batch-size: 32\n  --seq-length: 1024\n"
                               "  --max-position-embeddings: 1024\n  --swiglu: true\n"
                               "  --sequence-parallel: false\n  --data-path: ${DATA_PATH}/text\n"
                               "  --recompute-granularity: selective\n"
                               "  --recompute-modules: \"[mlp moe_act]\"\n"
                               "  --tensor-model-parallel-size: 2\n  --bf16: true\n"
                               "  --moe-layer-freq: ([0]*3+[1]*9)\nTEST_TYPE: regular\n"}});
  CHECK(at(r, "model.num_hidden_layers") == 12);
  CHECK(at(r, "model.hidden_act") == "swiglu");
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(at(r, "parallel.sequence_parallel") == false);
  CHECK(at(r, "parallel.recompute_modules") == Json({"mlp", "moe_act"}));
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(is_open(read({{"t5.yaml", "MODEL_ARGS:\n  --encoder-num-layers: 12\n  --bf16: true\n"}}),
                "model"));
}

TEST_CASE("Hugging Face's Trainer is not LLaMA-Factory, whose default is LoRA") {
  const ImportedRun r = read({{"sft.yaml", kTrainer}}, kEight);
  CHECK(at(r, "training.adapter").is_null());
  CHECK(at(r, "parallel.recompute") == "none");
  CHECK(at(r, "training.global_batch") == 64);
  CHECK(at(r, "training.sequence_length") == 1024);
  CHECK(at(r, "training.states") == "fp32-adam-16");
  // Weights that are loaded in bf16 stay so without FSDP and DeepSpeed.
  CHECK(at(read({{"a.yaml", kTrainer + "torch_dtype: bfloat16\n"}}, kEight), "training.states") ==
        "pure-16bit");
  const ImportedRun adapted = read(
      {{"a.yaml", kTrainer + "use_peft: true\nlora_target_modules: [q_proj, v_proj]\n"}}, kEight);
  CHECK(at(adapted, "training.adapter.rank") == 16);
  CHECK(at(adapted, "training.adapter.targets") == Json({"query", "value"}));
  CHECK(stops_at(read({{"a.yaml", kTrainer + "use_peft: true\n"}}, kEight), "lora_target_modules"));
  CHECK(
      stops_at(read({{"a.yaml", kTrainer + "num_generations: 16\n"}}, kEight), "num_generations"));
  CHECK(stops_at(read({{"a.yaml", kTrainer + "lora_enable: true\n"}}, kEight), "lora_enable"));
  const ImportedRun factory = read({{"a.yaml", kTrainer + "stage: sft\ntemplate: x\n"}}, kEight);
  CHECK(at(factory, "training.adapter.kind") == "lora");
}

TEST_CASE("A command line of Hugging Face's Trainer says what its YAML would") {
  const std::string command =
      "torchrun --nproc_per_node=4 train.py --model_name_or_path huggyllama/llama-7b "
      "--bf16 True --per_device_train_batch_size 4 --gradient_accumulation_steps 8 "
      "--model_max_length 2048 --gradient_checkpointing ";
  const ImportedRun r = read({{"a.sh", command + "--fsdp \"full_shard auto_wrap\"\n"}});
  CHECK(at(r, "model") == "llama-2-7b");
  CHECK(at(r, "cluster.gpus") == 4);
  CHECK(at(r, "training.global_batch") == 128);
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "parallel.recompute") == "full");
  const ImportedRun z2 = read({{"a.sh", command + "--deepspeed z2.json\n"},
                               {"z2.json",
                                R"({"zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"},
                                    "train_micro_batch_size_per_gpu": "auto"})"}});
  CHECK(at(z2, "parallel.zero") == 2);
  CHECK(at(z2, "training.precision") == "bf16");
  CHECK(is_open(read({{"a.sh", command + "--deepspeed z2.json\n"}}), "parallel.zero"));
  CHECK(
      stops_at(read({{"a.sh", command + "--vision_tower clip --pretrain_mm_mlp_adapter x.bin\n"}}),
               "vision_tower"));
  const std::string preferences =
      "accelerate launch --num_processes 8 dpo.py " + command.substr(command.find("--model"));
  CHECK(stops_at(read({{"a.sh", preferences + "\n"}}), "dpo.py"));
  const ImportedRun factory =
      read({{"a.sh", command + "--finetuning_type full --cutoff_len 512 --stage sft\n"}});
  CHECK(at(factory, "training.sequence_length") == 512);
  CHECK(at(factory, "training.adapter").is_null());
}

TEST_CASE("Flags behind a program change the settings of the file that it starts") {
  const ImportedRun r =
      read({{"job.sh",
             "accelerate launch --num_processes 8 --gradient_accumulation_steps 9 sft.py --config "
             "sft.yaml --gradient_accumulation_steps 2 --gradient_checkpointing\n"},
            {"sft.yaml", kTrainer}});
  CHECK(at(r, "training.global_batch") == 32);
  CHECK(at(r, "parallel.recompute") == "full");
}

TEST_CASE("Hugging Face's TrainingArguments in JSON are no file of DeepSpeed") {
  const ImportedRun r =
      read({{"args.json", R"({"model_name_or_path": "gpt2", "per_device_train_batch_size": 8,
                         "bf16": true, "block_size": 512})"}},
           kEight);
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "training.sequence_length") == 512);
  CHECK(at(r, "training.global_batch") == 64);
}

TEST_CASE("A command line of another program has none of Megatron-LM's defaults") {
  CHECK(refusal("a.sh", "torchrun --nproc_per_node=8 train.py config.py --batch_size=12\n")
            .find("without arguments of Megatron-LM") != std::string::npos);
  CHECK(refusal("a.sh", "python -m verl.trainer.main_ppo actor.megatron.x=1 --config-path=c\n")
            .find("verl") != std::string::npos);
  CHECK(refusal("a.sh", "megatron sft --load x --micro_batch_size 1\n").find("ms-swift") !=
        std::string::npos);
  CHECK(refusal("a.sh", "#!/bin/bash\nsource ./c.sh\ndocker run --rm --gpus all x ./run.sh\n") !=
        "");
  // A launcher that another file gives its arguments.
  const ImportedRun r =
      read({{"run.sh", "bash launch.sh --num-layers 10 --hidden-size 64 --micro-batch-size 3\n"},
            {"launch.sh", "torchrun --nproc_per_node 8 train.py --no-color \"$@\"\n"}});
  CHECK(at(r, "training.micro_batch") == 3);
}

TEST_CASE("Virtual stages are of the layers and of the ends that count as layers") {
  const std::string ends =
      "--bf16 --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3 ";
  const ImportedRun r = read(started_megatron(ends + "--account-for-embedding-in-pipeline-split "
                                                     "--account-for-loss-in-pipeline-split"));
  CHECK(at(r, "parallel.vpp") == 2);
  CHECK(at(r, "parallel.layer_split") == "ends_as_layers");
}

TEST_CASE("A pipeline of torchtitan says the number of its micro batches, or their size") {
  const auto micro = [](const std::string& more) {
    return at(read({{"a.toml",
                     "[training]\nbatch_size = 16\nseq_len = 8\n[parallelism]\n"
                     "pipeline_parallel_degree = 2\npipeline_parallel_schedule_csv = \"\"\n" +
                         more}},
                   kEight),
              "training.micro_batch");
  };
  CHECK(micro("") == 1);
  CHECK(micro("pipeline_parallel_microbatches = 8\n") == 2);
  CHECK_THROWS_AS(micro("pipeline_parallel_microbatches = 5\n"), InputError);
}

TEST_CASE("Activations on a disk are open, and modules that DeepSpeed gathers whole are named") {
  CHECK(is_open(read({{"a.yml", kAxolotl + "activation_offloading: disk\n"}}),
                "parallel.offload.activations"));
  const ImportedRun leaf =
      read(R"({"train_batch_size": 8, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3,
               "leaf_module": {"classes": ["Block"]}}})");
  CHECK_FALSE(stops_at(leaf, "zero_optimization.leaf_module"));
  CHECK(std::any_of(leaf.not_understood.begin(), leaf.not_understood.end(), [](const auto& l) {
    return l.setting.find("leaf_module") != std::string::npos;
  }));
}

TEST_CASE("A layout that is not ours says how many stages a rank has all the same") {
  const ImportedRun r =
      read(started_megatron("--bf16 --pipeline-model-parallel-size 2 "
                            "--pipeline-model-parallel-layout 'Ettt|ttt|tttt|L'"));
  CHECK(at(r, "parallel.vpp") == 2);
  const ImportedRun apart =
      read(started_megatron("--bf16 --mtp-num-layers 1 --pipeline-model-parallel-size 2 "
                            "--pipeline-model-parallel-layout 'Ettttt|ttttt|m|L'"));
  CHECK(is_open(apart, "parallel.stage_layers"));
  CHECK(at(apart, "parallel.vpp") == 2);
  CHECK(at(apart, "parallel.schedule") == "interleaved");
}

TEST_CASE("A job that a script writes for sbatch says its nodes") {
  const ImportedRun r = read(
      "sbatch <<EOS\n#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\n"
      "srun python pretrain_gpt.py" +
      started_megatron("--bf16").substr(started_megatron("").find(" --num-layers")) + "EOS\n");
  CHECK(at(r, "cluster.gpus") == 32);
}

TEST_CASE("A part of Primus's files leaves what the others say open") {
  const ImportedRun r =
      read({{"a.yaml",
             "modules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
             "    model: mine.yaml\n    overrides:\n      micro_batch_size: 1\n"},
            {"mine.yaml",
             "extends:\n  - base.yaml\nnum_layers: 4\nhidden_size: 64\nnum_attention_heads: 4\n"}});
  for (const char* key : {"model.hidden_act", "model.mlp_bias", "model.dropout"})
    CHECK_MESSAGE(is_open(r, key), key);
}

TEST_CASE("Optimizers with weights of their own leave Automodel's states open") {
  const ImportedRun r =
      read({{"a.yaml",
             "step_scheduler:\n  global_batch_size: 8\n  local_batch_size: 1\nmodel:\n"
             "  pretrained_model_name_or_path: meta-llama/Llama-3.1-8B\n  torch_dtype: bf16\n"
             "optimizer:\n  _target_: transformer_engine.pytorch.optimizers.FusedAdam\n"
             "  master_weights: true\n"}},
           kEight);
  CHECK(is_open(r, "training.states"));
}

TEST_CASE("A place that a user is to fill in is one word of a script") {
  // examples/pretrain_gpt3_175B.sh of Megatron-LM wrote so before 2023.
  const ImportedRun r = read(started_megatron(
      "--vocab-file <PATH TO gpt-vocab.json> --tensorboard-dir <TENSORBOARD DIRECTORY> "
      "--fp16 --activations-checkpoint-method uniform --num-workers 2"));
  CHECK(at(r, "training.precision") == "fp16");
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(at(r, "training.flash_attention") == false);
  CHECK(is_open(read(started_megatron("--bf16 --tensor-model-parallel-size <number of GPUs>")),
                "parallel.tp"));
  // Files that a command reads and writes are none.
  CHECK(at(read("cat <a.txt >b.txt\n" + started_megatron("--bf16")), "training.precision") ==
        "bf16");
}

TEST_CASE("A log of 2022 says full recompute by its method alone") {
  const ImportedRun r = read(
      "------------------------ arguments ------------------------\n"
      "  activations_checkpoint_method ................... uniform\n"
      "  activations_checkpoint_num_layers ............... 1\n"
      "  num_layers ...................................... 4\n"
      "  hidden_size ..................................... 64\n"
      "  world_size ...................................... 8\n");
  CHECK(at(r, "parallel.recompute") == "full");
}

TEST_CASE("Replicas that meet every few steps, and weights rounded in training, stop the import") {
  const std::string head = "[training]\nlocal_batch_size = 1\nseq_len = 8\n[fault_tolerance]\n";
  CHECK(
      stops_at(read({{"a.toml", head + "enable = true\nsemi_sync_method = \"diloco\"\n"}}, kEight),
               "fault_tolerance.semi_sync_method"));
  CHECK_FALSE(stops_at(read({{"a.toml", head + "enable = false\ngroup_size = 2\n"}}, kEight),
                       "fault_tolerance"));
  CHECK(stops_at(read({{"a.yml", kAxolotl + "qat:\n  weight_dtype: int4\n"}}), "qat"));
}

TEST_CASE("A refusal names the tool whose file it is") {
  const auto names = [](const std::string& file, const std::string& text, const char* tool) {
    CHECK_MESSAGE(refusal(file, text).find(tool) != std::string::npos, text);
  };
  names("a.yaml", "model:\n  d_model: 8\ndevice_train_microbatch_size: 2\n", "OLMo's YAML");
  names("a.yaml", "train_loader:\n  name: text\ndevice_train_microbatch_size: 2\n", "LLM-Foundry");
  names("a.yml", "base_config: base.yml\nper_device_batch_size: 6\n", "MaxText");
  names("a.yaml", "checkpoint_dir: c\nlogger_name: csv\n", "LitGPT");
  names("a.yaml", "model:\n  type: llama\ninitialize_from_hf: x\n", "Levanter");
  names("a.yaml", "model: x\ntemplate: y\nmicro_batch_size: 1\ndist_config:\n  name: fsdp2\n",
        "engine v1");
  names("a.yaml", "apiVersion: v1\nkind: PyTorchJob\n", "Kubernetes");
  names("a.yml", "# of 6.7B\n{\n  \"pipe_parallel_size\": 1, # one\n  \"num_layers\": 2,\n}\n",
        "GPT-NeoX");
  names("a.py", "from torchtitan.trainer import Trainer\n", "--module, --config");
  names("a.py", "import nemo_run as run\n", "NeMo");
  names("a.sh", "#!/bin/bash\nexport HL_TP=8\nexport HL_PP=8\n", "the script that reads them");
}

TEST_CASE("Overrides of a configuration that is not given are read, and leave all else open") {
  const ImportedRun r =
      read({{"a.sh",
             "#SBATCH --nodes 2\npython megatron_gpt_pretraining.py "
             "--config-name=gpt model.micro_batch_size=4 trainer.precision=bf16\n"}});
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "training.micro_batch") == 4);
  for (const char* key : {"parallel.zero", "parallel.pp", "parallel.recompute"})
    CHECK_MESSAGE(is_open(r, key), key);
  const ImportedRun bridge =
      read({{"a.sh",
             "torchrun --nproc_per_node 8 run_recipe.py --recipe x_config "
             "train.micro_batch_size=2 model.tensor_model_parallel_size=4\n"}});
  CHECK(at(bridge, "training.micro_batch") == 2);
  CHECK(at(bridge, "parallel.tp") == 4);
  CHECK(is_open(bridge, "parallel.pp"));
}

TEST_CASE("Megatron-Bridge's precisions by name reduce gradients in fp32") {
  const std::string base = "train:\n  micro_batch_size: 1\nddp:\n  grad_reduce_in_fp32: false\n";
  CHECK(at(read({{"a.yaml", base + "mixed_precision: bf16_with_mxfp8_mixed\n"}}),
           "training.states") == "adam-fp32-gradients-18");
  CHECK(at(read({{"a.yaml", base + "mixed_precision: fp16_mixed\n"}}), "training.states") ==
        "adam-fp16-gradients-20");
}

TEST_CASE("MLPerf's variables of AMD and of checkpointed layers are read or named") {
  const std::string base =
      "export NNODES=2\nexport GPUS_PER_NODE=8\nexport MINIBS=1\n"
      "export TP=1\nexport PP=1\nexport CP=1\nexport MICRO_BATCH_SIZE=1\n";
  const ImportedRun some = read({{"config_a.sh", base + "export ACT_CKPT_LAYERS=21\n"}});
  CHECK(at(some, "cluster.gpus") == 16);
  CHECK(at(some, "training.global_batch") == 16);
  CHECK(at(some, "parallel.recompute") == "full");
  CHECK(at(some, "parallel.recompute_layers") == 21);
  CHECK(at(read({{"config_a.sh", base + "export ACT_CKPT_LAYERS=0\n"}}), "parallel.recompute") ==
        "none");
  CHECK(stops_at(read({{"config_a.sh", base + "export FSDP_SHARDS=8\n"}}), "FSDP_SHARDS 8"));
  const ImportedRun primus = read({{"config_b.sh",
                                    "export DGXNNODES=1\nexport DGXNGPU=8\nexport PRIMUS_FP8=True\n"
                                    "export PRIMUS_MBS=2\nexport PRIMUS_GBS=16\n"}});
  CHECK(at(primus, "training.micro_batch") == 2);
  CHECK(at(primus, "training.global_batch") == 16);
  CHECK(at(primus, "training.precision") == "fp8");
}

TEST_CASE("Dropout of a value that only the shell knows is open") {
  CHECK(is_open(read(started_megatron("--bf16 --hidden-dropout $HD")), "model.dropout"));
  CHECK(at(read(started_megatron("--bf16")), "model.dropout") == true);
}

TEST_CASE("A model of images of Megatron-LM's multimodal example is not its language model") {
  CHECK(is_open(read(started_megatron("--bf16 --language-model-type mistral_7b")), "model"));
  CHECK(is_open(read(started_megatron("--bf16 --freeze-ViT")), "model"));
}

TEST_CASE("What a command prints is one word where nobody knows it") {
  const ImportedRun r = read(
      {{"a.sh",
        "source elsewhere.sh\nADDR=$(scontrol show hostnames $NODES | head -n 1)\n"
        "export LAUNCHER=\"python -m torch.distributed.run --nproc_per_node 8 --nnodes 2 "
        "--master_addr $ADDR\"\n"
        "export CMD=\"" +
            started_megatron("--bf16").substr(std::string("torchrun --nproc_per_node 8 ").size()) +
            "\"\nsrun bash -c '$LAUNCHER $CMD'\n"}});
  CHECK_FALSE(stops_at(r, "$NODES"));
  CHECK(at(r, "cluster.gpus") == 16);
}

TEST_CASE("Habana's fork says its optimizer and its checkpoints in its own words") {
  const ImportedRun r = read(started_megatron(
      "--bf16 --deepspeed --zero-stage 0 --optimizer fusedadamw --use-fused-sdpa 1 "
      "--checkpoint-activations --checkpoint-activations-granularity selective"));
  CHECK(at(r, "parallel.recompute") == "selective");
  CHECK(at(r, "training.flash_attention") == true);
  CHECK_FALSE(is_open(r, "training.optimizer"));
}

TEST_CASE("DeepSpeed's type of gradients goes over the script's") {
  const ImportedRun r = read(
      {{"a.sh", started_megatron("--bf16 --deepspeed --deepspeed_config z3.json --zero-stage 3")},
       {"z3.json", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true},
                       "zero_optimization": {"stage": 3}, "data_types": {"grad_accum_dtype": "fp32"}})"}});
  CHECK_FALSE(is_open(r, "training.states"));
  CHECK(value_at(r.run, "training.states.gradients") == 4);
}

TEST_CASE("Shares of attention and MLPs are spread as Megatron-LM spreads them") {
  // 8B of 56 layers: 4 of attention, 28 MLPs, 24 of Mamba 2 (Waleffe et al. 2024, table 6).
  const ImportedRun r =
      read({{"a.sh",
             "torchrun --nproc_per_node 8 pretrain_mamba.py --num-layers 56 --hidden-size 4096 "
             "--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
             "--micro-batch-size 1 --global-batch-size 8 --vocab-size 256000 --bf16 "
             "--hybrid-attention-ratio 0.08 --hybrid-mlp-ratio 0.5\n"}});
  const Json& layers = at(r, "model.layer_pattern");
  REQUIRE(layers.size() == 56);
  CHECK(std::count(layers.begin(), layers.end(), Json("attention")) == 4);
  CHECK(std::count(layers.begin(), layers.end(), Json("dense")) == 28);
  CHECK(layers.front() == "recurrent");
  CHECK(assumes(r, "model.layer_pattern"));
}

TEST_CASE("torchtitan's stages count what the ends stand for") {
  const ConfigLookup shipped = testing::shipped_configs();
  const auto stages = [&](const std::string& more) {
    const std::string text =
        "[model]\nname = \"deepseek_v3\"\nflavor = \"16B\"\n[training]\nseq_len = 8\n"
        "local_batch_size = 8\n[parallelism]\npipeline_parallel_degree = 2\n"
        "pipeline_parallel_schedule = \"Interleaved1F1B\"\n" +
        more;
    return import_files({{{"a.toml", text}}, {}, json_of(kEight), {}, &shipped});
  };
  // With 27 layers (27 + 1 + 1) / 8 are four stages, 27 / 9 three.
  const std::string size = "pipeline_parallel_layers_per_stage = 8\n";
  CHECK(at(stages(size), "parallel.vpp") == 2);
  CHECK(at(stages(size + "pipeline_parallel_first_stage_less_layers = 0\n"
                         "pipeline_parallel_last_stage_less_layers = 0\n"),
           "parallel.layer_split") == "even");
  CHECK_THROWS_AS(stages("pipeline_parallel_layers_per_stage = 9\n"
                         "pipeline_parallel_first_stage_less_layers = 0\n"
                         "pipeline_parallel_last_stage_less_layers = 0\n"),
                  InputError);
}

TEST_CASE("A recipe of torchtune for one device lists no sharding") {
  const ImportedRun r =
      read({{"1B_full_single_device.yaml",
             "# tune run full_finetune_single_device --config llama3_2/1B_full_single_device\n"
             "model:\n  _component_: torchtune.models.llama3_2.llama3_2_1b\nbatch_size: 4\ndtype: "
             "bf16\n"}});
  CHECK(at(r, "parallel.zero") == 0);
  CHECK_FALSE(assumes(r, "parallel.zero"));
}

}  // namespace orrery
