// SPDX-License-Identifier: Apache-2.0
// Files and command lines of NeMo Automodel.
#include <doctest/doctest.h>

#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

const std::string kDottedAutomodel =
    "step_scheduler:\n  global_batch_size: 64\n  local_batch_size: 8\nmodel:\n"
    "  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n"
    "  pretrained_model_name_or_path: meta-llama/Llama-3.1-8B\n  torch_dtype: bf16\n"
    "distributed:\n  strategy: fsdp2\n  tp_size: 1\n  cp_size: 1\n"
    "packed_sequence:\n  packed_sequence_size: 2048\n";

}  // namespace

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

TEST_CASE("Automodel's quantization stands with the model too") {
  const ImportedRun r = read(
      "step_scheduler:\n  global_batch_size: 32\n  local_batch_size: 1\n"
      "model:\n  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n"
      "  pretrained_model_name_or_path: Qwen/Qwen3-4B\n  quantization_config:\n"
      "    load_in_4bit: true\n    bnb_4bit_use_double_quant: true\n"
      "peft:\n  _target_: nemo_automodel.components._peft.lora.PeftConfig\n  dim: 16\n"
      "  target_modules: [q_proj]\ndistributed:\n  strategy: ddp\n");
  CHECK(at(r, "training.adapter.kind") == "qlora");
  CHECK(at(r, "training.adapter.base_precision") == "nf4");
}

TEST_CASE("Sections of Automodel that change the run are read or stop the import") {
  const auto automodel = [](const std::string& more, const std::string& sharding = "") {
    return read(
        "# torchrun --nproc-per-node=8 finetune.py --config a.yaml\n"
        "step_scheduler: {global_batch_size: 64, local_batch_size: 1}\n"
        "model: {_target_: nemo_automodel.x, pretrained_model_name_or_path: Qwen/Qwen3-8B, "
        "torch_dtype: bf16}\npacked_sequence: {packed_sequence_size: 2048}\n"
        "distributed: {strategy: fsdp2, tp_size: 1" +
        sharding + "}\n" + more);
  };
  CHECK(at(automodel("benchmark: {num_nodes: 2}\n"), "cluster.gpus") == 16);
  CHECK(at(automodel(""), "cluster.gpus") == 8);
  for (const char* more : {"_target_: transformer_engine.pytorch.optimizers.fused_adam.FusedAdam",
                           "_target_: torch.optim.AdamW, exp_avg_dtype: torch.float32",
                           "_target_: x.FusedAdam, store_param_remainders: true"}) {
    CHECK(is_open(automodel("optimizer: {" + std::string(more) + "}\n"), "training.states"));
  }
  CHECK(!is_open(automodel("optimizer: {_target_: torch.optim.AdamW, lr: 0.1}\n"),
                 "training.states"));
  CHECK(at(automodel("loss_fn: {_target_: x.FusedLinearCrossEntropy}\n"),
           "parallel.framework_options.kernels") == "liger");
  CHECK(at(automodel("", ", reshard_after_forward: false"),
           "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(refuses_at(automodel("", ", moe: {reshard_after_forward: false}"),
                   "distributed.moe.reshard_after_forward"));
  CHECK(refuses_at(automodel("", ", moe: {offload_policy: {_target_: CPUOffloadPolicy}}"),
                   "distributed.moe.offload_policy"));
  CHECK(!refuses_at(automodel("", ", moe: {reshard_after_forward: true}"), "distributed"));
}

TEST_CASE("Automodel's manager of plain replicas, or of Megatron FSDP, says its sharding") {
  const auto zero = [](const std::string& manager) {
    return at(read({{"a.yaml",
                     "step_scheduler:\n  global_batch_size: 64\n  local_batch_size: 2\n"
                     "model:\n  pretrained_model_name_or_path: meta-llama/Llama-3.1-8B\n"
                     "distributed:\n  _target_: nemo_automodel.components.distributed." +
                         manager}},
                   kEight),
              "parallel.zero");
  };
  CHECK(zero("ddp.DDPManager\n") == 0);
  CHECK(zero("fsdp2.FSDP2Manager\n") == 3);
  CHECK(zero("megatron_fsdp.MegatronFSDPManager\n  zero_dp_strategy: 2\n") == 2);
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

TEST_CASE("NeMo Automodel's attention, job and types") {
  const auto automodel = [](const std::string& model, const std::string& more) {
    return read(
        "step_scheduler:\n  global_batch_size: 64\n  local_batch_size: 2\n"
        "model:\n  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n"
        "  pretrained_model_name_or_path: meta-llama/Llama-3.1-8B\n" +
        model +
        "distributed:\n"
        "  _target_: nemo_automodel.components.distributed.fsdp2.FSDP2Manager\n" +
        more);
  };
  const char* flash = "training.flash_attention";
  CHECK(at(automodel("  attn_implementation: eager\n", ""), flash) == false);
  CHECK(at(automodel("  attn_implementation: sdpa\n", ""), flash) == true);
  CHECK(refuses_at(automodel("  load_in_4bit: true\n", ""), "model.load_in_4bit"));
  CHECK(refuses_at(automodel("", "qat:\n  enabled: true\n"), "qat"));
  CHECK(refuses_at(automodel("", "  mp_policy:\n    param_dtype: float32\n"),
                   "distributed.mp_policy.param_dtype"));
  CHECK(at(automodel("", "slurm:\n  nodes: 4\n  ntasks_per_node: 8\n"), "cluster.gpus") == 32);
}

}  // namespace orrery
