// SPDX-License-Identifier: Apache-2.0
// What several tools say in words of their own, and where their files differ.
#include <doctest/doctest.h>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/yaml.h"
#include "read_text.h"
#include "support/runs.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

const std::string kTune =
    "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\n"
    "  max_seq_len: 1024\ndataset:\n  packed: True\nbatch_size: 2\ndtype: bf16\n";

}  // namespace

TEST_CASE("A file is of the tool that its settings show") {
  const auto of = [](const std::string& file, const std::string& text, const char* tool) {
    CHECK_MESSAGE(read({{file, text}}).tool == tool, text);
  };
  of("a.yaml", "model:\n  d_model: 8\ndevice_train_microbatch_size: 2\n", "olmo");
  of("a.yaml", "train_loader:\n  name: text\ndevice_train_microbatch_size: 2\n", "llm-foundry");
  of("a.yml", "base_config: base.yml\nper_device_batch_size: 6\n", "maxtext");
  of("a.yaml", "model: x\ntemplate: y\nmicro_batch_size: 1\ndist_config:\n  name: fsdp2\n",
     "llama-factory-v1");
  of("a.yml", "# of 6.7B\n{\n  \"pipe_parallel_size\": 1, # one\n  \"num_layers\": 2,\n}\n",
     "gpt-neox");
}

TEST_CASE("A refusal names the tool whose file it is") {
  const auto names = [](const std::string& file, const std::string& text, const char* tool) {
    CHECK_MESSAGE(import_error(file, text).find(tool) != std::string::npos, text);
  };
  names("a.yaml", "apiVersion: v1\nkind: PyTorchJob\n", "Kubernetes");
  names("a.py", "from torchtitan.trainer import Trainer\n", "--module, --config");
  names("a.py", "import nemo_run as run\n", "NeMo");
  names("a.yaml", "checkpoint_dir: c\nlogger_name: csv\n", "LitGPT");
  names("a.yaml", "model:\n  type: llama\ninitialize_from_hf: x\n", "Levanter");
  names("a.yaml", "runner_config: {batch_size: 2}\n", "MindFormers");
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

TEST_CASE("Trainers that are installed by name take their settings behind it") {
  const std::string more =
      " --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 1 "
      "--gradient_accumulation_steps 4 --bf16 true ";
  const ImportedRun r =
      read({{"a.sh",
             "NPROC_PER_NODE=8 NNODES=2 FORCE_TORCHRUN=1 llamafactory-cli train --stage sft "
             "--finetuning_type full --cutoff_len 4096" +
                 more + "\n"}});
  CHECK(at(r, "model") == "qwen2.5-7b");
  CHECK(at(r, "training.global_batch") == 64);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(refuses_at(read({{"a.sh", "trl kto" + more + "\n"}}), "trl kto"));
}

TEST_CASE("No layers to recompute, and a null in their place, are no recompute") {
  const std::string mlperf =
      "export DGXNNODES=1\nexport DGXNGPU=8\nexport MINIBS=4\n"
      "export ACT_CKPT_GRANULARITY=full\nexport ACT_CKPT_METHOD=block\n";
  CHECK(at(read({{"config_a.sh", mlperf + "export ACT_CKPT_NUM_LAYERS=0\n"}}),
           "parallel.recompute") == "none");
  CHECK(at(read({{"config_a.sh", mlperf + "export ACT_CKPT_NUM_LAYERS=2\n"}}),
           "parallel.recompute") == "full");
  const std::string primus =
      "modules:\n  pre_trainer:\n    framework: megatron\n"
      "    config: mine.yaml\n    overrides:\n"
      "      micro_batch_size: 2\n";
  CHECK(at(read({{"a.yaml", primus + "      recompute_granularity: null\n"}}),
           "parallel.recompute") == "none");
  CHECK(is_open(read({{"a.yaml", primus}}), "parallel.recompute"));
}

TEST_CASE("Command lines of samples that are not read are named as what they are") {
  const auto refusal = [](const std::string& text) {
    try {
      read("torchrun --nproc_per_node 8 train.py " + text + "\n");
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(refusal("--max_context_width=4096 --hidden_width=4096 --num_layers=32").find("AWS") !=
        std::string::npos);
  CHECK(refusal("--enable_fsdp --batch_size_training 2").find("Llama Cookbook") !=
        std::string::npos);
  CHECK(refusal("--model_variant=llama2_7b --seq_length=4096").find("fms-fsdp") !=
        std::string::npos);
}

TEST_CASE("What launches a training and is not given stops the import") {
  const std::string job =
      "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:8\n"
      "srun bash -c 'accelerate launch --config_file a/fsdp.yaml train.py --cfg x.yaml'\n";
  const std::string fsdp =
      "distributed_type: FSDP\nnum_processes: 16\nfsdp_config:\n  fsdp_version: 2\n";
  const std::string run = kAxolotl + "bf16: true\n";
  CHECK(refuses_at(read({{"job.sh", job}, {"x.yml", run}}), "--config_file"));
  const ImportedRun both = read({{"job.sh", job}, {"x.yml", run}, {"fsdp.yaml", fsdp}});
  CHECK_FALSE(refuses_at(both, "--config_file"));
  CHECK(at(both, "parallel.zero") == 3);
  CHECK_FALSE(refuses_at(read({{"job.sh", job}, {"x.yml", run}}, "{}", {{"config_file", "none"}}),
                         "--config_file"));
}

TEST_CASE("A training with a second model stops, whatever the tool calls it") {
  CHECK(refuses_at(read(kTune + "loss:\n  _component_: torchtune.rlhf.loss.DPOLoss\n", kEight),
                   "loss"));
  CHECK(refuses_at(read(kTune + "ref_checkpointer:\n  _component_: c\n", kEight),
                   "ref_checkpointer"));
  CHECK(refuses_at(read(kTune + "teacher_model:\n  _component_: m\n", kEight), "teacher_model"));
  CHECK_FALSE(refuses_at(read(kTune + "loss:\n  _component_: torchtune.modules.loss.CE\n", kEight),
                         "loss"));
  const std::string automodel =
      "step_scheduler:\n  global_batch_size: 8\n  local_batch_size: 1\nmodel:\n"
      "  pretrained_model_name_or_path: Qwen/Qwen3-8B\ndistributed:\n  strategy: fsdp2\n";
  CHECK(refuses_at(
      read(automodel + "teacher_model:\n  pretrained_model_name_or_path: Qwen/Qwen3-32B\n", kEight),
      "teacher_model"));
  CHECK(at(read(automodel + "fp8:\n  enabled: true\n", kEight), "training.precision") == "fp8");
  CHECK(at(read(automodel + "fp8:\n  enabled: false\n", kEight), "training.precision") == "bf16");
  CHECK(refuses_at(read(automodel + "freeze_config:\n  freeze_vision_tower: true\n", kEight),
                   "freeze_config"));
}

TEST_CASE("Parts of a model that stay as they are stop an import") {
  CHECK(refuses_at(read("model:\n  _component_: torchtune.models.llama3.llama3_8b\n"
                        "  decoder_trainable: False\nbatch_size: 2\ndtype: bf16\n",
                        kEight),
                   "model.decoder_trainable"));
  const ConfigLookup lookup = testing::shipped_configs();
  const auto with_tower = [&](const std::string& more) {
    const Json given = {{"cluster", {{"gpus", 8}}},
                        {"training", {{"images", 2}}},
                        {"model",
                         {{"num_hidden_layers", 2},
                          {"hidden_size", 64},
                          {"num_attention_heads", 4},
                          {"intermediate_size", 128},
                          {"vocab_size", 100},
                          {"vision_num_hidden_layers", 2},
                          {"vision_hidden_size", 32},
                          {"vision_num_attention_heads", 2},
                          {"vision_intermediate_size", 64},
                          {"vision_patch_values", 12},
                          {"vision_projector_input", 32}}}};
    ImportJob job{{{"a", kFactory + more}}, {}, given};
    job.lookup = &lookup;
    return import_files(std::move(job));
  };
  CHECK(refuses_at(with_tower("finetuning_type: full\n"), "freeze_vision_tower"));
  CHECK_FALSE(refuses_at(with_tower("finetuning_type: full\nfreeze_vision_tower: false\n"),
                         "freeze_vision_tower"));
  CHECK_FALSE(refuses_at(with_tower("finetuning_type: lora\n"), "freeze_vision_tower"));
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
  CHECK(all.ignored.empty());
  CHECK(option(of(layers), "loss") == "unfused");
  const ImportedRun cut = of(layers + "cut_cross_entropy: true\n");
  CHECK(option(cut, "kernels") == "liger");
  CHECK(option(cut, "loss") == "linear-fused");
  CHECK(cut.ignored.empty());
  CHECK(option(of(layers + "liger_cross_entropy: true\n"), "loss") == "in-place");
  const ImportedRun loss = of("liger_fused_linear_cross_entropy: true\n");
  CHECK(option(loss, "kernels").is_null());
  CHECK(option(loss, "loss") == "linear-fused");
  CHECK(is_named(of("liger_rms_norm: true\n"), "liger_rms_norm"));
}

}  // namespace orrery
