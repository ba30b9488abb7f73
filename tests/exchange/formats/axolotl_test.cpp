// SPDX-License-Identifier: Apache-2.0
// Files of Axolotl.
#include <doctest/doctest.h>

#include <algorithm>

#include "read_text.h"
#include "support/runs.h"

namespace orrery {

using namespace formats;  // NOLINT

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
  CHECK(lora.ignored.empty());
  CHECK(at(lora, "training.adapter") ==
        Json::parse(R"({"kind": "lora", "rank": 32, "targets": ["query", "value"],
                        "trained": ["head"], "base_precision": "int8", "dropout": true})"));
  const ImportedRun other = read(kAxolotl + "bf16: true\nadapter: ia3\n", kEight);
  CHECK(refuses_at(other, "adapter ia3"));
  const ImportedRun odd = read(
      kAxolotl + "bf16: true\nadapter: lora\nlora_r: 8\nlora_target_modules: [router]\n", kEight);
  CHECK(is_open(read(kAxolotl + "bf16: true\nadapter: lora\n", kEight), "training.adapter"));
  CHECK(refuses_at(odd, "lora_target_modules router"));
  const ImportedRun all =
      read({{"a", kAxolotl + "bf16: true\nadapter: lora\n"}}, kEight, {{"adapter", "none"}});
  CHECK(all.ignored.empty());
  CHECK(at(read(kAxolotl + "bf16: true\noptimizer: muon\n", kEight), "training.optimizer") ==
        "muon");
  CHECK(is_open(read(kAxolotl + "bf16: true\noptimizer: came\n", kEight), "training.optimizer"));
  CHECK(refuses_at(read(kAxolotl + "bf16: true\nmy_new_recompute_switch: 3\n", kEight),
                   "my_new_recompute_switch"));
}

TEST_CASE("Axolotl trains bf16 weights as they are loaded, unless something makes them fp32") {
  const auto states = [](const std::string& more) {
    return at(read(kAxolotl + "bf16: true\n" + more, kEight), "training.states");
  };
  CHECK(states("") == "pure-16bit");
  CHECK(states("optimizer: adamw_bnb_8bit\n")["optimizer"] == 2);
  CHECK(states("optimizer: adamw_bnb_8bit\n")["weights"] == 2);
  CHECK(states("optimizer: ao_adamw_fp8\n")["optimizer"] == 2);
  CHECK(states("fsdp_config:\n  reshard_after_forward: true\n") == "fsdp-amp");
  CHECK(states("adapter: lora\nlora_r: 8\nlora_target_linear: true\n") == "fp32-adam-16");
}

TEST_CASE("Two ways to say FSDP's sharding that differ leave it open") {
  const std::string strategy = "fsdp_config:\n  fsdp_sharding_strategy: SHARD_GRAD_OP\n";
  CHECK(is_open(read(kAxolotl + "fsdp: [full_shard, auto_wrap]\n" + strategy, kEight),
                "parallel.zero"));
  CHECK(at(read(kAxolotl + "fsdp: [shard_grad_op, auto_wrap]\n" + strategy, kEight),
           "parallel.framework_options.reshard_after_forward") == "false");
}

TEST_CASE("Axolotl's trainings of some layers, and a base of GPTQ, stop the import") {
  CHECK(
      refuses_at(read(kAxolotl + "spectrum_top_fraction: 0.5\n", kEight), "spectrum_top_fraction"));
  CHECK(refuses_at(read(kAxolotl + "lisa_n_layers: 4\n", kEight), "lisa_n_layers"));
  CHECK(refuses_at(read(kAxolotl + "gptq: true\n", kEight), "gptq"));
  for (const char* optimizer : {"galore_adamw_8bit", "galore_adafactor", "galore_adamw_layerwise"})
    CHECK(is_open(read(kAxolotl + "optimizer: " + optimizer + "\n", kEight), "training.optimizer"));
  CHECK(at(read(kAxolotl + "optimizer: galore_adamw\n", kEight), "training.optimizer") == "galore");
}

TEST_CASE("Axolotl's attention is eager only where it is told so") {
  const char* key = "training.flash_attention";
  CHECK(at(read(kAxolotl + "bf16: true\nflash_attention: false\n", kEight), key) == true);
  CHECK(at(read(kAxolotl + "bf16: true\neager_attention: true\n", kEight), key) == false);
  CHECK(at(read(kAxolotl + "bf16: true\nsdp_attention: true\n", kEight), key) == true);
}

TEST_CASE("Axolotl's bfloat16 has no copy in fp32, and its default is bf16 where the GPU has it") {
  const ImportedRun pure = read(kAxolotl + "bfloat16: true\n", kEight);
  CHECK(at(pure, "training.precision") == "bf16");
  CHECK(at(pure, "training.states") == "pure-16bit");
  CHECK(is_open(read(kAxolotl, kEight), "training.precision"));
  CHECK(at(read(kAxolotl + "bf16: false\n", kEight), "training.precision") == "fp32");
}

TEST_CASE("Axolotl's other losses and other shapes stop the import") {
  const std::string base = kAxolotl + "bf16: true\n";
  CHECK(refuses_at(read(base + "reward_model: true\n", kEight), "reward_model"));
  CHECK(refuses_at(read(base + "kd_trainer: true\n", kEight), "kd_trainer"));
  CHECK(refuses_at(read(base + "overrides_of_model_config:\n  num_hidden_layers: 16\n", kEight),
                   "overrides_of_model_config.num_hidden_layers"));
  CHECK(at(read(base + "optimizer: galore_adamw\noptim_args:\n  rank: 64\n", kEight),
           "training.optimizer_rank") == 64);
}

TEST_CASE("A mapping that others merge says nothing by itself") {
  const std::string text = kAxolotl +
                           "bf16: true\nfsdp_usual: &usual\n  fsdp_offload_params: true\n"
                           "  fsdp_sharding_strategy: FULL_SHARD\nfsdp_config:\n"
                           "  <<: *usual\n  fsdp_offload_params: false\n";
  const ImportedRun r = read(text, kEight);
  CHECK(!refuses_at(r, "fsdp_usual"));
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(at(r, "parallel.offload.parameters").is_null());
  // Without others it is a setting like each.
  CHECK(
      refuses_at(read(kAxolotl + "bf16: true\nfsdp_usual:\n  fsdp_offload_params: true\n", kEight),
                 "fsdp_usual"));
}

TEST_CASE("Axolotl's disk, plugins and workers of Ray") {
  const std::string base =
      "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nsample_packing: true\n"
      "micro_batch_size: 2\nbf16: true\n";
  CHECK(is_open(read(base + "gradient_checkpointing: offload_disk\n", kEight),
                "parallel.offload.activations"));
  CHECK(at(read(base + "use_ray: true\nray_num_workers: 4\n"), "cluster.gpus") == 4);
  const std::string adapter =
      "adapter: qlora\nload_in_4bit: true\nlora_r: 8\nlora_target_linear: true\n";
  const char* twice = "training.adapter.double_quantisation";
  CHECK(at(read(base + adapter, kEight), twice).is_null());
  CHECK(
      at(read(base + adapter + "bnb_config_kwargs:\n  bnb_4bit_use_double_quant: false\n", kEight),
         twice) == false);
  const auto plugin = [&](const std::string& name) {
    return read(base + "plugins:\n  - axolotl.integrations." + name + "\n", kEight);
  };
  CHECK(refuses_at(plugin("densemixer.DenseMixerPlugin"), "plugins"));
  CHECK(refuses_at(plugin("diffusion.DiffusionPlugin"), "plugins"));
  CHECK(is_named(plugin("other.OtherPlugin"), "OtherPlugin"));
  CHECK(plugin("liger.LigerPlugin").ignored.empty());
}

TEST_CASE("Axolotl's older names are read") {
  const auto of = [](const std::string& more) {
    return read(kAxolotl + "bf16: true\n" + more, kEight);
  };
  CHECK(at(of("sequence_parallel_degree: 4\n"), "parallel.cp") == 4);
  CHECK(at(of("flash_attention: false\nsdp_attention: true\n"), "training.flash_attention") ==
        true);
  CHECK(at(of("fsdp: [shard_grad_op, auto_wrap]\n"),
           "parallel.framework_options.reshard_after_forward") == "false");
  const ImportedRun batch = read(
      "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 2\nbatch_size: "
      "16\n"
      "bf16: true\n",
      kEight);
  CHECK(at(batch, "training.global_batch") == 128);
}

TEST_CASE("Axolotl's kernels and gathers are listed and do not stop, and unsloth offloads") {
  const ImportedRun r = read(kAxolotl +
                                 "bf16: true\nfp8: true\nfp8_enable_fsdp_float8_all_gather: true\n"
                                 "cut_cross_entropy: true\nflex_attention: true\n",
                             kEight);
  CHECK(at(r, "parallel.framework_options.loss") == "linear-fused");
  CHECK(std::none_of(r.ignored.begin(), r.ignored.end(),
                     [](const LeftOver& l) { return l.is_refused; }));
  CHECK(r.ignored.size() == 2);
  const ImportedRun unsloth = read(
      "gradient_checkpointing: unsloth\nbase_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\n"
      "micro_batch_size: 1\n",
      kEight);
  CHECK(at(unsloth, "parallel.offload.activations") == "host");
}

}  // namespace orrery
