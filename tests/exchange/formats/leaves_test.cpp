// SPDX-License-Identifier: Apache-2.0
// Every leaf of a file stands in a list: a setting that nobody knows is named, wherever it stands.
#include <doctest/doctest.h>

#include <cctype>

#include "core/error.h"
#include "exchange/text_lines.h"
#include "exchange/tools/tool.h"
#include "exchange/tools/tool_book.h"
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
    if (key.front() == '_') continue;  // of another tool, as wandb's
    if (member.is_object() && !member.contains("_target_")) {
      leaves_in(member, own, out);
    } else if (key.find('.') == std::string::npos) {
      out.push_back(own);
    }
  }
}

// wandb writes each setting as a section, "bf16: {value: true}".
Json with_odd_leaf(const Json& document, std::string path) {
  if (path.ends_with(".value")) path.erase(path.rfind('.'));
  const Json value = value_at(document, path);
  Json other = document;
  erase_at(other, path);
  set_at(other, path + kOdd, value.is_null() ? Json(1) : value);
  return other;
}

// Each leaf under a name that nobody knows.
void check_document(const std::string& name, const std::string& text,
                    const std::vector<ForeignFile>& beside = {}) {
  const bool json = first_character(text) == '{';
  const Json document = json ? parse_json(text, name) : read_yaml(text, name);
  std::vector<std::string> leaves;
  leaves_in(document, "", leaves);
  CHECK(leaves.size() > 2);
  for (const std::string& path : leaves) {
    const Json other = with_odd_leaf(document, path);
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

namespace {

const tools::ToolBook& all_tools() {
  static const tools::ToolBook tools(testing::shipped_configs());
  return tools;
}

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_in_name(char c) { return is_of_word(c) || c == '.' || c == '-'; }

// Ends of the names of a script's arguments: "--seq-length", and "trainer.devices=8" in Hydra's
// manner.
std::vector<std::size_t> ends_of_arguments(const std::string& script) {
  std::vector<std::size_t> ends;
  std::size_t at = 0;
  while ((at = script.find_first_not_of(" \n\t\"'", at)) != std::string::npos) {
    const std::size_t end = std::min(script.find_first_of(" \n\t\"'", at), script.size());
    std::size_t after = script[at] == '+' ? at + 1 : at;
    while (after < end && is_in_name(script[after])) ++after;
    const bool is_flag = script.compare(at, 2, "--") == 0 && after > at + 2;
    const bool is_hydra = after < end && script[after] == '=' &&
                          script.substr(at, after - at).find('.') != std::string::npos;
    if (is_flag || is_hydra) ends.push_back(after);
    at = end;
  }
  return ends;
}

// Ends of names before "=": the settings of TOML's lines, "name = 1", and the arguments of Python's
// calls, "name=1".
std::vector<std::size_t> ends_before_equals(const std::string& text, bool python) {
  std::vector<std::size_t> ends;
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    const std::size_t last = text.find_last_not_of(' ', at - 1);
    if (is_of_word(text[last]) && !(python && last + 1 < at)) ends.push_back(last + 1);
  }
  return ends;
}

// The texts that differ from a file's by the name of one leaf.
std::vector<std::string> with_odd_leaves(const ForeignFile& file) {
  std::vector<std::string> texts;
  const bool script = file.name.ends_with(".sh");
  const bool python = file.name.ends_with(".py");
  if (script || file.name.ends_with(".toml") || python) {
    for (const std::size_t end :
         script ? ends_of_arguments(file.text) : ends_before_equals(file.text, python)) {
      texts.push_back(file.text);
      texts.back().insert(end, kOdd);
    }
    return texts;
  }
  const bool json = file.name.ends_with(".json");
  const Json document = json ? parse_json(file.text, file.name) : read_yaml(file.text, file.name);
  std::vector<std::string> leaves;
  leaves_in(document, "", leaves);
  for (const std::string& path : leaves) {
    const Json other = with_odd_leaf(document, path);
    texts.push_back(json ? other.dump() : write_yaml(other));
  }
  return texts;
}

}  // namespace

TEST_CASE("No leaf of any tool's examples vanishes") {
  for (const tools::Tool& tool : all_tools().all()) {
    std::size_t checked = 0;
    for (const tools::Example& example : tool.examples) {
      for (std::size_t i = 0; i < example.files.size(); ++i) {
        for (const std::string& text : with_odd_leaves(example.files[i])) {
          std::vector<ForeignFile> files = example.files;
          files[i].text = text;
          CHECK_MESSAGE(names_it(files), tool.name << ": " << text);
          ++checked;
        }
      }
    }
    // A script of MLPerf sets variables alone.
    if (tool.name != "mlperf") CHECK_MESSAGE(checked > 1, tool.name);
  }
}

}  // namespace orrery
