// SPDX-License-Identifier: Apache-2.0
// A key that no file, no named default and no flag says is asked for.
#include <doctest/doctest.h>

#include "core/error.h"
#include "whole_run.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

constexpr const char* kLlama = R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100"},
    "training": {"sequence_length": 4096, "global_batch": 64}})";
constexpr const char* kLlamaOn8 = R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100",
    "gpus": 8}, "training": {"sequence_length": 4096, "global_batch": 64}})";
const std::string kJobHeader = "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8\n";
const std::string kLaunchAlone = "distributed_type: MULTI_GPU\nnum_processes: 8\n";

std::string refusal(std::vector<ForeignFile> files) {
  try {
    read(std::move(files));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

bool is_in(const Keys& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace

TEST_CASE("A program of one's own is refused by its name, in a job as without its header") {
  for (const char* command :
       {"srun torchrun --nnodes 4 --nproc_per_node 8 train.py --tp 4 --fsdp\n",
        "srun python -m mytrainer.main --tp 4\n", "srun bash -c \"cd /a; python train.py --x\"\n",
        "srun ./train.sh --x\n", "if [ -f /a ]; then srun python train.py; fi\n",
        "apptainer exec image.sif python3 train.py\n"}) {
    CAPTURE(command);
    const std::string why = refusal({{"job.slurm", kJobHeader + command}});
    const bool module = std::string(command).find("mytrainer") != std::string::npos;
    CHECK(why.find(module ? "mytrainer.main" : "train.") != std::string::npos);
  }
  CHECK(refusal({{"a.sh", "torchrun train.py --tp 4 --fsdp\n"}}).find("train.py") !=
        std::string::npos);
}

TEST_CASE("Arguments with names like Megatron-LM's are no arguments of Megatron-LM") {
  for (const char* text :
       {"torchrun train.py --num_layers 24 --hidden_size 64 --num_heads 4 --batch_size 8\n",
        "# as in Megatron\npython train.py --dim 4096\n",
        "cd /a/Megatron-LM\npython tools/train_mine.py --width 4096\n",
        "torchrun train.py --model_name gpt2 --batch_size 4 --fsdp\n"}) {
    CAPTURE(text);
    CHECK(refusal({{"a.sh", text}}).find("train") != std::string::npos);
  }
}

TEST_CASE("Commands of Hugging Face's Trainer that differ are asked for what they differ in") {
  const std::string loop =
      "for BS in 1 2; do\n  accelerate launch --num_processes 8 train.py --model_name_or_path "
      "meta-llama/Llama-3.1-8B --per_device_train_batch_size $BS --bf16 true --seed $BS\ndone\n";
  const ImportedRun r = read(loop);
  CHECK(refuses_at(r, "per_device_train_batch_size"));
  CHECK_FALSE(refuses_at(r, "seed"));
  const ImportedRun settled = read({{"a.sh", loop}}, "{}", {{"per_device_train_batch_size", 1}});
  CHECK_FALSE(refuses_at(settled, "per_device_train_batch_size"));
  CHECK(at(settled, "training.micro_batch") == 1);
}

TEST_CASE("A file that two commands start with other overrides has neither of their values") {
  const ImportedRun r =
      read({{"run.sh",
             "for TP in 1 2; do\n  python pretrain.py --config-name gpt "
             "model.tensor_model_parallel_size=$TP\ndone\n"},
            {"gpt.yaml",
             "trainer:\n  num_nodes: 1\n  devices: 8\n  precision: bf16\nmodel:\n"
             "  micro_batch_size: 1\n  global_batch_size: 8\n  encoder_seq_length: 32\n"
             "  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n"
             "  tensor_model_parallel_size: 1\n"}});
  CHECK(is_open(r, "parallel.tp"));
  CHECK(at(r, "training.micro_batch") == 1);
}

TEST_CASE("A part of Megatron-Bridge's dump is no run") {
  const ImportedRun r =
      whole({{"a.yaml",
              "_target_: megatron.bridge.training.config.ConfigContainer\nmodel:\n  num_layers: 2\n"
              "  hidden_size: 64\n  num_attention_heads: 4\n  normalization: RMSNorm\n"
              "  vocab_size: 100\n"}},
            kLlamaOn8);
  for (const char* key : {"training.precision", "parallel.tp", "parallel.zero",
                          "parallel.recompute", "training.micro_batch"})
    CHECK_MESSAGE(is_open(r, key), key);
  const std::string dump =
      "model:\n  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n"
      "  normalization: RMSNorm\n  transformer_layer_spec:\n    _target_: ";
  const std::string rest = "\n    _call_: false\ntrain:\n  micro_batch_size: 1\n";
  CHECK(is_open(read({{"a.yaml", dump + "mine.layers.hybrid" + rest}}), "model"));
  CHECK_FALSE(is_open(read({{"a.yaml", dump + "megatron.bridge.models.x.spec" + rest}}), "model"));
}

TEST_CASE("Megatron-LM has no micro batch by default") {
  const ImportedRun r = whole(
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 "
      "--num-attention-heads 4 --seq-length 32 --vocab-size 100 --global-batch-size 8 --bf16\n");
  CHECK(open_keys(r) == Keys{"training.micro_batch"});
}

TEST_CASE("A default of the tool is listed with the tool and its release") {
  const ImportedRun r = whole(started_megatron(""));
  const auto found = std::find_if(r.assumed.begin(), r.assumed.end(),
                                  [](const Fact& a) { return a.path == "training.precision"; });
  REQUIRE(found != r.assumed.end());
  CHECK(found->value == "fp32");
  CHECK(found->why.find("Megatron-LM@d98e8a6") != std::string::npos);
}

TEST_CASE("A job's header without a training has its GPUs, and everything else is asked for") {
  const ImportedRun r =
      whole({{"job.slurm", kJobHeader + "module load cuda\nsource env.sh\nexport A=1\n"
                                        "srun --ntasks=1 hostname\npython -m pip list\n"}},
            kLlama);
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(open_keys(r) == Keys{"framework", "parallel.recompute", "parallel.zero",
                             "training.micro_batch", "training.precision"});
}

TEST_CASE("A program of one's own beside the file that it names leaves its arguments open") {
  const ForeignFile ds = {"ds.json",
                          R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2,
                              "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})"};
  const std::string job = kJobHeader + "srun python train.py --deepspeed_config ds.json --seed 1";
  const ImportedRun r = read({{"job.slurm", job + " --quantize int8\n"}, ds});
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(refuses_at(r, "--quantize int8"));
  CHECK(is_named(r, "--seed 1"));
  CHECK_FALSE(refuses_at(r, "train.py"));
  const ImportedRun unnamed = read({{"job.slurm", kJobHeader + "srun python train.py\n"}, ds});
  CHECK(refuses_at(unnamed, "train.py"));
}

TEST_CASE("A registered configuration of torchtitan is asked for what it says") {
  const std::string start = "-m torchtitan.train --module llama3 --config llama3_8b\n";
  const ImportedRun r =
      whole({{"multi.slurm",
              "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks=4\n#SBATCH --gpus-per-task=8\n"
              "srun torchrun --nnodes 4 --nproc_per_node 8 " +
                  start}},
            kLlama);
  CHECK(at(r, "framework") == "torchtitan");
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "cluster.gpus") == 32);
  const Keys keys = open_keys(r);
  for (const char* key : {"training.micro_batch", "parallel.recompute", "parallel.tp",
                          "parallel.framework_options.compile", "training.precision"})
    CHECK_MESSAGE(is_in(keys, key), key);
  // The header says the GPUs where no launcher does.
  const ImportedRun header =
      read({{"a.slurm",
             "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\nsrun python " + start}});
  CHECK(at(header, "cluster.gpus") == 16);
}

TEST_CASE("A dotted setting is no sign of torchtitan by itself") {
  CHECK(refusal({{"a.sh",
                  "torchrun src/scripts/train/OLMo2-7B.py train run local "
                  "--train_module.rank_microbatch_size=8192\n"}})
            .find("OLMo-core") != std::string::npos);
  CHECK(refusal({{"a.sh", "python main.py fit --model.hidden_size 512 --trainer.max_steps 5\n"}})
            .find("main.py") != std::string::npos);
  const ImportedRun r = read(
      "torchrun --nproc_per_node 8 train.py --training.local_batch_size 2 "
      "--parallelism.tensor_parallel_degree 2 --training.seq_len 4096\n");
  CHECK(at(r, "framework") == "torchtitan");
}

TEST_CASE("Runs of torchtitan in a loop leave open in what they differ") {
  const ImportedRun r = read(
      "for TP in 1 2; do\n  torchrun --nproc_per_node 8 -m torchtitan.train --model.name llama3 "
      "--model.flavor 8B --training.seq_len 4096 --training.local_batch_size 2 "
      "--parallelism.tensor_parallel_degree $TP\ndone\n");
  CHECK(is_open(r, "parallel.tp"));
  CHECK(has_word(r, "1 and 2 in the trainings that line 2 starts"));
}

TEST_CASE("Arguments of a model alone are no run") {
  const std::string model =
      "--num-layers 36 --hidden-size 2560 --num-attention-heads 32 --swiglu --vocab-size 151936 ";
  const ImportedRun r = whole("MODEL_ARGS=(\n" + model + ")\n", kLlamaOn8);
  const Keys keys = open_keys(r);
  for (const char* key : {"training.precision", "parallel.tp", "parallel.pp", "parallel.cp",
                          "parallel.zero", "training.micro_batch", "parallel.recompute"})
    CHECK_MESSAGE(is_in(keys, key), key);
  const ImportedRun own = read("MODEL_ARGS=(\n" + model + ")\n");
  CHECK(at(own, "model.num_hidden_layers") == 36);
  CHECK(at(own, "model.hidden_act") == "swiglu");
  // Arguments in several arrays, of which no command is here.
  CHECK(is_open(read("M=(" + model + ")\nT=(--micro-batch-size 1 --bf16)\n"), "parallel.tp"));
  // A bare list with its batch is the list of a training.
  CHECK(at(read(model + "--micro-batch-size 1 --bf16"), "parallel.tp") == 1);
  // The script that starts it, given too.
  const ImportedRun both =
      read({{"model.sh", "MODEL_ARGS=\"" + model + "\"\n"},
            {"run.sh",
             "source model.sh\ntorchrun --nproc_per_node 8 pretrain_gpt.py $MODEL_ARGS --bf16 "
             "--micro-batch-size 1 --global-batch-size 8 --seq-length 32\n"}});
  CHECK(at(both, "parallel.tp") == 1);
  CHECK(at(both, "model.num_hidden_layers") == 36);
}

TEST_CASE("A launch by Accelerate alone asks for what its program says") {
  CHECK(
      open_keys(whole({{"a.yaml", kLaunchAlone}}, kLlama)) ==
      Keys{"parallel.recompute", "training.micro_batch", "training.precision", "training.states"});
  const ImportedRun r = whole({{"a.yaml", kLaunchAlone + "mixed_precision: bf16\n"}}, kLlama);
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "training.states").is_null());
  CHECK(is_open(r, "training.states"));
}

TEST_CASE("Machines that give a part of their GPUs are no node of all of them") {
  const std::string two = kLaunchAlone + "mixed_precision: bf16\nnum_machines: 2\n";
  CHECK(is_open(whole({{"a.yaml", two}}, kLlama), "cluster.devices_per_node"));
  CHECK_FALSE(is_open(whole({{"a.yaml", kLaunchAlone + "num_machines: 1\n"}}, kLlama),
                      "cluster.devices_per_node"));
  const std::string script = small_megatron("torchrun --nproc_per_node 4 --nnodes 2", "--bf16");
  CHECK(is_open(whole(script, R"({"cluster": {"node": "dgx-h100"}})"), "cluster.devices_per_node"));
  const ImportedRun answered =
      whole(script, R"({"cluster": {"node": "dgx-h100", "devices_per_node": 4}})");
  CHECK(open_keys(answered).empty());
  CHECK(testing::resolved(answered.run).run.cluster.tiers[0].size == 4);
  CHECK(open_keys(whole(script, R"({"cluster": {"node": "alps-gh200"}})")).empty());
}

TEST_CASE("DeepSpeed's batches that are auto are no batch of ours") {
  const char* sizes = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
      "gradient_accumulation_steps": "auto", "bf16": {"enabled": true},
      "zero_optimization": {"stage": 2}})";
  const ImportedRun r = whole({{"ds.json", sizes}}, kLlamaOn8);
  CHECK(at(r, "training.micro_batch").is_null());
  CHECK(is_open(r, "training.micro_batch"));
  CHECK(at(r, "training.global_batch") == 64);
}

TEST_CASE("A DeepSpeed file under a name that only the shell knows is asked for") {
  const ImportedRun r = read(
      "deepspeed --num_gpus 8 train.py --deepspeed_config=$CFG --model_name_or_path "
      "meta-llama/Llama-3.1-8B --per_device_train_batch_size 2 --max_seq_length 2048 --bf16\n");
  CHECK(is_open(r, "parallel.zero"));
  CHECK(at(r, "framework") == "deepspeed");
}

TEST_CASE("Overrides in which several commands differ are of none of them") {
  const ImportedRun r = read(
      "for TP in 1 2; do\n  torchrun --nproc_per_node=8 scripts/run_recipe.py --recipe mine "
      "train.global_batch_size=64 train.micro_batch_size=1 model.seq_length=4096 "
      "model.tensor_model_parallel_size=$TP\ndone\n");
  CHECK(is_open(r, "parallel.tp"));
  CHECK(has_word(r, "1 and 2 in the trainings that line 2 starts"));
  CHECK(at(r, "training.micro_batch") == 1);
}

TEST_CASE("A layer of one's own leaves the model open, and Megatron-Core's own does not") {
  CHECK(is_open(read(started_megatron("--spec my_plugins.hybrid get_spec")), "model"));
  CHECK_FALSE(is_open(read(started_megatron("--spec megatron.core.models.gpt.gpt_layer_specs "
                                            "get_gpt_layer_with_transformer_engine_spec")),
                      "model"));
}

TEST_CASE("States that a profile keeps are named") {
  const ImportedRun r =
      whole({{"ds.json", R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 1,
                       "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})"}},
            kLlamaOn8);
  CHECK(assumes(r, "training.states"));
  CHECK(open_keys(r) == Keys{"parallel.recompute"});
}

TEST_CASE("Files of a machine alone are asked for no training") {
  const ImportedRun r = whole({{"l.txt", "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n"}});
  CHECK(open_keys(r).empty());
}

TEST_CASE("Megatron-LM has no fused attention on a V100") {
  const std::string script = started_megatron("--fp16");
  const ImportedRun volta = whole(script, R"({"cluster": {"node": "dgx-1-v100-32gb"}})");
  CHECK(at(volta, "training.flash_attention") == false);
  CHECK(assumes(volta, "training.flash_attention"));
  CHECK(at(whole(script, R"({"cluster": {"node": "dgx-a100-80gb"}})"),
           "training.flash_attention") == true);
}

}  // namespace orrery
