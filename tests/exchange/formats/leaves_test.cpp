// SPDX-License-Identifier: Apache-2.0
// Every leaf of a file stands in a list: a setting that nobody knows is named, wherever it stands.
#include <doctest/doctest.h>

#include "core/error.h"
#include "exchange/text_lines.h"
#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

const std::string kOdd = "_zz";  // the end of a name that no tool has

// Everything that an import says of its files.
std::string words_of(const ImportedRun& r) {
  std::string text = r.run.dump();
  for (const LeftOver& l : r.ignored) text += "\n" + l.setting + " " + l.why;
  for (const Fact& a : r.assumed) text += "\n" + a.path + " " + a.value + " " + a.why;
  for (const std::string& s : r.without_effect) text += "\n" + s;
  return text;
}

// A refusal names the leaf, or says that the file is of no tool any more.
bool names_it(const std::vector<ForeignFile>& files) {
  try {
    return words_of(read(files, kEight)).find(kOdd) != std::string::npos;
  } catch (const InputError&) {
    return true;
  }
}

void leaves_in(const Json& value, const std::string& path, std::vector<std::string>& out) {
  for (const auto& [key, member] : value.items()) {
    const std::string own = path.empty() ? key : path + "." + key;
    if (member.is_object() && !member.contains("_target_")) {
      leaves_in(member, own, out);
    } else if (key.find('.') == std::string::npos && key.front() != '_') {
      out.push_back(own);
    }
  }
}

// Each leaf under a name that nobody knows, and one more in each section.
void check_document(const std::string& name, const std::string& text,
                    const std::vector<ForeignFile>& beside = {}) {
  const bool json = first_character(text) == '{';
  const Json document = json ? parse_json(text, name) : read_yaml(text, name);
  std::vector<std::string> leaves;
  leaves_in(document, "", leaves);
  CHECK(leaves.size() > 2);
  for (const std::string& path : leaves) {
    Json other = document;
    const Json value = value_at(document, path);
    erase_at(other, path);
    set_at(other, path + kOdd, value.is_null() ? Json(1) : value);
    std::vector<ForeignFile> files = {{name, json ? other.dump() : write_yaml(other)}};
    files.insert(files.end(), beside.begin(), beside.end());
    CHECK_MESSAGE(names_it(files), name << ": " << path);
  }
}

}  // namespace

TEST_CASE("No leaf of a document vanishes: DeepSpeed") {
  check_document(
      "ds.json",
      R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true},
      "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "gradient_clipping": 1.0,
      "zero_optimization": {"stage": 3, "overlap_comm": true, "offload_optimizer": {"device": "cpu"}},
      "activation_checkpointing": {"partition_activations": true}})");
}

TEST_CASE("No leaf of a document vanishes: Accelerate") {
  check_document(
      "a.yaml",
      "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n"
      "  fsdp_version: 2\n  fsdp_reshard_after_forward: true\n  fsdp_offload_params: false\n"
      "mixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n");
}

TEST_CASE("No leaf of a document vanishes: Megatron-Bridge") {
  check_document(
      "b.yaml",
      "model:\n  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n  seq_length: 32\n"
      "  normalization: RMSNorm\n  vocab_size: 100\n  tensor_model_parallel_size: 1\n"
      "  gated_linear_unit: true\n  rotary_base: 10000\n  bf16: true\n"
      "train:\n  global_batch_size: 8\n  micro_batch_size: 1\n  manual_gc: true\n"
      "ddp:\n  use_distributed_optimizer: true\n  bucket_size: 5\n"
      "optimizer:\n  optimizer: adam\n  lr: 1\n  bf16: true\n"
      "comm_overlap:\n  tp_comm_overlap: false\nmixed_precision:\n  bf16: true\n"
      "peft:\n  _target_: megatron.bridge.peft.lora.LoRA\n  dim: 8\n  alpha: 16\n"
      "  target_modules: [linear_qkv]\n");
}

TEST_CASE("No leaf of a document vanishes: Primus") {
  const std::vector<ForeignFile> beside = {
      {"t.yaml",
       "bf16: true\nmicro_batch_size: 2\nglobal_batch_size: 64\nseq_length: 32\n"
       "use_distributed_optimizer: true\ntensor_model_parallel_size: 1\n"},
      {"m.yaml", "num_layers: 2\nhidden_size: 64\nnum_attention_heads: 4\nvocab_size: 100\n"}};
  check_document(
      "p.yaml",
      "work_group: a\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: t.yaml\n"
      "    model: m.yaml\n    overrides:\n      train_iters: 5\n      overlap_grad_reduce: true\n"
      "      lora:\n        enabled: true\n        dim: 16\n        alpha: 32\n"
      "        target_modules: [linear_qkv]\n      primus_turbo:\n        attention: true\n",
      beside);
}

TEST_CASE("No leaf of a document vanishes: NeMo") {
  check_document("n.yaml",
                 "trainer:\n  num_nodes: 1\n  devices: 8\n  precision: bf16\nmodel:\n"
                 "  micro_batch_size: 1\n  global_batch_size: 8\n  encoder_seq_length: 32\n"
                 "  num_layers: 2\n  hidden_size: 64\n  num_attention_heads: 4\n"
                 "  tensor_model_parallel_size: 1\n  megatron_amp_O2: true\n"
                 "  optim:\n    name: distributed_fused_adam\n    lr: 1\n");
}

TEST_CASE("No leaf of a document vanishes: trainers") {
  check_document("ax.yaml", kAxolotl + "bf16: true\nadapter: lora\nlora_r: 8\n");
  check_document("lf.yaml", kFactory);
  check_document("hf.yaml", kPackedTrainer);
  check_document("am.yaml",
                 "step_scheduler:\n  global_batch_size: 8\n  local_batch_size: 1\nmodel:\n"
                 "  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n"
                 "  pretrained_model_name_or_path: meta-llama/Llama-3.1-8B\n"
                 "distributed:\n  tp_size: 1\n  dp_size: 8\n");
}

TEST_CASE("No argument of a command vanishes") {
  for (const std::string& command :
       {started_megatron("--bf16"),
        std::string("torchrun --nproc_per_node 8 -m torchtitan.train --model.name llama3 "
                    "--model.flavor 8B --training.seq_len 4096 --training.local_batch_size 2"),
        std::string("accelerate launch --num_processes 8 train.py --model_name_or_path "
                    "meta-llama/Llama-3.1-8B --per_device_train_batch_size 2 --bf16 true")}) {
    CAPTURE(command);
    const std::string line = command.substr(0, command.find('\n'));
    CHECK(names_it({{"a.sh", line + " --odd" + kOdd + " 5\n"}}));
  }
}

}  // namespace orrery
