// SPDX-License-Identifier: Apache-2.0
//
// The sample of a run whose model is no text decoder: pixels, frames, seconds and tokens of text to
// the tokens of one sample, training.sequence_length.
//
// Models samples of one size, or buckets of several (model/buckets.h), whose mean is the length;
// what the run leaves out is the model file's (an encoder's image size) and is recorded as assumed.
// A run may give training.sequence_length alone, the tokens of the trunk. Leaves out: several sizes
// in one micro batch; buckets of sounds, series and text. Errors: InputError where a size is
// missing, smaller than a token, of another kind of sample, or disagrees with sequence_length.
#pragma once

#include <vector>

#include "core/json_fwd.h"
#include "estimate/training_keys.h"
#include "model/trunk.h"
#include "parallel/strategy_json.h"

namespace orrery {

class Reader;

// The run's `training` with the sequence_length that its sample gives, or as it is where the model
// has no trunk; `trunk` gets the tokens of text and the batch, `buckets` those of unlike samples.
Json sampled_training(const Reader& training, Trunk& trunk, Buckets& buckets,
                      std::vector<Fact>& assumed);

// True where the sample says the sequence's length, so that an answer's inputs need not.
bool gives_length(const TrainingRequest& asked);

}  // namespace orrery
