// SPDX-License-Identifier: Apache-2.0
// Files of Primus, and those that they name.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "exchange/yaml.h"
#include "read_text.h"
#include "support/runs.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

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

bool takes_default(const ImportedRun& r, const std::string& path, const std::string& value) {
  return std::any_of(r.assumed.begin(), r.assumed.end(),
                     [&](const Fact& a) { return a.path == path && a.value == value; });
}

}  // namespace

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

TEST_CASE("a Primus file has its defaults where they are given") {
  const std::string run =
      "modules:\n  pre_trainer:\n    framework: megatron\n    config: base.yaml\n    model: "
      "tiny.yaml\n    overrides:\n"
      "      micro_batch_size: 2\n      global_batch_size: 16\n      seq_length: "
      "${PRIMUS_SEQ:4096}\n      tensor_model_parallel_size: ${PRIMUS_TP:2}\n"
      "      use_torch_fsdp2: true\n      use_distributed_optimizer: false\n      "
      "sequence_parallel: 1\n";
  const ImportedRun alone = read(run);
  CHECK(is_open(alone, "model"));
  CHECK(is_open(alone, "training.precision"));
  CHECK(at(alone, "parallel.tp") == 2);
  CHECK(at(alone, "parallel.zero") == 3);
  CHECK(at(alone, "training.sequence_length") == 4096);
  const ImportedRun all = read(
      {{"run.yaml", run},
       {"dir/tiny.yaml", "extends:\n- family.yaml\nnum_layers: 4\n"},
       {"family.yaml",
        "num_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\nvocab_size: 100\nswiglu: true\n"},
       {"base.yaml",
        "bf16: true\nrecompute_granularity: null\nmicro_batch_size: 1\nattention_dropout: 0\n"}});
  CHECK(at(all, "model.num_hidden_layers") == 4);
  CHECK(at(all, "model.hidden_size") == 64);
  CHECK(at(all, "training.precision") == "bf16");
  CHECK(at(all, "training.micro_batch") == 2);
  CHECK(all.ignored.empty());
}

TEST_CASE("Primus beside torchtitan leaves open what its defaults say") {
  const std::string file =
      "modules:\n  pre_trainer:\n    framework: torchtitan\n    config: pre_trainer.yaml\n"
      "    model: llama3.1_8B.yaml\n    overrides:\n      training:\n        batch_size: 3\n"
      "        seq_len: 8192\n      parallelism:\n        tensor_parallel_degree: 1\n"
      "        pipeline_parallel_degree: 1\n        context_parallel_degree: 1\n"
      "      activation_checkpoint:\n        mode: full\n";
  CHECK(is_open(read(file, kEight), "parallel.framework_options.compile"));
  const ImportedRun both =
      read({{"exp.yaml", file},
            {"llama3.1_8B.yaml", "job:\n  dump_folder: a\nmodel:\n  name: llama3\n  flavor: 8B\n"},
            {"pre_trainer.yaml", "extends:\n  - none.yaml\ncompile:\n  enable: true\n"}},
           kEight);
  CHECK(at(both, "model") == "llama-3-8b");
  CHECK(at(both, "parallel.framework_options.compile") == true);
}

TEST_CASE("Megatron-LM's own YAML is not Primus's") {
  CHECK(import_error("gpt.yaml",
                     "language_model:\n  num_layers: 24\nmodel_parallel:\n"
                     "  tensor_model_parallel_size: 1\nmicro_batch_size: 2\n")
            .find("--yaml-cfg") != std::string::npos);
}

TEST_CASE("Expert ranks that a model file of Primus may say are open without it") {
  const ImportedRun r = read(
      "modules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n"
      "    model: deepseek_v3.yaml\n"
      "    overrides:\n      micro_batch_size: 1\n      tensor_model_parallel_size: 1\n");
  CHECK(is_open(r, "parallel.ep"));
  CHECK(at(r, "parallel.pp") == 1);
}

TEST_CASE("A file that none of Primus's files names goes over nothing and stops") {
  const std::string own = primus_file(
      "      tensor_model_parallel_size: 4\n      pipeline_model_parallel_size: 2\n"
      "      seq_length: 8192\n");
  const ImportedRun r = read({{"p.yaml", own}, {"other_base.yaml", kPrimusTrainer}}, kEight);
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(at(r, "training.sequence_length") == 8192);
  CHECK(at(r, "framework") == "megatron-core-rocm");
  CHECK(refuses_at(r, "other_base.yaml"));
  CHECK(has_word(r, "pre_trainer.yaml"));
  const ImportedRun without = read({{"p.yaml", own}, {"other_base.yaml", kPrimusTrainer}}, kEight,
                                   {{"other_base.yaml", "none"}});
  CHECK(!refuses_at(without, "other_base.yaml"));
  const ImportedRun whole = read(
      {{"p.yaml", own}, {"trainer_base.yaml", kPrimusTrainer}, {"pre_trainer.yaml", kPrimusBase}},
      kEight);
  CHECK(!refuses_at(whole, "trainer_base.yaml"));
  CHECK(at(whole, "parallel.tp") == 4);
  CHECK(at(whole, "parallel.zero") == 1);
  const ImportedRun other =
      read({{"p.yaml", primus_file("      training:\n        local_batch_size: 1\n",
                                   "llama3.1_405B.yaml", "torchtitan")},
            {"llama3.1_8B.yaml", "model:\n  name: llama3\n  flavor: 8B\n"}},
           kEight);
  CHECK(refuses_at(other, "llama3.1_8B.yaml"));
  CHECK(at(other, "model") == "llama-3-405b");
  CHECK_THROWS_AS(read({{"a.yaml", own}, {"b.yaml", own}}, kEight), InputError);
}

TEST_CASE("A file that Primus ships has its defaults, which are listed") {
  const ImportedRun r = read(primus_file("      tensor_model_parallel_size: 4\n"), kEight);
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "training.micro_batch") == 2);
  // pre_trainer.yaml goes over trainer_base.yaml, and the run over both.
  CHECK(at(r, "training.global_batch") == 16);
  CHECK(at(r, "training.sequence_length") == 1024);
  CHECK(at(r, "parallel.zero") == 1);
  CHECK(at(r, "parallel.recompute") == "none");
  CHECK(at(r, "parallel.tp") == 4);
  CHECK(takes_default(r, "training.micro_batch", "2"));
  CHECK_FALSE(takes_default(r, "parallel.tp", "1"));
  CHECK(is_open(read("modules:\n  pre_trainer:\n    framework: megatron\n    config: mine.yaml\n"
                     "    model: llama3.1_8B.yaml\n    overrides:\n      train_iters: 5\n",
                     kEight),
                "training.precision"));
}

TEST_CASE("Primus's adapters are read, and a module or object that is not known is named") {
  const std::string lora =
      "      lora:\n        enabled: true\n        dim: 16\n        alpha: 32\n"
      "        target_modules: [linear_qkv, linear_proj]\n";
  const ImportedRun r = read(primus_file(lora), kEight);
  CHECK(at(r, "training.adapter.kind") == "lora");
  CHECK(at(r, "training.adapter.rank") == 16);
  CHECK(at(r, "training.adapter.targets") == Json({"qkv", "output"}));
  const ImportedRun off = read(primus_file("      lora: {enabled: false, dim: 16}\n"), kEight);
  CHECK(at(off, "training.adapter").is_null());
  const ImportedRun odd = read(primus_file("      sparse_attention: {top: 5}\n"), kEight);
  CHECK(refuses_at(odd, "modules.pre_trainer.overrides.sparse_attention.top 5"));
}

TEST_CASE("Windows that alternate, or that every n-th layer lacks, are a pattern") {
  const auto of = [](const std::string& list) {
    return read({{"a.yaml", primus_file("      window_size: [127, 0]\n"
                                        "      window_attn_skip_freq: " +
                                            list + "\n",
                                        "m.yaml")},
                 {"m.yaml", "num_layers: 6\nhidden_size: 64\nnum_attention_heads: 4\n"}},
                kEight);
  };
  CHECK(at(of("[1, 0, 1, 0, 1, 0]"), "model.sliding_window_pattern") == 2);
  CHECK(at(of("[0, 1, 0, 1, 0, 1]"), "model.sliding_window_pattern") == 2);
  CHECK(at(of("[1, 1, 0, 1, 1, 0]"), "model.sliding_window_pattern") == 3);
  CHECK(at(of("3"), "model.sliding_window_pattern") == 3);
  CHECK(at(of("[1, 1, 1, 1, 1, 1]"), "model.sliding_window_pattern").is_null());
  CHECK(at(of("[1, 1, 1, 1, 1, 1]"), "model.sliding_window") == 128);
  CHECK(is_open(of("[1, 1, 1, 1, 0, 0]"), "model.sliding_window_pattern"));
}

TEST_CASE("Primus names a companion by its file, whatever that holds") {
  const std::string own = primus_file("      seq_length: 8192\n");
  const ImportedRun r = read({{"p.yaml", own},
                              {"trainer_base.yaml", kPrimusTrainer},
                              {"pre_trainer.yaml", "extends: trainer_base.yaml\n"},
                              {"llama3.1_8B.yaml", "tokenizer_type: Llama3Tokenizer\n"}},
                             kEight);
  CHECK(!has_word(r, "llama3.1_8B.yaml"));
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

TEST_CASE("A file's own number of layers goes over the model that it names") {
  ImportJob job;
  job.files.push_back(
      {"p.yaml",
       "modules:\n  pre_trainer:\n    framework: megatron\n    model: llama3_8B.yaml\n"
       "    overrides:\n      num_layers: 4\n      bf16: true\n"});
  const ConfigLookup lookup = testing::shipped_configs();
  job.lookup = &lookup;
  const ImportedRun r = import_files(std::move(job));
  CHECK(is_open(r, "model"));
  CHECK(at(r, "model").is_null());
}

TEST_CASE("A width of one's own goes over the model that a file names") {
  const ConfigLookup lookup = testing::shipped_configs();
  const auto primus = [&](const std::string& more) {
    return import_files({{{"x.yaml",
                           "modules:\n  pre_trainer:\n    framework: megatron\n"
                           "    model: llama3.1_8B.yaml\n    overrides:\n      bf16: true\n" +
                               more}},
                         {},
                         json_of(kEight),
                         {},
                         &lookup});
  };
  CHECK(is_open(primus("      hidden_size: 5120\n"), "model"));
  CHECK(!is_open(primus("      hidden_size: 4096\n"), "model"));
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

}  // namespace orrery
