// SPDX-License-Identifier: Apache-2.0
// Small files of each tool, with what they say worked out by hand.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/flat.h"
#include "exchange/hub_names.h"
#include "exchange/import_files.h"
#include "exchange/yaml.h"
#include "read_text.h"
#include "support/runs.h"

namespace orrery {
namespace {

using testing::json_of;
using namespace formats;  // NOLINT

}  // namespace

TEST_CASE("YAML has the types of version 1.1") {
  const Json j = read_yaml(
      "a: no\nb: 'no'\nc: 1_000\nd: 5e-6\ne: 5.0e-6\nf: ~\ng: 0x10\nh: 010\ni: 2:00:00\n"
      "base: &b {x: 1, y: 2}\nk:\n  <<: *b\n  y: 3\nl: on\nm: -7\n",
      "x");
  CHECK(j["a"] == false);
  CHECK(j["b"] == "no");
  CHECK(j["c"] == 1000);
  CHECK(j["d"] == "5e-6");
  CHECK(j["e"].is_number());
  CHECK(j["f"].is_null());
  CHECK(j["g"] == 16);
  CHECK(j["h"] == 8);
  CHECK(j["i"] == "2:00:00");
  CHECK(j["k"] == json_of(R"({"x": 1, "y": 3})"));
  CHECK(j["l"] == true);
  CHECK(j["m"] == -7);
  CHECK_THROWS_AS(read_yaml("a: [1", "x"), InputError);
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string n = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + n;
    for (int k = 0; k < 9; ++k) bomb += ", " + n;
    bomb += "]\n";
  }
  CHECK_THROWS_AS(read_yaml(bomb, "x"), InputError);
}

TEST_CASE("YAML's numbers are PyYAML's but for 08 and an exponent without a sign") {
  const Json j = read_yaml("a: 0o14\nb: 1e8\nc: 08\nd: 1.5e3\n", "x");
  CHECK(j["a"] == "0o14");
  CHECK(j["b"] == "1e8");
  CHECK(j["c"] == 8);
  CHECK(j["d"] == 1500);
}

TEST_CASE("an own key goes over merged ones, the first mapping over the second, twice is refused") {
  const Json j =
      read_yaml("a: &a {x: 1, y: 2}\nb: &b {x: 3, z: 4}\nc:\n  <<: [*a, *b]\n  y: 5\n", "x");
  CHECK(j["c"]["x"] == 1);
  CHECK(j["c"]["y"] == 5);
  CHECK(j["c"]["z"] == 4);
  CHECK_THROWS_AS(read_yaml("a: 1\nb: 2\na: 1\n", "x"), InputError);
}

TEST_CASE("references within a document are followed") {
  Json j = read_yaml(
      "model: {h: 64, ffn: '${multiply:4, ${.h}}', n: '${training.model.h}', p: "
      "'${divide_ceil:${model.h},10}'}\n"
      "tp: ${PRIMUS_TP:2}\nname: ${PRIMUS_MODEL:kimi}.yaml\nopen: ${nothing.here}\n",
      "x");
  follow_references(j);
  CHECK(j["model"]["ffn"] == 256);
  CHECK(j["model"]["n"] == 64);
  CHECK(j["model"]["p"] == 7);
  CHECK(j["tp"] == 2);
  CHECK(j["name"] == "kimi.yaml");
  CHECK(j["open"] == "${nothing.here}");
}

TEST_CASE("models of a hub are known by their dimensions") {
  CHECK(shipped_model("meta-llama/Meta-Llama-3-8B-Instruct") == "llama-3-8b");
  CHECK(shipped_model("meta-llama/Llama-3.1-405B") == "llama-3-405b");
  CHECK(shipped_model("llama3_1_70b") == "llama-3-70b");
  CHECK(shipped_model("Qwen/Qwen3-30B-A3B-Instruct-2507") == "qwen3-30b-a3b");
  CHECK(shipped_model("mistralai/Mixtral-8x7B-v0.1") == "mixtral-8x7b");
  CHECK(shipped_model("Qwen/Qwen4-4B") == "");
  CHECK(shipped_model("mistralai/Mistral-7B-Instruct-v0.3") == "mistral-7b-v0.3");
  CHECK(shipped_model("mistralai/Mistral-7B-v0.1") == "mistral-7b-v0.1");  // with its window
  CHECK(shipped_model("mistralai/Mistral-7B-Instruct-v0.2") == "mistral-7b");
  CHECK(shipped_model("mistralai/Mistral-Nemo-Base-2407") == "mistral-nemo-12b");
  CHECK(shipped_model("allenai/OLMo-2-1124-7B-Instruct") == "olmo-2-7b");
  CHECK(shipped_model("somebody/Llama-3-8B-AWQ") == "");
  CHECK(quantised_base("somebody/Llama-3-8B-AWQ") == "awq");
}

TEST_CASE("DeepSpeed's auto is open, and the trainer beside it says it") {
  const std::string ds = R"({"bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto"},
      "train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
      "gradient_accumulation_steps": "auto",
      "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"}})";
  const ImportedRun alone = read(ds);
  CHECK(at(alone, "training.precision").is_null());
  CHECK(is_open(alone, "training.precision"));
  CHECK(is_open(alone, "training.micro_batch"));
  CHECK(is_open(alone, "training.global_batch"));
  CHECK(at(alone, "parallel.zero") == 3);
  const ImportedRun both = read(
      {{"a.yaml", kAxolotl + "bf16: true\ndeepspeed: configs/z3.json\n"}, {"z3.json", ds}}, kEight);
  CHECK(at(both, "training.precision") == "bf16");
  CHECK(at(both, "training.micro_batch") == 2);
  CHECK(at(both, "training.global_batch") == 2 * 4 * 8);
  CHECK(at(both, "parallel.zero") == 3);
  CHECK(at(both, "framework") == "deepspeed");
  CHECK(both.not_understood.empty());
  const ImportedRun without = read(kAxolotl + "bf16: true\ndeepspeed: configs/z3.json\n", kEight);
  CHECK(is_open(without, "parallel.zero"));
  const ImportedRun other =
      read({{"a.yaml", kAxolotl + "bf16: true\ndeepspeed: z.json\n"},
            {"z.json", R"({"fp16": {"enabled": true}, "zero_optimization": {"stage": 2}})"}},
           kEight);
  CHECK(at(other, "training.precision").is_null());
  CHECK(is_open(other, "training.precision"));
}

// A name that a file of ours has is a name that a hub may have: none is forgotten here.
TEST_CASE("every shipped model is known by its own name") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ORRERY_CONFIG_DIR) + "/models")) {
    const std::string name = entry.path().stem().string();
    CAPTURE(name);
    const bool ambiguous = name == "gpt3-1.3b" || name == "gpt3-13b";
    CHECK(shipped_model(name) == (ambiguous ? "" : name));
  }
}

TEST_CASE("two of DeepSpeed's sizes say the third, whatever is auto") {
  const ImportedRun r = read(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": 2,
      "gradient_accumulation_steps": 4, "bf16": {"enabled": true}})",
                             kEight);
  CHECK(at(r, "training.global_batch") == 64);
  CHECK_FALSE(is_open(r, "training.global_batch"));
}

TEST_CASE("Axolotl's sharding, states and adapters") {
  const ImportedRun fsdp =
      read(kAxolotl +
               "bf16: true\noptimizer: adamw_torch_8bit\nfsdp_config:\n  fsdp_version: 2\n  "
               "reshard_after_forward: false\n  offload_params: true\n",
           kEight);
  CHECK(at(fsdp, "model") == "llama-3-8b");
  CHECK(at(fsdp, "training.sequence_length") == 4096);
  CHECK(at(fsdp, "training.global_batch") == 64);
  CHECK(at(fsdp, "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(at(fsdp, "parallel.recompute") == "full");
  CHECK(at(fsdp, "parallel.offload.parameters") == "host");
  CHECK(at(fsdp, "training.states.optimizer") == 2.0);
  const ImportedRun mesh =
      read(kAxolotl +
           "bf16: true\ndp_shard_size: 4\ndp_replicate_size: 2\ntensor_parallel_size: "
           "2\nfsdp_config:\n  reshard_after_forward: true\n");
  CHECK(at(mesh, "cluster.gpus") == 16);
  CHECK(at(mesh, "parallel.zero_shard_group") == 4);
  CHECK(at(mesh, "training.global_batch") == 64);
  const ImportedRun plain = read(kAxolotl + "bf16: true\n", kEight);
  CHECK(at(plain, "parallel.zero") == 0);
  CHECK(at(plain, "training.states") == "pure-16bit");
  CHECK(is_open(read(kAxolotl + "bf16: auto\n", kEight), "training.precision"));
  const ConfigLookup lookup = testing::shipped_configs();
  const auto on = [&](const char* node) {
    const Json given = {{"cluster", {{"gpus", 8}, {"node", node}}}};
    return import_files({{{"a", kAxolotl + "bf16: auto\n"}}, {}, given, {}, &lookup});
  };
  CHECK(at(on("dgx-h100"), "training.precision") == "bf16");
  CHECK(at(on("dgx-1-v100-32gb"), "training.precision") == "fp16");
  const ImportedRun lora = read(kAxolotl +
                                    "bf16: true\nadapter: lora\nload_in_8bit: true\nlora_r: "
                                    "32\nlora_target_modules: [q_proj, v_proj]\nlora_dropout: "
                                    "0.05\nlora_modules_to_save: [lm_head]\n",
                                kEight);
  CHECK(lora.not_understood.empty());
  CHECK(at(lora, "training.adapter") ==
        Json::parse(R"({"kind": "lora", "rank": 32, "targets": ["query", "value"],
                        "trained": ["head"], "base_precision": "int8", "dropout": true})"));
  const ImportedRun other = read(kAxolotl + "bf16: true\nadapter: ia3\n", kEight);
  CHECK(stops_at(other, "adapter ia3"));
  const ImportedRun odd = read(
      kAxolotl + "bf16: true\nadapter: lora\nlora_r: 8\nlora_target_modules: [router]\n", kEight);
  CHECK(is_open(read(kAxolotl + "bf16: true\nadapter: lora\n", kEight), "training.adapter"));
  CHECK(stops_at(odd, "lora_target_modules router"));
  const ImportedRun all =
      read({{"a", kAxolotl + "bf16: true\nadapter: lora\n"}}, kEight, {{"adapter", "none"}});
  CHECK(all.not_understood.empty());
  CHECK(at(read(kAxolotl + "bf16: true\noptimizer: muon\n", kEight), "training.optimizer") ==
        "muon");
  CHECK(is_open(read(kAxolotl + "bf16: true\noptimizer: came\n", kEight), "training.optimizer"));
  CHECK(stops_at(read(kAxolotl + "bf16: true\nmy_new_recompute_switch: 3\n", kEight),
                 "my_new_recompute_switch"));
}

TEST_CASE(
    "LLaMA-Factory checkpoints unless it is told not to, and trains adapters unless told to") {
  const std::string base =
      "model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct\nstage: sft\ntemplate: llama3\n"
      "cutoff_len: 1024\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 8\nbf16: "
      "true\n";
  const ImportedRun full = read(base + "finetuning_type: full\n", kEight);
  CHECK(at(full, "parallel.recompute") == "full");
  CHECK(at(full, "training.global_batch") == 64);
  CHECK(at(full, "training.states") == "fp32-adam-16");
  CHECK(full.not_understood.empty());
  CHECK(at(read(base + "finetuning_type: full\ndisable_gradient_checkpointing: true\n", kEight),
           "parallel.recompute") == "none");
  const ImportedRun adapters = read(base + "quantization_bit: 4\nlora_target: all\n", kEight);
  CHECK(adapters.not_understood.empty());
  CHECK(at(adapters, "training.adapter") ==
        Json::parse(R"({"kind": "qlora", "rank": 8, "base_precision": "nf4"})"));
  CHECK(at(read(base + "finetuning_type: full\nuse_galore: true\n", kEight),
           "training.optimizer") == "galore");
  CHECK(stops_at(read(base + "finetuning_type: full\nuse_apollo: true\n", kEight), "use_apollo"));
}

TEST_CASE("Accelerate's file completes a trainer's") {
  const std::string accelerate =
      "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: "
      "bf16\nnum_machines: 2\n"
      "num_processes: 16\ndowncast_bf16: 'no'\nfsdp_config:\n  fsdp_sharding_strategy: "
      "SHARD_GRAD_OP\n";
  const ImportedRun alone = read(accelerate);
  CHECK(at(alone, "cluster.gpus") == 16);
  CHECK(at(alone, "training.precision") == "bf16");
  CHECK(at(alone, "parallel.framework_options.reshard_after_forward") == "false");
  CHECK(at(alone, "parallel.recompute").is_null());
  const ImportedRun both = read({{"a.yaml", kAxolotl + "bf16: true\n"}, {"b.yaml", accelerate}});
  CHECK(at(both, "training.global_batch") == 2 * 4 * 16);
  CHECK(at(both, "training.states") == "fsdp-amp");
  CHECK(both.not_understood.empty());
  const ImportedRun against = read({{"a.yaml", kAxolotl + "fp16: true\n"}, {"b.yaml", accelerate}});
  CHECK(is_open(against, "training.precision"));
  CHECK(
      at(read(
             "distributed_type: FSDP\nfsdp_config: {fsdp_version: 1, fsdp_sharding_strategy: 3}\n"),
         "parallel.zero") == 0);
  CHECK(is_open(read("distributed_type: DEEPSPEED\nnum_processes: 2\ndeepspeed_config: "
                     "{deepspeed_config_file: z.json}\n"),
                "training.precision"));
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

TEST_CASE("NeMo's trainer and model are Megatron-LM's settings") {
  const ImportedRun r = read(
      "trainer: {num_nodes: 4, devices: 8, precision: bf16, max_steps: 10}\n"
      "model:\n  mcore_gpt: true\n  megatron_amp_O2: true\n  micro_batch_size: 1\n"
      "  global_batch_size: 64\n  "
      "tensor_model_parallel_size: 4\n"
      "  pipeline_model_parallel_size: 2\n  virtual_pipeline_model_parallel_size: 4\n  "
      "encoder_seq_length: 2048\n"
      "  num_layers: 32\n  hidden_size: 1024\n  ffn_hidden_size: ${multiply:4, ${.hidden_size}}\n  "
      "num_attention_heads: 16\n"
      "  num_query_groups: 4\n  normalization: rmsnorm\n  activation: fast-swiglu\n  bias: false\n "
      " position_embedding_type: rope\n"
      "  share_embeddings_and_output_weights: false\n  hidden_dropout: 0.0\n  attention_dropout: "
      "0.0\n  sequence_parallel: true\n"
      "  fp8: true\n  fp8_e4m3: false\n  fp8_hybrid: true\n  activations_checkpoint_granularity: "
      "full\n"
      "  activations_checkpoint_method: block\n  activations_checkpoint_num_layers: 2\n  "
      "ub_tp_comm_overlap: true\n"
      "  optim: {name: mcore_distributed_optim, overlap_grad_sync: true, overlap_param_sync: "
      "true}\n");
  CHECK(r.not_understood.empty());
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(at(r, "training.precision") == "fp8");
  CHECK(at(r, "training.sequence_length") == 2048);
  CHECK(at(r, "model.intermediate_size") == 4096);
  CHECK(at(r, "model.num_key_value_heads") == 4);
  CHECK(at(r, "model.hidden_act") == "swiglu");
  CHECK(at(r, "model.attention_bias") == false);
  CHECK(at(r, "model.tie_word_embeddings") == false);
  CHECK(at(r, "parallel.vpp") == 4);
  CHECK(at(r, "parallel.zero") == 1);
  CHECK(at(r, "parallel.recompute") == "full");
  CHECK(at(r, "parallel.recompute_layers") == 2);
  CHECK(at(r, "parallel.framework_options.tp_comm_overlap") == true);
  CHECK(missing_keys(r.run) == std::vector<std::string>{"model.vocab_size", "cluster.node"});
}

TEST_CASE("Megatron-Bridge's mixed_precision goes over its model") {
  const std::string model =
      "model:\n  _target_: megatron.bridge.models.gpt_provider.GPTModelProvider\n  num_layers: 8\n "
      " hidden_size: 256\n"
      "  num_attention_heads: 8\n  vocab_size: 1000\n  gated_linear_unit: true\n  activation_func: "
      "{_call_: false, _target_: torch.nn.functional.silu}\n"
      "  seq_length: 2048\n  tensor_model_parallel_size: 1\n  pipeline_model_parallel_size: 2\n  "
      "fp8_recipe: delayed\n"
      "  pipeline_model_parallel_layout:\n  - [embedding, decoder, decoder, decoder]\n  - "
      "[decoder, decoder, decoder, decoder, decoder, loss]\n"
      "  share_embeddings_and_output_weights: false\n  sequence_parallel: false\ntrain: "
      "{global_batch_size: 32, micro_batch_size: 1}\n"
      "ddp: {use_distributed_optimizer: true, grad_reduce_in_fp32: false, "
      "data_parallel_sharding_strategy: optim_grads_params, use_megatron_fsdp: false}\n";
  const auto with = [&](const std::string& more) { return read(model + more); };
  const ImportedRun bf16 = with(
      "mixed_precision: {bf16: true, fp8: null, fp8_recipe: tensorwise, grad_reduce_in_fp32: "
      "true}\n");
  CHECK(at(bf16, "training.precision") == "bf16");
  CHECK(at(bf16, "training.states") == "adam-fp32-gradients-18");
  CHECK(at(bf16, "parallel.zero") == 1);
  CHECK(at(bf16, "parallel.stage_layers") == Json({3, 5}));
  CHECK(at(bf16, "model.hidden_act") == "swiglu");
  CHECK(bf16.not_understood.empty());
  CHECK(at(with("mixed_precision: {bf16: true, fp8: e4m3, fp8_recipe: mxfp8}\n"),
           "training.precision") == "mxfp8");
  CHECK(at(with("mixed_precision: {bf16: true, fp4: e2m1}\n"), "training.precision") == "nvfp4");
  const ImportedRun overrides =
      read("model: {seq_length: 2048}\ntrain: {global_batch_size: 64, micro_batch_size: 1}\n");
  CHECK(at(overrides, "training.global_batch") == 64);
  for (const char* key : {"parallel.tp", "parallel.pp", "training.precision", "parallel.zero"})
    CHECK(is_open(overrides, key));
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
  CHECK(all.not_understood.empty());
}

TEST_CASE("MLPerf's sequences are of a replica") {
  const std::string common =
      "export FP8=True\nexport USE_DIST_OPTIMIZER=True\nexport MICRO_BATCH_SIZE=1\nexport "
      "MODEL_SIZE=\"405b\"\nexport SEQ_PARALLEL=True\n";
  const std::string config =
      "source $(dirname ${BASH_SOURCE[0]})/config_common.sh\nexport MINIBS=72\nexport "
      "TENSOR_MODEL_PARALLEL=2\nexport PIPELINE_MODEL_PARALLEL=8\n"
      "export CONTEXT_PARALLEL=2\nexport DGXNNODES=128\nexport DGXNGPU=4\n";
  const ImportedRun r = read({{"config_common.sh", common}, {"config_x.sh", config}},
                             R"({"parallel": {"recompute": "none"}})");
  CHECK(at(r, "cluster.gpus") == 512);
  CHECK(at(r, "training.global_batch") == 72 * 512 / 32);
  CHECK(at(r, "training.precision") == "fp8");
  CHECK(at(r, "model") == "llama-3-405b");
  CHECK(r.not_understood.empty());
  const ImportedRun alone = read(config);
  CHECK(is_open(alone, "training.precision"));
  CHECK(stops_at(alone, "source config_common.sh"));
}

TEST_CASE("old names of Megatron-LM are read, and its switches in doubt are open") {
  const std::string base =
      "--num-layers 8 --hidden-size 64 --num-attention-heads 8 --vocab-size 100 --seq-length 128 "
      "--fp16 ";
  const ImportedRun old = read(base +
                               "--model-parallel-size 4 --batch-size 2 --zero-stage 2 "
                               "--checkpoint-activations --checkpoint-num-layers 2 --deepspeed");
  CHECK(at(old, "parallel.tp") == 4);
  CHECK(at(old, "training.micro_batch") == 2);
  CHECK(at(old, "parallel.zero") == 2);
  CHECK(at(old, "parallel.recompute") == "full");
  CHECK(at(old, "parallel.recompute_layers") == 2);
  CHECK(at(old, "framework") == "megatron-deepspeed");
  CHECK(at(read(base + "--quick-geglu"), "model.hidden_act") == "geglu");
  CHECK(stops_at(
      read(base +
           "--tensor-model-parallel-size 2 --checkpoint-activations --partition-activations"),
      "--partition-activations"));
  const ImportedRun doubt =
      read("A=()\nif [ -f x ]; then A+=(--recompute-granularity full); fi\ntrain " + base +
           "\"${A[@]}\"");
  CHECK(is_open(doubt, "parallel.recompute"));
  CHECK(at(doubt, "parallel.recompute").is_null());
  const ImportedRun open = read(base + "--tensor-model-parallel-size $TP");
  CHECK(is_open(open, "parallel.tp"));
  CHECK(at(open, "parallel.tp").is_null());
  CHECK(at(read(base + "--tensor-model-parallel-size $TP", R"({"parallel": {"tp": 8}})"),
           "parallel.tp") == 8);
}

TEST_CASE("a script's own DeepSpeed file is read with it") {
  const ImportedRun r = read(
      "Z=2\ncat <<EOT > ds.json\n{\"train_batch_size\": 32, \"zero_optimization\": {\"stage\": "
      "$Z}, \"fp16\": {\"enabled\": true}}\nEOT\n"
      "deepspeed train.py --num-layers 8 --hidden-size 64 --num-attention-heads 8 --seq-length 128 "
      "--micro-batch-size 2 --fp16 --deepspeed --deepspeed_config ds.json",
      kEight);
  CHECK(at(r, "parallel.zero") == 2);
  CHECK(at(r, "training.global_batch") == 32);
  CHECK_FALSE(is_open(r, "parallel.zero"));
}

TEST_CASE("A pipeline of the command line counts in torchtitan's replicas and micro batches") {
  const ImportedRun r = read(
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 4096\n"
      "local_batch_size = 2\n",
      R"({"cluster": {"gpus": 8}, "parallel": {"pp": 2}})");
  CHECK(at(r, "parallel.dp") == 4);
  CHECK(at(r, "training.global_batch") == 8);
  CHECK(at(r, "training.micro_batch") == 1);
}

TEST_CASE("torchtitan compiles what its list names, and quantises by its converters") {
  const auto toml = [](const std::string& more) {
    return read("[model]\nname = \"llama3\"\nflavor = \"8B\"\n" + more, kEight);
  };
  const std::string compile =
      "[training]\nseq_len = 4096\nlocal_batch_size = 2\n[compile]\nenable = true\ncomponents = ";
  CHECK(at(toml(compile + "[\"loss\"]\n"), "parallel.framework_options.compile") == false);
  CHECK(at(toml(compile + "[\"loss\"]\n"), "parallel.framework_options.compile_loss") == true);
  CHECK(at(toml(compile + "[\"model\"]\n"), "parallel.framework_options.compile") == true);
  const std::string recipe = "[quantize.linear.float8]\nrecipe_name = \"rowwise\"\n";
  CHECK(at(toml(recipe), "training.precision") == "bf16");
  const std::string converters = "converters = [\"float8\"]\n";
  CHECK(at(toml(converters + recipe), "training.precision") == "fp8");
  const char* float8 = "parallel.framework_options.float8";
  CHECK(at(toml(converters + recipe), float8) == "rowwise");
  // Scales of whole tensors; FSDP gathers 8 bits where it is told to.
  CHECK(at(toml(converters), float8) == "none");
  const std::string gathers = "[float8]\nenable_fsdp_float8_all_gather = ";
  CHECK(at(toml(converters + gathers + "true\n"), float8) == "tensorwise");
  CHECK(at(toml(converters + gathers + "false\n"), float8) == "none");
  CHECK(at(toml("[parallelism]\nfsdp_reshard_after_forward = \"never\"\n"),
           "parallel.framework_options.reshard_after_forward") == "never");
}

TEST_CASE("TOML's bare keys are ASCII: a letter beyond it is refused where it stands") {
  // One letter a block of characters that the library looks up in a table of its own.
  for (const char* letter : {"é", "λ", "ﬀ", "\xEF\xBB\xBC", "漢", "\xF0\x9F\x99\x82"}) {
    CAPTURE(letter);
    const std::string text = "[model]\nname = \"llama3\"\n" + std::string(letter) + " = 1\n";
    CHECK_THROWS_WITH_AS(read(text, kEight), doctest::Contains("line 3"), InputError);
  }
}

}  // namespace orrery
