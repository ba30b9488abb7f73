// SPDX-License-Identifier: Apache-2.0
//
// The families of Hugging Face's transformers, one row each, over one reader (hf_import.cpp). A row
// says what the family's code fixes, what its configuration class defaults to, which keys it uses
// in another sense than others, and what of it is not modelled. Members of JSON objects, in our
// keys (model/architecture_keys.h), and these of the reader:
//   gated             the MLP has gate and up projections
//   mixers            of all layers, where no list of the file says more (hf_layers.cpp)
//   no_mlp            layers are their mixers alone
//   half_layers       a layer is a mixer or an MLP, each with a norm of its own
//   halved            intermediate_size is the width of gate and up together
//   extra_positions   rows of the position table besides max_position_embeddings
//   position_tables   such tables: an encoder's and a decoder's
//   values_as_hidden  values of latent attention are hidden_size / num_attention_heads wide
//   decoder_heads, decoder_width  of a decoder's layers; refused if the encoder's differ
//   window_switch     sliding_window counts only with use_sliding_window
//   shared_is_dense   without experts, the shared expert is the MLP
//   attention_gate    every head's output is gated, as wide as it is
//   projects_tables   a narrower embedding is projected to hidden_size
//   repeats_layer     all layers have the weights of the first
//   narrow_queries    q_lora_rank stands without latent attention
//   shared_as_hidden  a shared expert as wide as hidden_size
//   table_a_layer     every layer has a table of relative positions of its own
//   class_token       an image has one token more than patches
//   wide_heads        the heads are as wide together as two hidden_size
//   first_sees_all    layers with a window follow one that sees all, from the first on
//   bidirectional     a decoder's layers in which every token sees all
//   attention_heads_of, mlp_of  words for one key head, and for a gate
//   chooses_blocks    an indexer chooses blocks of keys, a head of it for each key head
//   dense_beside_experts  a layer is a pair of ours, the first with experts beside its dense MLP;
//                     layer_pairs, idle_experts: such layers, and experts that do nothing
//   width_of_part     hidden_size that a language model within a larger file leaves out: such parts
//                     hold what differs from their class alone
// No other row has a default for hidden_size, and none for the number of experts: a file that
// leaves them out is refused. Sources: huggingface/transformers,
// src/transformers/models/<family>/configuration_*.py and modeling_*.py, or the code published
// beside the weights; defaults of plain sizes from memory, unverified, left out where they were not
// certain.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace orrery {

struct HfFamily {
  std::string_view types;         // model_types of the same code, separated by blanks
  std::string_view config_class;  // "" where the code is not in transformers
  std::string_view base;          // what most families fix: kHfDecoder, kHfGpt, kHfEncoder
  std::string_view fixed = "";
  std::string_view defaults = "";
  std::string_view renamed = "";  // their key: ours
  std::string_view leaves_out = "";
};

// All rows, in two parts; the second stands in a file of its own.
std::array<std::span<const HfFamily>, 2> hf_families();
std::span<const HfFamily> hf_further_families();

// Types whose layers have no equivalent here, and what that is.
struct HfRefusal {
  std::string_view types;
  std::string_view reason;
};
std::span<const HfRefusal> hf_refusals();

// Null where nobody knows the type.
const HfFamily* hf_family(std::string_view model_type);

// An unknown type whose keys are those of a decoder.
const HfFamily& hf_plain_decoder();

}  // namespace orrery
