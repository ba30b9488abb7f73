// SPDX-License-Identifier: Apache-2.0
// The arguments that a log of Megatron-LM begins with.
#include <doctest/doctest.h>

#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

TEST_CASE("Megatron-LM's log of 2022 says full recompute by its method alone") {
  const ImportedRun r = read(
      "------------------------ arguments ------------------------\n"
      "  activations_checkpoint_method ................... uniform\n"
      "  activations_checkpoint_num_layers ............... 1\n"
      "  num_layers ...................................... 4\n"
      "  hidden_size ..................................... 64\n"
      "  world_size ...................................... 8\n");
  CHECK(at(r, "parallel.recompute") == "full");
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
  CHECK_FALSE(refuses_at(r, "mamba"));
  CHECK_FALSE(refuses_at(r, "hybrid"));
  CHECK_FALSE(refuses_at(r, "is_hybrid"));
  CHECK(r.ignored.empty());
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

}  // namespace orrery
