// SPDX-License-Identifier: Apache-2.0
//
// A model file to an Architecture, and back.
//
// Reads our own keys (Hugging Face's names where it has one; strict: an unknown key is an error)
// and, where the document has `model_type`, Hugging Face's config.json as published
// (model/hf_import.h). What is absent takes a default and is listed in `assumed`:
//   num_key_value_heads          num_attention_heads
//   head_dim                     hidden_size / num_attention_heads, which must be whole
//   intermediate_size            4 × hidden_size where the MLP is not gated; else it is required
//   moe_intermediate_size        intermediate_size
//   hidden_act                   gelu
//   norm, bias, position_embedding, tie_word_embeddings, by hidden_act:
//     gelu, relu                 layernorm, true, learned, true
//     relu2                      layernorm, false, rope, false
//     swiglu, geglu              rmsnorm, false, rope, false
//   dropout                      true for layernorm with learned positions, else false
//   max_position_embeddings      none: a learned table has as many rows as the run's sequence
//   length
// Other flags are false and other sizes "none"; those are not listed.
// Errors: InputError with file, path, what was found and what is allowed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "model/architecture.h"

namespace orrery {

struct AssumedValue {
  std::string key;  // as the file would have it, without the path of the model in the document
  Json value;
  std::string why;
};

struct ModelDescription {
  std::string name;
  Architecture architecture;
  double stated_parameters = 0;  // as published, 0 if not stated: to check a count, never to use
  std::vector<AssumedValue> assumed;

  // Only of a Hugging Face file.
  std::string model_type;                 // the family; "" for a file of ours
  std::string dtype;                      // torch_dtype or dtype
  std::string quantization;               // quant_method of quantization_config
  std::vector<std::string> ignored_keys;  // keys nothing is known of
};

// `file` and `path` say where the document is from, for errors. `name` is used where it has none.
ModelDescription read_model(const Json& document, const std::string& file,
                            const std::string& path = "", const std::string& name = "");

// All of the model in our own keys; reading it back assumes nothing and gives the same
// Architecture.
Json model_json(const ModelDescription& model);

// The value of `hidden_act` for an Architecture: gelu, relu, relu2, swiglu or geglu.
std::string_view hidden_act_name(const Architecture& a);

// Where a published size and the count of our list part by more than 5 %: the line to warn with,
// else
// "". `counted` is the list's total.
std::string parameter_warning(const ModelDescription& model, double counted);

}  // namespace orrery
