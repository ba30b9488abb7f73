// SPDX-License-Identifier: Apache-2.0
// Programs that start the processes of a training, and command lines of programs that are not read.
#include <doctest/doctest.h>

#include "core/error.h"
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

}  // namespace

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
      "srun torchrun train.py --config x.toml\n";
  const ImportedRun r = read({{"job.sbatch", job}});
  CHECK(at(r, "cluster.gpus") == 32);
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

}  // namespace orrery
