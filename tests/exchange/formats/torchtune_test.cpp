// SPDX-License-Identifier: Apache-2.0
// Recipes of torchtune.
#include <doctest/doctest.h>

#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

TEST_CASE("A recipe of torchtune for one device lists no sharding") {
  const ImportedRun r =
      read({{"1B_full_single_device.yaml",
             "# tune run full_finetune_single_device --config llama3_2/1B_full_single_device\n"
             "model:\n  _component_: torchtune.models.llama3_2.llama3_2_1b\nbatch_size: 4\ndtype: "
             "bf16\n"}});
  CHECK(at(r, "parallel.zero") == 0);
  CHECK_FALSE(assumes(r, "parallel.zero"));
}

TEST_CASE("A second model of torchtune's PPO stops the import") {
  CHECK(refuses_at(read("output_dir: x\nmodel:\n  _component_: torchtune.models.llama3.llama3_8b\n"
                        "ref_policy_model:\n  _component_: torchtune.models.llama3.llama3_8b\n"
                        "batch_size: 4\ndtype: bf16\n"),
                   "ref_policy_model"));
}

TEST_CASE("torchtune keeps everything in its dtype") {
  const std::string text =
      "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\ntokenizer: {_component_: t.t, "
      "max_seq_len: 8192}\n"
      "dataset: {_component_: d.d, packed: True}\noptimizer: {_component_: "
      "torch.optim.AdamW}\nbatch_size: 2\n"
      "gradient_accumulation_steps: 4\ndtype: bf16\nenable_activation_checkpointing: "
      "True\nbatch_size_val: ${batch_size}\n";
  const ImportedRun r = read(text, kEight);
  CHECK(at(r, "model") == "llama-3-8b");
  CHECK(at(r, "training.states") == "pure-16bit");
  CHECK(at(r, "training.global_batch") == 64);
  CHECK(at(r, "training.sequence_length") == 8192);
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(read(text, R"({"cluster": {"gpus": 1}})"), "parallel.zero") == 0);
  CHECK(at(read(text + "optimizer_in_bwd: True\n", kEight), "training.states.gradients") == 0.0);
  CHECK(at(read("model: {_component_: torchtune.models.llama3.qlora_llama3_8b, lora_rank: 16, "
                "lora_attn_modules: [q_proj, output_proj], apply_lora_to_mlp: True}\n"),
           "training.adapter") == Json::parse(R"({"kind": "qlora", "rank": 16,
                        "targets": ["query", "output", "gate", "up", "down"],
                        "base_precision": "nf4"})"));
}

TEST_CASE("The GPUs of a recipe of torchtune stand in its comment") {
  const std::string body =
      "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\n"
      "  max_seq_len: 1024\ndataset:\n  packed: True\nbatch_size: 2\ndtype: bf16\n";
  const std::string run = "# tune run --nnodes 2 --nproc_per_node 4 full_finetune_distributed\n";
  CHECK(at(read(run + body), "cluster.gpus") == 8);
  CHECK(at(read(run + body), "training.global_batch") == 16);
  CHECK(at(read(run + "# tune run --nproc_per_node 2 full_finetune_distributed\n" + body),
           "cluster.gpus")
            .is_null());
  const ImportedRun one = read("# tune run lora_finetune_single_device\n" + body);
  CHECK(at(one, "cluster.gpus") == 1);
  CHECK(at(one, "parallel.zero") == 0);
  CHECK(at(read({{"a", run + body}}, R"({"cluster": {"gpus": 16}})"), "training.global_batch") ==
        32);
}

TEST_CASE("The command in torchtune's comments says the GPUs, whatever a comment advises") {
  const std::string text =
      "#   tune run --nproc_per_node 4 full_finetune_distributed --config llama3/8B_full\n"
      "# Best on 2+ GPUs; use 8B_full_single_device.yaml for one.\n"
      "model:\n  _component_: torchtune.models.llama3.llama3_8b\nbatch_size: 2\ndtype: bf16\n"
      "tokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n  max_seq_len: 1024\n";
  CHECK(at(read(text), "cluster.gpus") == 4);
}

TEST_CASE("Losses of torchtune's earlier layers stop the import") {
  CHECK(refuses_at(read("output_dir: x\nmodel:\n  _component_: torchtune.models.llama3.llama3_8b\n"
                        "early_exit_loss:\n  scale: 1.0\nbatch_size: 4\ndtype: bf16\n"),
                   "early_exit_loss"));
}

TEST_CASE("torchtune's two ways to checkpoint beside each other are open") {
  const std::string base =
      "model:\n  _component_: torchtune.models.llama3.llama3_8b\nbatch_size: 2\ndtype: bf16\n"
      "tokenizer:\n  max_seq_len: 1024\nenable_activation_checkpointing: true\n";
  CHECK(is_open(read(base + "ac_mode: selective\n", kEight), "parallel.recompute"));
  CHECK(at(read(base + "ac_mode: null\n", kEight), "parallel.recompute") == "full");
}

TEST_CASE("torchtune's checkpointing, compiling and fp8 have several keys") {
  const auto of = [](const std::string& more) {
    return read(
        "model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\nbatch_size: 2\ndtype: "
        "bf16\n" +
            more,
        kEight);
  };
  // Each of its recipes says it.
  CHECK(is_open(of(""), "parallel.recompute"));
  CHECK(at(of("enable_activation_checkpointing: false\n"), "parallel.recompute") == "none");
  CHECK(at(of("ac_mode: full\n"), "parallel.recompute") == "full");
  CHECK(is_open(of("ac_mode: selective\nac_option: 2\n"), "parallel.recompute"));
  CHECK(is_open(of("enable_activation_checkpointing: true\nac_mode: selective\n"),
                "parallel.recompute"));
  CHECK(at(of("compile: {model: true, loss: true}\n"), "parallel.framework_options.compile") ==
        true);
  CHECK(at(of("enable_fp8_training: true\n"), "training.precision") == "fp8");
  CHECK(at(of("fsdp_reshard_after_forward: false\n"),
           "parallel.framework_options.reshard_after_forward") == "false");
}

TEST_CASE("torchtune's losses keep all logits, their softmax or both") {
  const auto of = [](const std::string& loss) {
    return at(read("model: {_component_: torchtune.models.llama3_1.llama3_1_8b}\nbatch_size: 2\n"
                   "dtype: bf16\nloss: {_component_: torchtune.modules.loss." +
                       loss + "}\n",
                   kEight),
              "parallel.framework_options.loss");
  };
  CHECK(of("LinearCrossEntropyLoss") == "chunked");
  CHECK(of("CEWithChunkedOutputLoss") == "fused");
  CHECK(of("CrossEntropyLoss").is_null());
}

}  // namespace orrery
