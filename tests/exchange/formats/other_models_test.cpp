// SPDX-License-Identifier: Apache-2.0
// Files whose training is not that of a decoder alone, worked out by hand.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {
namespace {

using namespace formats;  // NOLINT

std::string script(const std::string& program, const std::string& more) {
  return "torchrun --nproc_per_node 8 " + program +
         " --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 32"
         " --max-position-embeddings 32 --micro-batch-size 1 --global-batch-size 8 --bf16"
         " --vocab-size 100 --tensor-model-parallel-size 1 " +
         more + "\n";
}

const std::string kTune =
    "model:\n  _component_: torchtune.models.llama3.llama3_8b\ntokenizer:\n  _component_: t\n"
    "  max_seq_len: 1024\ndataset:\n  packed: True\nbatch_size: 2\ndtype: bf16\n";

const std::string kFactory =
    "model_name_or_path: meta-llama/Meta-Llama-3-8B\nstage: sft\ndo_train: true\ncutoff_len: 512\n"
    "per_device_train_batch_size: 1\ngradient_accumulation_steps: 1\nbf16: true\n";

}  // namespace

TEST_CASE("Programs of Megatron-LM that train no decoder leave the model open") {
  for (const char* program :
       {"pretrain_bert.py", "a/pretrain_t5.py", "pretrain_vlm.py", "pretrain_mamba.py"}) {
    CHECK_MESSAGE(is_open(read(script(program, "")), "model"), program);
  }
  CHECK_FALSE(is_open(read(script("pretrain_gpt.py", "")), "model"));
  CHECK(is_open(read(script("train.py", "--vision-model-type clip --tokenizer-model gpt2")),
                "model"));
  CHECK(at(read({{"a", script("pretrain_bert.py", "")}}, R"({"model": "gpt2"})"), "model") ==
        "gpt2");
  CHECK(stops_at(read(script("train.py", "--freeze-LM")), "--freeze-LM"));
}

TEST_CASE("A pattern of layers of Megatron-LM is a model with state-space layers") {
  const ImportedRun r = read(script("pretrain_mamba.py",
                                    "--hybrid-override-pattern M*-M --position-embedding-type none "
                                    "--mamba-num-heads 8 --mamba-head-dim 16 --mamba-state-dim 32 "
                                    "--mamba-num-groups 2 --spec a b"));
  CHECK(at(r, "model.layer_pattern") == Json({"recurrent", "attention", "dense", "recurrent"}));
  CHECK(at(r, "model.recurrent") == "mamba2");
  CHECK(at(r, "model.linear_num_value_heads") == 8);
  CHECK(at(r, "model.linear_value_head_dim") == 16);
  CHECK(at(r, "model.linear_key_head_dim") == 32);
  CHECK(at(r, "model.linear_num_key_heads") == 2);
  CHECK(at(r, "model.position_embedding") == "none");
  // Heads of 64 in twice the width of 64.
  const ImportedRun usual = read(script("pretrain_mamba.py", "--hybrid-override-pattern MMMM"));
  CHECK(at(usual, "model.linear_num_value_heads") == 2);
  for (const char* more : {"--hybrid-override-pattern M*", "--hybrid-override-pattern M*|M",
                           "--hybrid-attention-ratio 0.6 --hybrid-mlp-ratio 0.6"}) {
    CHECK_MESSAGE(is_open(read(script("pretrain_mamba.py", more)), "model.layer_pattern"), more);
  }
  const ImportedRun named =
      read({{"a", script("pretrain_mamba.py", "--hybrid-mlp-ratio 0.5 --mamba-head-dim 64")}},
           R"({"model": "nemotron-h-8b"})");
  CHECK(at(named, "model").is_null());
  CHECK_FALSE(stops_at(named, "--"));
}

TEST_CASE("A log of a decoder lists what a hybrid model would have") {
  const std::string head =
      "------------------------ arguments ------------------------\n"
      "  num_layers ...................... 4\n  hidden_size ..................... 64\n"
      "  num_attention_heads ............. 4\n  seq_length ...................... 32\n"
      "  hybrid_attention_ratio .......... 0.0\n  hybrid_mlp_ratio ................ 0.0\n"
      "  hybrid_override_pattern ......... None\n  mamba_head_dim .................. 64\n"
      "  mamba_num_groups ................ 8\n  mamba_state_dim ................. 128\n"
      "  mamba_num_heads ................. None\n"
      "  outer_dp_sharding_strategy ...... no_shard\n  muon_num_ns_steps ............... 5\n"
      "  cuda_graph_impl ................. none\n  cuda_graph_scope ................ full\n"
      "  linear_num_key_heads ............ 16\n  tensor_model_parallel_size ...... 2\n"
      "  expert_tensor_parallel_size ..... 2\n";
  const std::string end = "-------------------- end of arguments ---------------------\n";
  const ImportedRun r = read(head + "  is_hybrid_model ................. False\n" + end);
  CHECK(at(r, "model.layer_pattern").is_null());
  CHECK_FALSE(is_open(r, "model.layer_pattern"));
  CHECK_FALSE(stops_at(r, "mamba"));
  CHECK_FALSE(stops_at(r, "hybrid"));
  CHECK_FALSE(stops_at(r, "is_hybrid"));
  CHECK(r.not_understood.empty());
  CHECK(at(r, "parallel.etp").is_null());
  CHECK(is_open(read(head + "  is_hybrid_model ................. True\n" + end),
                "model.layer_pattern"));
}

TEST_CASE("A log has the layers with experts as a list") {
  const std::string log =
      "------------------------ arguments ------------------------\n"
      "  num_layers ...................... 4\n  hidden_size ..................... 64\n"
      "  num_attention_heads ............. 4\n  num_experts ..................... 8\n"
      "  moe_layer_freq .................. [0, 1, 1, 1]\n"
      "-------------------- end of arguments ---------------------\n";
  const std::size_t end = log.find("----", 60);
  CHECK(
      is_open(read(log.substr(0, end) +
                   "  pipeline_model_parallel_layout .... <a object at 0x7f>\n" + log.substr(end)),
              "parallel.stage_layers"));
  CHECK(at(read(log), "model.first_k_dense_replace") == 1);
  CHECK(at(read(log), "model.moe_layer_freq") == 1);
}

TEST_CASE("NeMo's encoders leave the model open, and a tuning's length is its data's") {
  const std::string head = "trainer:\n  devices: 8\n  num_nodes: 1\n  precision: bf16\n";
  const std::string model =
      "model:\n  micro_batch_size: 1\n  global_batch_size: 8\n  tensor_model_parallel_size: 1\n"
      "  num_layers: 4\n  hidden_size: 64\n  num_attention_heads: 4\n  encoder_seq_length: 32\n";
  CHECK(is_open(read("name: megatron_bert\n" + head + model), "model"));
  CHECK(is_open(read("name: megatron_t5\n" + head + model), "model"));
  CHECK(is_open(read(head + model + "  bert_binary_head: true\n"), "model"));
  CHECK_FALSE(is_open(read("name: megatron_gpt\n" + head + model), "model"));
  CHECK(is_open(read("name: megatron_griffin\n" + head + model), "model"));
  CHECK(
      is_open(read(head + model + "  mcore_customization_config:\n    parallel_attention: true\n"),
              "model.use_parallel_residual"));
  const ImportedRun tuned =
      read(head +
           "model:\n  micro_batch_size: 1\n  tensor_model_parallel_size: 1\n"
           "  restore_from_path: llama2_13b.nemo\n  peft:\n    peft_scheme: lora\n"
           "  data:\n    train_ds:\n      max_seq_length: 2048\n");
  CHECK(at(tuned, "training.sequence_length") == 2048);
}

TEST_CASE("A training with a second model stops, whatever the tool calls it") {
  CHECK(stops_at(read(kTune + "loss:\n  _component_: torchtune.rlhf.loss.DPOLoss\n", kEight),
                 "loss"));
  CHECK(
      stops_at(read(kTune + "ref_checkpointer:\n  _component_: c\n", kEight), "ref_checkpointer"));
  CHECK(stops_at(read(kTune + "teacher_model:\n  _component_: m\n", kEight), "teacher_model"));
  CHECK_FALSE(
      stops_at(read(kTune + "loss:\n  _component_: torchtune.modules.loss.CE\n", kEight), "loss"));
  const std::string automodel =
      "step_scheduler:\n  global_batch_size: 8\n  local_batch_size: 1\nmodel:\n"
      "  pretrained_model_name_or_path: Qwen/Qwen3-8B\ndistributed:\n  strategy: fsdp2\n";
  CHECK(stops_at(
      read(automodel + "teacher_model:\n  pretrained_model_name_or_path: Qwen/Qwen3-32B\n", kEight),
      "teacher_model"));
  CHECK(at(read(automodel + "fp8:\n  enabled: true\n", kEight), "training.precision") == "fp8");
  CHECK(at(read(automodel + "fp8:\n  enabled: false\n", kEight), "training.precision") == "bf16");
  CHECK(stops_at(read(automodel + "freeze_config:\n  freeze_vision_tower: true\n", kEight),
                 "freeze_config"));
}

TEST_CASE("Parts of a model that stay as they are stop an import") {
  CHECK(stops_at(read("model:\n  _component_: torchtune.models.llama3.llama3_8b\n"
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
  CHECK(stops_at(with_tower("finetuning_type: full\n"), "freeze_vision_tower"));
  CHECK_FALSE(stops_at(with_tower("finetuning_type: full\nfreeze_vision_tower: false\n"),
                       "freeze_vision_tower"));
  CHECK_FALSE(stops_at(with_tower("finetuning_type: lora\n"), "freeze_vision_tower"));
}

TEST_CASE("LLaMA-Factory's words for less memory") {
  const ImportedRun galore = read(kFactory +
                                      "finetuning_type: full\nuse_galore: true\n"
                                      "galore_rank: 64\ngalore_target: all\n"
                                      "galore_layerwise: true\ngalore_scale: 2.0\n",
                                  kEight);
  CHECK(at(galore, "training.optimizer") == "galore");
  CHECK(at(galore, "training.optimizer_rank") == 64);
  CHECK(at(galore, "training.states")["gradients"] == 0);
  CHECK_FALSE(stops_at(galore, "galore"));
  CHECK(stops_at(read(kFactory + "finetuning_type: full\nmixture_of_depths: convert\n", kEight),
                 "mixture_of_depths"));
  CHECK(at(read(kFactory + "finetuning_type: lora\nuse_unsloth_gc: true\n", kEight),
           "parallel.offload.activations") == "host");
}

TEST_CASE("Accelerate on processors stops") {
  CHECK(stops_at(read("distributed_type: MULTI_CPU\nnum_processes: 4\nmixed_precision: bf16\n"),
                 "distributed_type"));
  CHECK(stops_at(read("distributed_type: NO\nnum_processes: 1\nuse_cpu: true\n"), "use_cpu"));
}

}  // namespace orrery
