// SPDX-License-Identifier: Apache-2.0
// Words of a command line, an environment or a file that go over those of another one.
#include <doctest/doctest.h>

#include "core/error.h"
#include "read_text.h"

namespace orrery {
namespace {

using namespace formats;  // NOLINT

std::string primus_file(const std::string& overrides, const std::string& model = "llama3.1_8B.yaml",
                        const std::string& framework = "megatron") {
  return "modules:\n  pre_trainer:\n    framework: " + framework +
         "\n    config: pre_trainer.yaml\n    model: " + model + "\n    overrides:\n" + overrides;
}

const std::string kPrimusBase =
    "extends:\n  - trainer_base.yaml\nglobal_batch_size: 64\nmicro_batch_size: 1\n"
    "use_distributed_optimizer: true\n";
const std::string kPrimusTrainer =
    "tensor_model_parallel_size: 1\npipeline_model_parallel_size: 1\nseq_length: 4096\n"
    "bf16: true\nsequence_parallel: true\nuse_distributed_optimizer: false\n";

bool says_word(const ImportedRun& r, const std::string& word) {
  return std::any_of(r.not_understood.begin(), r.not_understood.end(), [&](const LeftOver& l) {
    return (l.setting + " " + l.why).find(word) != std::string::npos;
  });
}

bool takes_default(const ImportedRun& r, const std::string& path, const std::string& value) {
  return std::any_of(r.assumed.begin(), r.assumed.end(),
                     [&](const Assumed& a) { return a.path == path && a.value == value; });
}

const std::string kMediumModel =
    " --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 2048"
    " --max-position-embeddings 2048 --global-batch-size 256 --vocab-size 50257 --bf16";

const std::string kDottedAutomodel =
    "step_scheduler:\n  global_batch_size: 64\n  local_batch_size: 8\nmodel:\n"
    "  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n"
    "  pretrained_model_name_or_path: meta-llama/Llama-3.1-8B\n  torch_dtype: bf16\n"
    "distributed:\n  strategy: fsdp2\n  tp_size: 1\n  cp_size: 1\n"
    "packed_sequence:\n  packed_sequence_size: 2048\n";

}  // namespace

TEST_CASE("A file that none of Primus's files names goes over nothing and stops") {
  const std::string own = primus_file(
      "      tensor_model_parallel_size: 4\n      pipeline_model_parallel_size: 2\n"
      "      seq_length: 8192\n");
  const ImportedRun r = read({{"p.yaml", own}, {"trainer_base.yaml", kPrimusTrainer}}, kEight);
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "training.sequence_length") == 8192);
  CHECK(at(r, "framework") == "megatron-core-rocm");
  CHECK(stops_at(r, "trainer_base.yaml"));
  CHECK(says_word(r, "pre_trainer.yaml"));
  const ImportedRun without = read({{"p.yaml", own}, {"trainer_base.yaml", kPrimusTrainer}}, kEight,
                                   {{"trainer_base.yaml", "none"}});
  CHECK(!stops_at(without, "trainer_base.yaml"));
  const ImportedRun whole = read(
      {{"p.yaml", own}, {"trainer_base.yaml", kPrimusTrainer}, {"pre_trainer.yaml", kPrimusBase}},
      kEight);
  CHECK(!stops_at(whole, "trainer_base.yaml"));
  CHECK(at(whole, "parallel.tp") == 4);
  CHECK(at(whole, "parallel.zero") == 1);
  const ImportedRun other =
      read({{"p.yaml", primus_file("      training:\n        local_batch_size: 1\n",
                                   "llama3.1_405B.yaml", "torchtitan")},
            {"llama3.1_8B.yaml", "model:\n  name: llama3\n  flavor: 8B\n"}},
           kEight);
  CHECK(stops_at(other, "llama3.1_8B.yaml"));
  CHECK(at(other, "model") == "llama-3-405b");
  CHECK_THROWS_AS(read({{"a.yaml", own}, {"b.yaml", own}}, kEight), InputError);
}

TEST_CASE("Primus names a companion by its file, whatever that holds") {
  const std::string own = primus_file("      seq_length: 8192\n");
  const ImportedRun r = read({{"p.yaml", own},
                              {"trainer_base.yaml", kPrimusTrainer},
                              {"pre_trainer.yaml", "extends: trainer_base.yaml\n"},
                              {"llama3.1_8B.yaml", "tokenizer_type: Llama3Tokenizer\n"}},
                             kEight);
  CHECK(!says_word(r, "llama3.1_8B.yaml"));
}

TEST_CASE("A script's variables are those of Primus's file, and defaults it takes are listed") {
  const std::string own = primus_file(
      "      tensor_model_parallel_size: ${PRIMUS_TP:1}\n      lr: ${PRIMUS_LR:0.1}\n"
      "      pipeline_model_parallel_size: ${PRIMUS_PP:2}\n",
      "${PRIMUS_MODEL:llama3.1_8B}.yaml");
  const auto started = [&](const std::string& before) {
    return read({{"run.sh", before + "export EXP=p.yaml\nbash ./examples/run_pretrain.sh\n"},
                 {"p.yaml", own}},
                kEight);
  };
  const ImportedRun r = started("export PRIMUS_TP=4\nexport PRIMUS_MODEL=llama3.1_70B\n");
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "model") == "llama-3-70b");
  CHECK(at(r, "parallel.pp") == 2);
  CHECK(takes_default(r, "PRIMUS_PP", "2"));
  CHECK(!takes_default(r, "PRIMUS_TP", "1"));
  CHECK(!takes_default(r, "PRIMUS_LR", "0.1"));
  CHECK(is_open(started("export PRIMUS_TP=$(cat tp)\n"), "parallel.tp"));
}

TEST_CASE("Primus's bf16 accumulates in fp32 whatever its file says") {
  const auto states = [](const std::string& more) {
    return at(read({{"a.yaml", primus_file("      bf16: true\n      num_layers: 4\n" + more)},
                    {"pre_trainer.yaml", kPrimusBase},
                    {"trainer_base.yaml", kPrimusTrainer}},
                   kEight),
              "training.states");
  };
  const std::string narrow = "      accumulate_allreduce_grads_in_fp32: false\n";
  CHECK(states(narrow) == "adam-fp32-gradients-18");
  CHECK(states(narrow + "      grad_reduce_in_bf16: true\n") == "adam-fp16-gradients-20");
}

TEST_CASE("Primus's pipelines of its own leave the schedule open") {
  const auto of = [](const std::string& pp, const std::string& kind) {
    return read(
        {{"a.yaml",
          primus_file("      pipeline_model_parallel_size: " + pp +
                      "\n      patch_primus_pipeline: true\n      pp_algorithm: " + kind + "\n")},
         {"pre_trainer.yaml", kPrimusBase},
         {"trainer_base.yaml", kPrimusTrainer}},
        kEight);
  };
  CHECK(is_open(of("2", "zerobubble"), "parallel.schedule"));
  CHECK(!is_open(of("1", "zerobubble"), "parallel.schedule"));
  CHECK(at(of("2", "1f1b"), "parallel.schedule") == "1f1b");
}

TEST_CASE("Automodel's dotted arguments go over its file") {
  const auto started = [](const std::string& command) {
    return read({{"run.sh", command + "\n"}, {"a1.yaml", kDottedAutomodel}});
  };
  const ImportedRun r = started(
      "torchrun --nproc-per-node=8 finetune.py --config a1.yaml --distributed.tp_size 2 "
      "--step_scheduler.local_batch_size=4 --model.pretrained_model_name_or_path Qwen/Qwen3-8B");
  CHECK(at(r, "cluster.gpus") == 8);
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(at(r, "training.micro_batch") == 4);
  CHECK(at(r, "model") == "qwen3-8b");
  const ImportedRun short_form =
      started("automodel finetune llm -c a1.yaml --nproc-per-node 8 --distributed.tp_size 4");
  CHECK(at(short_form, "parallel.tp") == 4);
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
  CHECK(says_word(r, "absent in s2.sh"));
  CHECK(at(r, "training.micro_batch") == 2);
  CHECK(at(read({{"s1.sh", one}, {"s3.sh", one + "# again\n"}}), "cluster.gpus") == 64);
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

TEST_CASE("A DeepSpeed file that is not given stops, whatever the stage of ZeRO") {
  const std::string text = started_megatron("--deepspeed --deepspeed_config X.json --zero-stage 3");
  CHECK(stops_at(read(text), "--deepspeed_config"));
  CHECK(!stops_at(read({{"a.sh", text}, {"X.json", R"({"bf16": {"enabled": true}})"}}),
                  "--deepspeed_config"));
}

}  // namespace orrery
