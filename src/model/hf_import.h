// SPDX-License-Identifier: Apache-2.0
//
// Hugging Face's config.json, as published, to a model: translated to our keys, then read as ours.
//
// Dispatch is on `model_type` (model/hf_families.h). A key the file leaves out takes the default of
// the family's configuration class and is listed in `assumed`; one that is null means "none" there,
// as in transformers. Both spellings of what transformers 5 renamed are read (torch_dtype | dtype);
// rope_theta, rope_scaling and rope_parameters have no effect here. Keys known to be without effect
// on sizes are passed over; the rest is listed in `ignored_keys`.
// Leaves out: group-limited routing (n_group, topk_group), which bounds how far tokens travel, and
// quantization, which is noted by name only.
// Errors: InputError, with the path as the file writes it.
#pragma once

#include "core/json.h"
#include "model/architecture_json.h"
#include "model/model_draft.h"

namespace orrery {

// `names` says where the document is from; it has no translation yet.
ModelDescription read_hugging_face(const Json& document, KeyNames names);

}  // namespace orrery
