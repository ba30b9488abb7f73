// SPDX-License-Identifier: Apache-2.0
//
// Hugging Face's config.json, as published, to a model: translated to our keys, then read as ours.
//
// One reader for all families: the names of keys (hf_words.h), what a family's code fixes and its
// configuration class defaults to (hf_families.h), lists and periods of layers (hf_layers.cpp).
// A missing key takes the default of the family's class and is listed in `assumed`; null means
// "none", as in transformers. There is no default for hidden_size and the number of experts. In a
// file for text and images only the language model is read, and a note says so. An unknown
// model_type is read as a decoder if the file has a decoder's keys and no key that looks like a
// size and is unsupported; a note lists what was assumed. Keys that are known to have
// no effect on sizes are ignored; other unknown keys of a known family are listed in
// `ignored_keys`. Leaves out: group-limited routing (n_group, topk_group), which limits how far
// tokens travel, and quantization, which is only noted by name.
// Errors: InputError, with the path as the file writes it.
#pragma once

#include "core/json_fwd.h"
#include "model/architecture_json.h"
#include "model/model_draft.h"

namespace orrery {

// `names` locates the document; it has no translation yet.
ModelDescription read_hugging_face(const Json& document, const KeyNames& names);

}  // namespace orrery
