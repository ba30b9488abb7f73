// SPDX-License-Identifier: Apache-2.0
// Programs and jobs that start the processes of a training, and the GPUs that they say.
#include <doctest/doctest.h>

#include "core/error.h"
#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

Json gpus(const std::string& launcher) {
  return at(read(small_megatron(launcher, "--bf16")), "cluster.gpus");
}

bool leaves_open(const std::string& launcher) {
  return is_open(read(small_megatron(launcher, "--bf16")), "cluster.gpus");
}

const std::string kMediumModel =
    " --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048"
    " --max-position-embeddings 2048 --global-batch-size 256 --vocab-size 50257 --bf16";

}  // namespace

TEST_CASE("A job that a script writes for sbatch says its nodes") {
  const ImportedRun r = read(
      "sbatch <<EOS\n#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\n"
      "srun python pretrain_gpt.py" +
      started_megatron("--bf16").substr(started_megatron("").find(" --num-layers")) + "EOS\n");
  CHECK(at(r, "cluster.gpus") == 32);
}

TEST_CASE("sbatch --wrap starts a text") {
  const ImportedRun r =
      read("O=\"" + small_megatron("python", "--tensor-model-parallel-size 4 --fp16").erase(0, 7) +
           "\"\nsbatch -N 4 --ntasks-per-node=8 --gres=gpu:8 --wrap \"srun sh -c \\\"python "
           "$O\\\"\"\n");
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "training.precision") == "fp16");
}

TEST_CASE("torchrun's processes count where WORLD_SIZE is the running job's") {
  const ImportedRun r = read("export WORLD_SIZE=$JOB_SIZE\n" + started_megatron("--bf16"));
  CHECK(at(r, "cluster.gpus") == 8);
}

TEST_CASE("Resource sets of jsrun with a GPU for each task say the GPUs") {
  CHECK(gpus("jsrun -n 4 -a 6 -g 6 -c 42 -r 1 python") == 24);
  CHECK(gpus("jsrun -n4 -a6 -c42 -g6 -r1 python") == 24);
  CHECK(gpus("jsrun --nrs=4 --tasks_per_rs 2 --gpu_per_rs 2 python") == 8);
  CHECK(gpus("jsrun -n 12 -g 1 -b packed:7 python") == 12);
  CHECK(gpus("jsrun -p 24 -g 1 python") == 24);
}

TEST_CASE("Resource sets that share GPUs among tasks otherwise leave the GPUs open") {
  CHECK(leaves_open("jsrun -n 4 -a 1 -g 6 python"));
  CHECK(leaves_open("jsrun -n 4 -a 6 python"));
  CHECK(leaves_open("jsrun -n ALL_HOSTS -a 6 -g 6 python"));
}

TEST_CASE("Tasks of flux, lrun and other starters say the GPUs") {
  CHECK(gpus("flux run -N 2 -n 16 -g 1 --exclusive python") == 16);
  CHECK(gpus("flux mini run -N2 -n16 -g1 python") == 16);
  CHECK(gpus("flux run --nodes=4 --tasks-per-node=8 --gpus-per-task=1 python") == 32);
  CHECK(gpus("flux run -N 4 --tasks-per-node=1 --gpus-per-node=8 python") == 32);
  CHECK(gpus("lrun -N 4 -T 4 python") == 16);
  CHECK(gpus("aprun -n 64 -N 4 python") == 64);
  CHECK(gpus("ibrun -n 16 python") == 16);
  CHECK(gpus("horovodrun -np 16 -H a:8,b:8 python") == 16);
  CHECK(gpus("mpiexec.hydra -n 16 -ppn 8 python") == 16);
  CHECK(gpus("deepspeed --include localhost:0,1,2,3") == 4);
  CHECK(leaves_open("flux run -N 4 -n 4 -g 8 python"));
  CHECK(leaves_open("flux run -N 4 python"));
}

TEST_CASE("A launcher of PyTorch below flux says the GPUs itself") {
  CHECK(gpus("flux run -N2 -n2 -g 8 torchrun --nproc_per_node=8 --nnodes=2") == 16);
}

TEST_CASE("Options of srun may be glued to their values") {
  CHECK(gpus("srun -N4 -n32 --gpus-per-task=1 python") == 32);
  CHECK(gpus("srun --mpi=pmix -l -n16 --ntasks-per-node=8 python") == 16);
  CHECK(leaves_open("srun -n 4 --gpus-per-task=8 python"));
}

TEST_CASE("A job of tasks with several GPUs each says their product") {
  const std::string job =
      "#!/bin/bash\n#SBATCH --ntasks=4\n#SBATCH --gpus-per-task=8\n"
      "srun torchrun -m torchtitan.train --job.config_file x.toml\n";
  const ImportedRun r = read({{"job.sbatch", job}});
  CHECK(at(r, "cluster.gpus") == 32);
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

TEST_CASE("Slurm reads the lines of a header that begin with its mark, and the last one counts") {
  const auto gpus = [](const std::string& header) {
    return at(read("#!/bin/bash\n" + header + "srun python pretrain_gpt.py" + kMediumModel +
                   "\n#SBATCH --nodes=64\n"),
              "cluster.gpus");
  };
  CHECK(gpus("##SBATCH --nodes=16\n#SBATCH --nodes=2\n#   #SBATCH --nodes=32\n"
             "#SBATCH --ntasks-per-node=8\n") == 16);
  CHECK(gpus("#SBATCH --nodes=8\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\n") == 16);
  CHECK(at(read("#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --gres=gpu:h100:8,nvme:1\n"),
           "cluster.gpus") == 32);
  CHECK(at(read("#!/bin/bash\n#SBATCH --nodes=4-8\n#SBATCH --gres=gpu:8\n"), "cluster.gpus")
            .is_null());
  CHECK(at(read("#!/bin/bash\n#SBATCH --nodes=1 --gres=gpu:8\n#SBATCH hetjob\n"
                "#SBATCH --nodes=4 --gres=gpu:8\n"),
           "cluster.gpus")
            .is_null());
}

TEST_CASE("A job sees the variables that sbatch exports") {
  const auto tp = [](const std::string& start) {
    return at(read({{"go.sh", start + "\n"},
                    {"job.sh",
                     "#!/bin/bash\ntorchrun --nproc_per_node 8 pretrain_gpt.py"
                     " --tensor-model-parallel-size ${TP:-2}" +
                         kMediumModel + "\n"}}),
              "parallel.tp");
  };
  CHECK(tp("sbatch --export=ALL,TP=4,MBS=1 job.sh") == 4);
  CHECK(tp("export TP=4\nsbatch --export=NONE job.sh") == 2);
  CHECK(tp("export TP=4\nsbatch --export ALL job.sh") == 4);
  CHECK(tp("export TP=4\nsbatch --export=TP job.sh") == 4);
}

TEST_CASE("Two scripts that each start a training are compared") {
  const std::string one =
      "torchrun --nnodes 8 --nproc-per-node 8 pretrain_gpt.py"
      " --tensor-model-parallel-size 4 --micro-batch-size 2" +
      kMediumModel + "\n";
  const std::string two =
      "torchrun --nnodes 4 --nproc-per-node 8 pretrain_gpt.py --micro-batch-size 2" + kMediumModel +
      "\n";
  const ImportedRun r = read({{"s1.sh", one}, {"s2.sh", two}});
  CHECK(is_open(r, "cluster.gpus"));
  CHECK(is_open(r, "parallel.tp"));
  CHECK(has_word(r, "absent in s2.sh"));
  CHECK(at(r, "training.micro_batch") == 2);
  CHECK(at(read({{"s1.sh", one}, {"s3.sh", one + "# again\n"}}), "cluster.gpus") == 64);
}

TEST_CASE("mpirun and srun say how many processes there are, unless a launcher stands between") {
  const auto gpus = [](const std::string& start) {
    return at(read(start + " pretrain_gpt.py --micro-batch-size 1" + kLargeModel), "cluster.gpus");
  };
  CHECK(gpus("NP=32\nmpirun --bind-to none -np $NP -x PATH python") == 32);
  CHECK(gpus("mpiexec -n 16 --map-by ppr:8:node python -u") == 16);
  CHECK(gpus("#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\nsrun --mpi=pmix python") == 32);
  CHECK(gpus("srun -N 2 --ntasks-per-node=4 python") == 8);
  CHECK(gpus("mpirun -np 4 torchrun --nproc_per_node 8 --nnodes 4") == 32);
  CHECK(gpus("#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --gres=gpu:8\nsrun python")
            .is_null());
  CHECK(gpus("#SBATCH -t 0:30:00 --mem=0 -N2 --ntasks-per-node=8\nsrun -l python") == 16);
  CHECK(gpus("WORLD_SIZE=64\ntorchrun --nproc_per_node 8 --nnodes 2") == 16);
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
  CHECK(refuses_at(read("torchrun --nproc_per_node 8 run.py data.size=4 --num-layers 2"),
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

TEST_CASE("Nodes of srun start a launcher each, and one visible GPU is one") {
  const std::string flags =
      " sft.py --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 2 "
      "--bf16 true --gradient_accumulation_steps 4 --output_dir x\n";
  const auto gpus = [&](const std::string& launcher) {
    return at(read({{"a.sh", "#!/bin/bash\n" + launcher + flags}}), "cluster.gpus");
  };
  CHECK(gpus("srun -N 8 torchrun --nproc_per_node 8") == 64);
  CHECK(gpus("srun --nodes=4 torchrun --nproc_per_node 8") == 32);
  CHECK(gpus("srun -N 8 torchrun --nproc_per_node 8 --nnodes 2") == 16);
  CHECK(gpus("CUDA_VISIBLE_DEVICES=0 python") == 1);
  CHECK(gpus("CUDA_VISIBLE_DEVICES=0,1 python").is_null());
}

TEST_CASE("A micro batch alone makes no script of Megatron-LM") {
  CHECK(import_error("a.sh", "torchrun --nproc_per_node 8 mine.py --micro_batch_size 4\n")
            .find("mine.py") != std::string::npos);
}

TEST_CASE("A command that stands in one word of its launcher is read") {
  const std::string train = small_megatron("torchrun --nproc_per_node 8", "--bf16");
  const std::string command = train.substr(0, train.size() - 1);
  for (const std::string& start :
       {"kubectl exec pod -- bash -c \"" + command + "\"", "bash -c \"" + command + "\"",
        "srun bash -c \"" + command + "\"",
        "python3 xpk.py workload create --num-slices=1 --command \"" + command + "\"",
        "gcloud compute tpus tpu-vm ssh a --command=\"" + command + "\"",
        "COMMAND=\"" + command + "\" CONTAINER=image sbatch --nodes=1 ray.sub"}) {
    const ImportedRun r = read(start + "\n");
    CHECK_MESSAGE(at(r, "cluster.gpus") == 8, start);
    CHECK_MESSAGE(at(r, "model.num_hidden_layers") == 10, start);
  }
}

TEST_CASE("A program that is a module without a dot is read by its arguments") {
  const ImportedRun r = read(
      "torchrun --nproc_per_node 2 -m train_packed --model_name_or_path meta-llama/Llama-3.1-8B "
      "--per_device_train_batch_size 4 --bf16 --block_size 4096\n");
  CHECK(at(r, "training.micro_batch") == 4);
  CHECK(at(r, "cluster.gpus") == 2);
}

TEST_CASE("A file behind --config that is not given is asked for, overrides behind it or not") {
  for (const std::string more : {"", " cluster.num_nodes=8 policy.precision=bfloat16"}) {
    const ImportedRun r = read("uv run examples/run_grpo.py --config grpo.yaml" + more + "\n");
    CHECK_MESSAGE(refuses_at(r, "--config grpo.yaml"), more);
  }
}

TEST_CASE("Commands of one file that start on different GPUs leave their number open") {
  const auto start = [](const std::string& gpus) {
    return "CUDA_VISIBLE_DEVICES=" + gpus +
           " deepspeed train.py --model_name_or_path meta-llama/Llama-3.1-8B --bf16 "
           "--per_device_train_batch_size 2 --block_size 2048\n";
  };
  CHECK(at(read(start("0,1") + start("0,1")), "cluster.gpus") == 2);
  CHECK(is_open(read(start("0") + start("0,1,2,3")), "cluster.gpus"));
  CHECK(at(read(start("0") + start("0,1,2,3"), R"({"cluster": {"gpus": 4}})"), "cluster.gpus") ==
        4);
}

TEST_CASE("A list of GPUs of PaddlePaddle's launcher counts them") {
  for (const std::string flag : {"--gpus", "--devices"}) {
    const ImportedRun r = read("python -m paddle.distributed.launch " + flag +
                               " \"0,1,2,3\" run_pretrain.py --tensor_parallel_degree 4 "
                               "--per_device_train_batch_size 4 --sharding_parallel_degree 1\n");
    CHECK_MESSAGE(at(r, "cluster.gpus") == 4, flag);
  }
}

}  // namespace orrery
