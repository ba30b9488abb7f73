// SPDX-License-Identifier: Apache-2.0
//
// A model file to an Architecture, and back.
//
// Reads our own keys (Hugging Face's names where it has one; strict: an unknown key is an error)
// and, where the document has `model_type` or `_class_name`, a config.json as published by
// transformers (model/hf_import.h) or diffusers (model/trunk_import.h), also as the object `config`
// beside a name and sources. A model that is no text decoder has a `trunk` (model/trunk_keys.h). An
// absent key takes a default and is listed in `assumed`:
//   num_key_value_heads          num_attention_heads
//   head_dim                     hidden_size / num_attention_heads, which must be whole
//   intermediate_size            4 × hidden_size if the MLP is not gated; else required
//   moe_intermediate_size        intermediate_size
//   hidden_act                   gelu
//   norm, bias, position_embedding, tie_word_embeddings, by hidden_act:
//     gelu, relu                 layernorm, true, learned, true
//     relu2                      layernorm, false, rope, false
//     swiglu, geglu              rmsnorm, false, rope, false
//   dropout                      true for layernorm with learned positions, else false
//   max_position_embeddings      none: a learned table has as many rows as the run's sequence
//   length
// Other flags default to false and other sizes to "none"; these are not listed.
// Errors: InputError with file, path, what was found and what is allowed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json_fwd.h"
#include "model/architecture.h"

namespace orrery {

struct AssumedValue {
  std::string key;  // in the file's words, without the path of the model in the document
  KeptJson value;
  std::string why;
};

struct ModelDescription {
  std::string name;
  Architecture architecture;
  double stated_parameters = 0;  // as published, 0 if not stated; only to check a count
  double rope_theta = 0;         // the base of rotary positions, 0 if not stated; costs nothing
  std::vector<AssumedValue> assumed;

  // Only for a Hugging Face file.
  std::string model_type;                 // the family; "" for a file of ours
  std::string dtype;                      // torch_dtype or dtype
  std::string quantization;               // quant_method of quantization_config
  std::vector<std::string> ignored_keys;  // unknown keys
  std::vector<std::string> notes;         // what was taken for granted, and what is not modelled
};

// `file` and `path` locate the document, for errors. `name` is used if it has none.
ModelDescription read_model(const Json& document, const std::string& file,
                            const std::string& path = "", const std::string& name = "");

// The whole model in our own keys; reading it back needs no defaults and gives the same
// Architecture.
Json model_json(const ModelDescription& model);

// The value of `hidden_act` for an Architecture: gelu, relu, relu2, swiglu or geglu.
std::string_view hidden_act_name(const Architecture& a);

// The pattern of these layers, repeated. Returns what is allowed where they fit in none, else "".
std::string set_pattern(LayerPattern& pattern, const std::vector<LayerKind>& kinds);

// "attention+dense", as `layer_pattern` says it.
std::string layer_kind_name(LayerKind kind);

// The same of a type of layer of a model; of a trunk's, in words of its own.
std::string layer_name(const Architecture& a, std::size_t type);

// The warning if a published size and our list's total, `counted`, differ by more than 5 %; else
// "".
std::string parameter_warning(const ModelDescription& model, double counted);

}  // namespace orrery
