// SPDX-License-Identifier: Apache-2.0
//
// `training.rl`, `rollout` and `placement` of a run file to an RlRun, and the learner's own run.
//
// Prompts and the lengths of prompts and answers, which nobody can guess, are asked for by their
// flags. Everything else has a named default. training.sequence_length and global_batch follow
// where they are absent: sequences are packed_tokens long and hold answers one after the other, or
// each answer is padded to the longest; a global batch is one update. cluster.gpus are those of
// learner and generator together. Errors: InputError.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/fact.h"
#include "core/json_fwd.h"

namespace orrery {

struct ConfigLookup;
struct RlRequests;  // estimate/rl.h
struct RlRun;       // estimate/rl_run.h
struct Run;

// A run file with what its learner needs, as the chain reads it.
struct LearnerDocument {
  std::shared_ptr<Json> run;
  std::vector<Fact> derived;
  std::shared_ptr<RlRequests> asked;
};

// Nothing where the file has no training.rl.
std::optional<LearnerDocument> learner_document(const Json& run, const std::string& file);

// `given`: the file's own document; `run`: the learner's, resolved. `inputs` gets the three objects
// with every default that is taken.
std::shared_ptr<const RlRun> resolve_rl(const Json& given, const std::string& file,
                                        const ConfigLookup& lookup, const LearnerDocument& learner,
                                        const Run& run, Json& inputs);

}  // namespace orrery
