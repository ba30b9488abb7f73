// SPDX-License-Identifier: Apache-2.0
//
// Tools whose files are not read: how each is known, so that a refusal says whose file it is.
#pragma once

#include <array>
#include <string_view>

namespace orrery {

// FSDP's part of TrainingArguments in a file of its own, which is read where they name it.
inline constexpr const char* kFsdpConfig = "a fsdp_config of Hugging Face's Trainer";

// A YAML or JSON file by a key that it has at its top.
struct OtherDocument {
  const char* key;
  const char* looks;
  const char* advice = "";
};
// In this order: the more telling one first.
inline constexpr std::array kOtherDocuments = {
    OtherDocument{"apiVersion", "a manifest of Kubernetes that starts no command",
                  "give the command that its pods run as a script, and --gpus"},
    OtherDocument{"actor_rollout_ref", "verl's YAML"},
    OtherDocument{"grpo", "NeMo RL's YAML"},
    OtherDocument{"use_smp_model", "a recipe of SageMaker HyperPod"},
    OtherDocument{"dist_config", "a YAML of LLaMA-Factory's engine v1"},
    OtherDocument{"kernel_config", "a YAML of LLaMA-Factory's engine v1"},
    OtherDocument{"peft_config", "a YAML of LLaMA-Factory's engine v1"},
    OtherDocument{"stages", "the NeMo launcher's outer YAML",
                  "give the file of its conf/training that it names"},
    OtherDocument{"language_model", "Megatron-LM's YAML of --yaml-cfg",
                  "give the same settings as arguments"},
    OtherDocument{"pipe_parallel_size", "GPT-NeoX's YAML"},
    OtherDocument{"pipe-parallel-size", "GPT-NeoX's YAML"},
    OtherDocument{"train_loader", "LLM-Foundry's YAML"},
    OtherDocument{"device_train_microbatch_size", "OLMo's YAML"},
    OtherDocument{"per_device_batch_size", "MaxText's YAML"},
    OtherDocument{"base_config", "MaxText's YAML"},
    OtherDocument{"ici_fsdp_parallelism", "MaxText's YAML"},
    OtherDocument{"initialize_from_hf", "Levanter's YAML"},
    OtherDocument{"logger_name", "LitGPT's YAML"},
    OtherDocument{"initial_checkpoint_dir", "LitGPT's YAML"},
    OtherDocument{"runner_config", "MindFormers' YAML"},
    OtherDocument{"resources", "a task of SkyPilot without `run`",
                  "give the command in it as a script, and --gpus"},
    OtherDocument{"llm_training", "FlagScale's YAML"},
    OtherDocument{"system", "FlagScale's YAML"},
};
// JSON alone: a YAML with such a key may be of a tool that is read.
inline constexpr std::array kOtherJson = {
    OtherDocument{"transformer_layer_cls_to_wrap", kFsdpConfig, "give what names it too"},
    OtherDocument{"fsdp_transformer_layer_cls_to_wrap", kFsdpConfig, "give what names it too"},
    OtherDocument{"distributed", "picotron's JSON"},
    OtherDocument{"peft_type", "an adapter of PEFT", "give the settings that trained it"},
    OtherDocument{"sharding", "PaddleNLP's JSON"},
    OtherDocument{"tensor_parallel_degree", "PaddleNLP's JSON"},
    OtherDocument{"pipeline_parallel_degree", "PaddleNLP's JSON"},
};
// Keys that files of tools that are read may have too.
inline constexpr std::array kVagueDocuments = {
    OtherDocument{"parallelism", "nanotron's YAML"},
    OtherDocument{"strategy", "a YAML of a trainer"},
};

// Programs whose arguments no reader knows, while flags of ours say the same.
inline constexpr const char* kWrittenByHand =
    "orrery estimate --framework fsdp with --model, --gpus, --sequence-length and --global-batch";

// A command line by a part of its text.
struct OtherLaunch {
  std::string_view part;
  const char* looks;
  const char* advice = "";
};
inline constexpr std::array kOtherLaunches = {
    OtherLaunch{"verl.trainer", "a command line of verl"},
    OtherLaunch{"openrlhf.cli", "a command line of OpenRLHF"},
    OtherLaunch{"swift sft", "a command line of ms-swift"},
    OtherLaunch{"swift pt", "a command line of ms-swift"},
    OtherLaunch{"swift rlhf", "a command line of ms-swift"},
    OtherLaunch{"megatron sft", "a command line of ms-swift"},
    OtherLaunch{"megatron pt", "a command line of ms-swift"},
    OtherLaunch{"megatron rlhf", "a command line of ms-swift"},
    OtherLaunch{"colossalai run", "a command line of Colossal-AI"},
    OtherLaunch{"litgpt ", "a command line of LitGPT"},
    OtherLaunch{"MaxText", "a command line of MaxText"},
    OtherLaunch{"composer train", "a command line of LLM-Foundry"},
    OtherLaunch{"deepy.py", "a command line of GPT-NeoX"},
    OtherLaunch{"levanter.main", "a command line of Levanter"},
    OtherLaunch{"olmo_core", "a command line of OLMo-core"},
    OtherLaunch{"train/OLMo", "a command line of OLMo-core"},
    OtherLaunch{"--train_module.", "a command line of OLMo-core"},
    OtherLaunch{"--trainer.accelerator", "a command line of Lightning"},
    OtherLaunch{"--trainer.devices", "a command line of Lightning"},
    OtherLaunch{"nemo llm ", "a command line of NeMo 2"},
    OtherLaunch{"setup_experiment.py", "a command line of Megatron-Bridge's launcher",
                "give the run_config.yaml that a run of it writes"},
    OtherLaunch{"performance/run_script.py", "a command line of Megatron-Bridge's launcher",
                "give the run_config.yaml that a run of it writes"},
    OtherLaunch{"tune run ", "a command line of torchtune, whose configuration is not given",
                "give the file that --config names too (tune cp NAME .)"},
    OtherLaunch{"metaseq", "a command line of metaseq"},
    OtherLaunch{"fairseq-train", "a command line of fairseq"},
    OtherLaunch{"fairseq-hydra-train", "a command line of fairseq"},
    OtherLaunch{"fairseq_cli", "a command line of fairseq"},
    OtherLaunch{"--caption_column", "a command line that trains a model of images or videos"},
    OtherLaunch{"--instance_prompt", "a command line that trains a model of images or videos"},
    OtherLaunch{"paddle.distributed", "a command line of PaddlePaddle"},
    OtherLaunch{"msrun ", "a command line of MindSpore"},
    OtherLaunch{"--max_context_width", "a command line of AWS's sample of FSDP", kWrittenByHand},
    OtherLaunch{"--batch_size_training", "a command line of the Llama Cookbook", kWrittenByHand},
    OtherLaunch{"--model_variant", "a command line of fms-fsdp", kWrittenByHand},
};

// Python source by a part of its text.
struct OtherSource {
  std::string_view part;
  const char* looks;
  const char* advice;
};
inline constexpr std::array kOtherSources = {
    OtherSource{"torchtitan", "torchtitan's configurations in Python",
                "give the command line that starts one: --module, --config and its overrides"},
    OtherSource{"xtuner", "a configuration of XTuner that is not read: of RL, or a part of one",
                "a configuration of SupervisedFinetune (XTuner 0) or TrainerConfig (XTuner 1)"},
    OtherSource{"megatron.bridge", "a recipe of Megatron-Bridge in Python",
                "give the run_config.yaml that a run of it writes"},
    OtherSource{"nemo", "a recipe of NeMo in Python",
                "give the configuration that a run of it writes as YAML"},
    OtherSource{"olmo_core", "a configuration of OLMo-core in Python",
                "give a run file: no file of OLMo-core is read"},
    OtherSource{"", "Python source",
                "give the printed configuration, or the command line that starts it"},
};

// A command line whose arguments no tool of ours has.
inline constexpr const char* kOtherProgram = "a program of no tool that is read";
inline constexpr const char* kOtherProgramAdvice =
    "a command of a tool of `orrery list tools`, the file of settings that the program reads, or "
    "--from NAME";

}  // namespace orrery
