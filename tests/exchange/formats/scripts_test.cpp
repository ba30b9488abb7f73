// SPDX-License-Identifier: Apache-2.0
// Launch scripts as people write them: their words, variables, branches and functions.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

std::string why_of(const ImportedRun& r, const std::string& key) {
  for (const LeftOver& l : r.ignored) {
    if (l.key == key) return l.why;
  }
  return "";
}

}  // namespace

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

TEST_CASE("What a command prints is one word where nobody knows it") {
  const ImportedRun r = read(
      {{"a.sh",
        "source elsewhere.sh\nADDR=$(scontrol show hostnames $NODES | head -n 1)\n"
        "export LAUNCHER=\"python -m torch.distributed.run --nproc_per_node 8 --nnodes 2 "
        "--master_addr $ADDR\"\n"
        "export CMD=\"" +
            started_megatron("--bf16").substr(std::string("torchrun --nproc_per_node 8 ").size()) +
            "\"\nsrun bash -c '$LAUNCHER $CMD'\n"}});
  CHECK_FALSE(refuses_at(r, "$NODES"));
  CHECK(at(r, "cluster.gpus") == 16);
}

TEST_CASE("A script's own functions print arguments") {
  const std::string begin =
      "T=2\nwhile getopts \"t:\" o; do\n  case $o in t) T=$OPTARG;; esac\ndone\n"
      "shift $((OPTIND-1))\n"
      "size() {\n  case \"$1\" in\n    s) echo \"--ffn-hidden-size 128\";;\n"
      "    l) echo \"--ffn-hidden-size 512\";;\n  esac\n}\n"
      "common() {\n  cat <<E\n--bf16\n--recompute-granularity full\nE\n}\n"
      "other() { python3 x.py; }\n";
  const ImportedRun r = read(begin + started_megatron("$(common) $(size \"l\") "
                                                      "--tensor-model-parallel-size \"$T\""));
  CHECK(at(r, "model.intermediate_size") == 512);
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(refuses_at(read(begin + started_megatron("$(other)")), "$(other)"));
}

TEST_CASE("Quoted places to fill in of several words move nothing") {
  const ImportedRun r = read({{"a.sh", "TOKENIZER=\"your tokenizer path\"\n" +
                                           started_megatron("--tokenizer-model $TOKENIZER")}});
  CHECK(at(r, "training.micro_batch").is_number());
}

TEST_CASE("A script that only converts a checkpoint is no training") {
  CHECK_THROWS_WITH_AS(read({{"a.sh",
                              "python tools/checkpoint/convert.py --model-type GPT --bf16 "
                              "--target-tensor-parallel-size 4\n"}}),
                       doctest::Contains("no setting of Megatron-LM"), InputError);
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

TEST_CASE("A file that a trainer's script writes is read with it") {
  const std::string json =
      R"({"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}})";
  const std::string program =
      "torchrun --nnodes=4 --nproc_per_node=8 train.py --deepspeed /tmp/ds.json"
      " --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 2"
      " --bf16 True --max_seq_length 4096 --packing true\n";
  for (const std::string& writes : {"cat > /tmp/ds.json <<EOF\n" + json + "\nEOF\n",
                                    "tee /tmp/ds.json <<EOF\n" + json + "\nEOF\n",
                                    "cat <<EOF | tee /tmp/ds.json > /dev/null\n" + json + "\nEOF\n",
                                    "echo '" + json + "' > /tmp/ds.json\n"}) {
    const ImportedRun r = read("#!/bin/bash\n" + writes + program);
    CHECK(at(r, "parallel.zero") == 2);
    CHECK(at(r, "cluster.gpus") == 32);
  }
}

TEST_CASE("trainings of one script that differ leave open what they differ in") {
  const ImportedRun sweep = read(
      "for MBS in 1 2 4; do\n  torchrun --nproc_per_node 8 pretrain_gpt.py --micro-batch-size "
      "$MBS" +
      kLargeModel + "\ndone\n");
  CHECK(is_open(sweep, "training.micro_batch"));
  CHECK(why_of(sweep, "training.micro_batch") == "1, 2 and 4 in the trainings that line 2 starts");
  CHECK(at(sweep, "training.global_batch") == 128);
  const ImportedRun two =
      read("python pretrain_gpt.py --tensor-model-parallel-size 2 --swiglu" + kLargeModel +
           "\npython pretrain_gpt.py --tensor-model-parallel-size 4" + kLargeModel);
  CHECK(is_open(two, "parallel.tp"));
  CHECK(refuses_at(two, "--swiglu"));
  const ImportedRun after = read(
      "python tools/preprocess_data.py --seq-length 512 --workers 8 --tokenizer-type X\n"
      "torchrun --nproc_per_node 8 pretrain_gpt.py --micro-batch-size 2" +
      kLargeModel +
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
           kLargeModel + "\"\n"},
      {"SBATCH.sh", "#!/bin/bash\nsbatch -p gpu --nodes=${NNODES} SRUN.sh\n"}};
  const ImportedRun r = read(files);
  CHECK(at(r, "parallel.tp") == 8);
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(std::none_of(r.ignored.begin(), r.ignored.end(),
                     [](const LeftOver& l) { return l.is_refused; }));
  const ImportedRun tasks =
      read({{"job.sh", "#!/bin/bash\nsrun -N 2 --ntasks-per-node=4 ./inner.sh 8\n"},
            {"inner.sh", "#!/bin/bash\npython pretrain_gpt.py --tensor-model-parallel-size $1" +
                             kLargeModel + "\n"}});
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
  CHECK(r.ignored.empty());
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

TEST_CASE(
    "a flag of a branch in doubt, and a word that only the shell knows, leave their key open") {
  const ImportedRun r = read(
      "if [ \"$BIG\" = 1 ]; then MORE=\"--swiglu --use-flash-attn\"; fi\npython pretrain_gpt.py "
      "$MORE "
      "--normalization $NORM --position-embedding-type $(cat pos)" +
      kLargeModel);
  for (const char* key :
       {"model.hidden_act", "model.norm", "model.position_embedding", "model.intermediate_size"}) {
    CHECK(is_open(r, key));
    CHECK(at(r, key).is_null());
  }
}

TEST_CASE("Words of a launch that may be more arguments are never taken as none without a word") {
  const std::string head = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --bf16 ";
  const auto stated = [](const ImportedRun& r, const std::string& setting) {
    return std::any_of(r.ignored.begin(), r.ignored.end(),
                       [&](const LeftOver& l) { return l.setting == setting; });
  };
  CHECK(refuses_at(read("mapfile -t MORE < args.txt\n" + head + "\"${MORE[@]}\""), "$MORE"));
  CHECK(refuses_at(read(head + "$(python3 more.py)"), "$(python3 more.py)"));
  CHECK(refuses_at(read("source ./common.sh\n" + head + "$MORE"), "$MORE"));
  const ImportedRun unset = read(head + "$MORE \"$@\"");
  CHECK(stated(unset, "$MORE"));
  CHECK_FALSE(refuses_at(unset, "$"));
  GivenSetting none{"MORE", "none"};
  CHECK_FALSE(
      refuses_at(read({{"a", "source ./common.sh\n" + head + "$MORE"}}, "{}", {none}), "$"));
}

}  // namespace orrery
