// SPDX-License-Identifier: Apache-2.0
// Launch scripts as people write them, with what they say worked out by hand.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "read_text.h"

namespace orrery {
namespace {

using namespace formats;  // NOLINT

const std::string kModel =
    " --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --bf16 "
    "--global-batch-size 128 --vocab-size 50304 ";

std::string why_of(const ImportedRun& r, const std::string& key) {
  for (const LeftOver& l : r.not_understood) {
    if (l.key == key) return l.why;
  }
  return "";
}

}  // namespace

TEST_CASE("mpirun and srun say how many processes there are, unless a launcher stands between") {
  const auto gpus = [](const std::string& start) {
    return at(read(start + " pretrain_gpt.py --micro-batch-size 1" + kModel), "cluster.gpus");
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

TEST_CASE("trainings of one script that differ leave open what they differ in") {
  const ImportedRun sweep = read(
      "for MBS in 1 2 4; do\n  torchrun --nproc_per_node 8 pretrain_gpt.py --micro-batch-size "
      "$MBS" +
      kModel + "\ndone\n");
  CHECK(is_open(sweep, "training.micro_batch"));
  CHECK(why_of(sweep, "training.micro_batch") == "1, 2 and 4 in the trainings that line 2 starts");
  CHECK(at(sweep, "training.global_batch") == 128);
  const ImportedRun two =
      read("python pretrain_gpt.py --tensor-model-parallel-size 2 --swiglu" + kModel +
           "\npython pretrain_gpt.py --tensor-model-parallel-size 4" + kModel);
  CHECK(is_open(two, "parallel.tp"));
  CHECK(stops_at(two, "--swiglu"));
  const ImportedRun after = read(
      "python tools/preprocess_data.py --seq-length 512 --workers 8 --tokenizer-type X\n"
      "torchrun --nproc_per_node 8 pretrain_gpt.py --micro-batch-size 2" +
      kModel +
      "\npython tools/checkpoint/convert.py --target-tensor-parallel-size 1 --micro-batch-size 9 "
      "--num-layers 1 --seq-length 1\n");
  CHECK(at(after, "training.micro_batch") == 2);
  CHECK(at(after, "training.sequence_length") == 2048);
  CHECK(at(after, "model.num_hidden_layers") == 32);
}

TEST_CASE("scripts that source and start each other are one run") {
  const std::vector<ForeignFile> files = {
      {"SRUN.sh",
       "#!/bin/bash\n#SBATCH --ntasks-per-node=8\n"
       "CMD=\"python -u ${DIR}/pretrain_gpt.py ${PARAMS}\"\nsrun -l sh -c \"${CMD}\"\n"},
      {"run.sh", "#!/bin/bash\nTP=8\nNNODES=4\n. `pwd`/CONFIG.sh\n. `pwd`/SBATCH.sh\nexit 0\n"},
      {"CONFIG.sh",
       "#!/bin/bash\nexport PARAMS=\" --tensor-model-parallel-size ${TP} "
       "--micro-batch-size 1" +
           kModel + "\"\n"},
      {"SBATCH.sh", "#!/bin/bash\nsbatch -p gpu --nodes=${NNODES} SRUN.sh\n"}};
  const ImportedRun r = read(files);
  CHECK(at(r, "parallel.tp") == 8);
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(std::none_of(r.not_understood.begin(), r.not_understood.end(),
                     [](const LeftOver& l) { return l.stops; }));
  const ImportedRun tasks =
      read({{"job.sh", "#!/bin/bash\nsrun -N 2 --ntasks-per-node=4 ./inner.sh 8\n"},
            {"inner.sh", "#!/bin/bash\npython pretrain_gpt.py --tensor-model-parallel-size $1" +
                             kModel + "\n"}});
  CHECK(at(tasks, "cluster.gpus") == 8);
  CHECK(at(tasks, "parallel.tp") == 8);
  // A submission's own values go over those of the file it sources first.
  const ImportedRun mlperf = read({
      {"config_common.sh", "export MICRO_BATCH_SIZE=4\nexport DGXNGPU=8\n"},
      {"config_DGXH100.sh",
       "source $(dirname ${BASH_SOURCE[0]})/config_common.sh\n"
       "export MICRO_BATCH_SIZE=1\nexport DGXNNODES=2\n"
       "export TENSOR_MODEL_PARALLEL=4\n"},
  });
  CHECK(at(mlperf, "training.micro_batch") == 1);
  CHECK(at(mlperf, "cluster.gpus") == 16);
}

TEST_CASE("a script's own words are those that another one starts it with") {
  const std::string script =
      "#!/bin/bash\nPR=$1\nTP=${10}\nif [ $PR = bf16 ]; then pr=\" --bf16\"; else pr=\" --fp16\"; "
      "fi\n"
      "if [ $2 = true ]; then do_options=\" \\\n  --use-distributed-optimizer\"; fi\n"
      "run_cmd=\"torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
      "--num-attention-heads 32 --seq-length 2048 --micro-batch-size 1 "
      "--tensor-model-parallel-size $TP "
      "$pr $do_options\"\necho $run_cmd\neval $run_cmd\n";
  const ImportedRun started =
      read({{"go.sh", "#!/bin/bash\nsh pretrain.sh bf16 true 3 4 5 6 7 8 9 2\n"},
            {"pretrain.sh", script}});
  CHECK(at(started, "training.precision") == "bf16");
  CHECK(at(started, "parallel.zero") == 1);
  CHECK(at(started, "parallel.tp") == 2);
  // Alone it does not say them: nothing is assumed in their place.
  const ImportedRun alone = read(script);
  CHECK(is_open(alone, "training.precision"));
  CHECK(is_open(alone, "parallel.zero"));
  CHECK(is_open(alone, "parallel.tp"));
  CHECK(at(alone, "training.precision").is_null());
}

TEST_CASE("a command line of torchtitan changes the TOML that it names") {
  const std::string toml =
      "[model]\nname = \"llama3\"\nflavor = \"70B\"\n[training]\nlocal_batch_size = 8\nseq_len = "
      "8192\n"
      "[parallelism]\ntensor_parallel_degree = 8\n[activation_checkpoint]\nmode = \"full\"\n";
  const std::string script =
      "#!/bin/bash\nCONFIG_FILE=${CONFIG_FILE:-\"./train_configs/llama3_70b.toml\"}\ndcgmi profile "
      "--pause\n"
      "torchrun --nproc_per_node=8 --nnodes 4 -m torchtitan.train --job.config_file ${CONFIG_FILE} "
      "--training.local_batch_size=4 --parallelism.tensor_parallel_degree 4\n";
  const ImportedRun both = read({{"run.sh", script}, {"x/llama3_70b.toml", toml}});
  CHECK(at(both, "parallel.tp") == 4);
  CHECK(at(both, "parallel.dp") == 8);
  CHECK(at(both, "training.micro_batch") == 4);
  CHECK(at(both, "training.global_batch") == 32);
  CHECK(at(both, "training.sequence_length") == 8192);
  CHECK(at(both, "parallel.recompute") == "full");
  CHECK(both.not_understood.empty());
  CHECK(stops_at(read({{"run.sh", script}}), "--job.config_file"));
  // Arguments line by line, without a command.
  const ImportedRun list = read(
      "--nproc_per_node 8\n--nnodes 4\n--module llama3\n--config llama3_8b\n"
      "--training.local_batch_size 2\n--training.seq_len 8192\n"
      "--activation_checkpoint.mode full\n");
  CHECK(at(list, "cluster.gpus") == 32);
  CHECK(at(list, "model") == "llama-3-8b");
}

TEST_CASE("older settings of Megatron-LM and Megatron-DeepSpeed mean what they meant") {
  CHECK(at(read("python pretrain_gpt.py --activations-checkpoint-method uniform" + kModel),
           "parallel.recompute") == "full");
  CHECK(at(read("N=220_000_000\npython pretrain_gpt.py --train-samples $N" + kModel),
           "training.tokens") == 220'000'000LL * 2048);
  const ImportedRun moe = read(
      "deepspeed --num_gpus 8 pretrain_gpt.py --num-experts 16 --moe-expert-parallel-size 8 "
      "--deepspeed --zero-stage 0" +
      kModel);
  CHECK(at(moe, "model.num_experts_per_tok") == 1);
  CHECK(at(moe, "model.moe_layer_freq") == 2);
  CHECK(at(moe, "model.moe_layer_offset") == 1);
  CHECK_FALSE(is_open(moe, "parallel.framework_options.dispatcher"));
  CHECK(stops_at(read("deepspeed --num_gpus 8 pretrain_gpt.py --num-experts 16 --mlp-type residual "
                      "--deepspeed --zero-stage 0" +
                      kModel),
                 "--mlp-type"));
}

TEST_CASE("a list of layers with experts is taken as Python has it") {
  const auto of = [](const std::string& freq) {
    return read("python pretrain_gpt.py --num-experts 8 --moe-layer-freq " + freq + kModel);
  };
  CHECK(at(of("\"([0,1]*16)\""), "model.moe_layer_freq") == 2);
  CHECK(at(of("\"([0,1]*16)\""), "model.moe_layer_offset") == 1);
  CHECK(at(of("\"([0]*3+[1]*29)\""), "model.first_k_dense_replace") == 3);
  CHECK(at(of("\"([1]+[0]*3)*8\""), "model.moe_layer_freq") == 4);
  CHECK(is_open(of("\"([1]*2+[0]*30)\""), "model.moe_layer_freq"));
  CHECK_THROWS_AS(of("\"([0]*3+[1]*58)\""), InputError);
}

TEST_CASE("a script that starts a YAML file says its GPUs and changes its settings") {
  const std::string nemo =
      "trainer:\n  num_nodes: 16\n  devices: 8\n  precision: bf16\nmodel:\n  megatron_amp_O2: "
      "true\n"
      "  micro_batch_size: 1\n"
      "  global_batch_size: 64\n  tensor_model_parallel_size: 2\n  encoder_seq_length: 4096\n"
      "  num_layers: 40\n  hidden_size: 5120\n  num_attention_heads: 40\n";
  const ImportedRun r = read({{"job.sh",
                               "#!/bin/bash\nsrun bash -c \"python3 pretrain.py --config-path=/c "
                               "--config-name=llama2_13b trainer.num_nodes=4 "
                               "++model.tensor_model_parallel_size=4 model.micro_batch_size=2\"\n"},
                              {"llama2_13b.yaml", nemo}});
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "training.micro_batch") == 2);
  CHECK(at(r, "training.global_batch") == 64);
  CHECK(r.not_understood.empty());
  const ImportedRun lf =
      read({{"run.sh",
             "FORCE_TORCHRUN=1 NNODES=2 NPROC_PER_NODE=8 llamafactory-cli train a/full.yaml "
             "per_device_train_batch_size=2\n"},
            {"full.yaml",
             "model_name_or_path: meta-llama/Meta-Llama-3-8B\nfinetuning_type: full\nstage: sft\n"
             "cutoff_len: 4096\npacking: true\nper_device_train_batch_size: 1\n"
             "gradient_accumulation_steps: 2\nbf16: true\n"}});
  CHECK(at(lf, "cluster.gpus") == 16);
  CHECK(at(lf, "training.global_batch") == 64);
  const ImportedRun primus =
      read({{"run.sh",
             "export EXP=a/b/pretrain.yaml\nexport NNODES=4\nexport GPUS_PER_NODE=8\n"
             "bash ./examples/run_slurm_pretrain.sh --micro_batch_size 2 --train_iters=10\n"},
            {"pretrain.yaml",
             "modules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
             "    model: llama3.1_8B.yaml\n    overrides:\n      micro_batch_size: 4\n"
             "      global_batch_size: 256\n      seq_length: 8192\n      bf16: true\n"}});
  CHECK(at(primus, "cluster.gpus") == 32);
  CHECK(at(primus, "training.micro_batch") == 2);
  CHECK(at(primus, "training.global_batch") == 256);
  const ImportedRun axolotl =
      read({{"run.sh",
             "accelerate launch --config_file fsdp.yml --num_processes 32 --num_machines=4 -m "
             "axolotl.cli.train ax.yml\n"},
            {"fsdp.yml",
             "distributed_type: FSDP\nnum_processes: 8\nnum_machines: 1\nmixed_precision: bf16\n"
             "fsdp_config:\n  fsdp_sharding_strategy: HYBRID_SHARD\n"},
            {"ax.yml", kAxolotl}});
  CHECK(at(axolotl, "cluster.gpus") == 32);
  CHECK(at(axolotl, "parallel.zero_shard_group") == 8);
  CHECK(at(axolotl, "training.global_batch") == 256);
}

TEST_CASE("NeMo without O2 keeps fp32 weights under autocast") {
  const auto of = [](const std::string& more) {
    return at(read("trainer:\n  num_nodes: 1\n  devices: 8\n  precision: bf16-mixed\nmodel:\n"
                   "  micro_batch_size: 1\n  encoder_seq_length: 4096\n" +
                   more),
              "training.states");
  };
  CHECK(of("  megatron_amp_O2: true\n") == "adam-fp32-gradients-18");
  CHECK(of("  megatron_amp_O2: false\n") == "fp32-adam-16");
  CHECK(of("  megatron_amp_O2: False\n  fsdp: true\n  fsdp_sharding_strategy: full\n") ==
        "fsdp-amp-fp32-reduce");
  CHECK(of("  megatron_amp_O2: False\n  fsdp: true\n  fsdp_grad_reduce_dtype: bf16\n") ==
        "fsdp-amp");
}

TEST_CASE(
    "a flag of a branch in doubt, and a word that only the shell knows, leave their key open") {
  const ImportedRun r = read(
      "if [ \"$BIG\" = 1 ]; then MORE=\"--swiglu --use-flash-attn\"; fi\npython pretrain_gpt.py "
      "$MORE "
      "--normalization $NORM --position-embedding-type $(cat pos)" +
      kModel);
  for (const char* key :
       {"model.hidden_act", "model.norm", "model.position_embedding", "model.intermediate_size"}) {
    CHECK(is_open(r, key));
    CHECK(at(r, key).is_null());
  }
}

TEST_CASE("what Megatron-LM's own defaults are") {
  CHECK(at(read("python pretrain_gpt.py --group-query-attention" + kModel),
           "model.num_key_value_heads") == 1);
  CHECK(at(read("python $PWD/pretrain_gpt.py --pad-vocab-size-to 250880 --num-layers 2 "
                "--hidden-size 64 "
                "--num-attention-heads 4 --seq-length 128 --bf16"),
           "model.vocab_size") == 250880);
}

}  // namespace orrery
