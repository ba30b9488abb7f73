// SPDX-License-Identifier: Apache-2.0
//
// Hugging Face's config.json, as published, to a model: translated to our keys, then read as ours.
//
// Dispatch is on `model_type` (model/hf_families.h). A missing key takes the default of the
// family's configuration class and is listed in `assumed`; null means "none", as in transformers.
// Both spellings of keys that transformers 5 renamed are read (torch_dtype | dtype); rope_theta,
// rope_scaling and rope_parameters have no effect here. Keys that are known to have no effect on
// sizes are ignored; unknown keys are listed in `ignored_keys`.
// Leaves out: group-limited routing (n_group, topk_group), which limits how far tokens travel, and
// quantization, which is only noted by name.
// Errors: InputError, with the path as the file writes it.
#pragma once

#include "core/json_fwd.h"
#include "model/architecture_json.h"
#include "model/model_draft.h"

namespace orrery {

// `names` locates the document; it has no translation yet.
ModelDescription read_hugging_face(const Json& document, KeyNames names);

}  // namespace orrery
