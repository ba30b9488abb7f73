// SPDX-License-Identifier: Apache-2.0
//
// Seconds of a step from the time of a whole session, of which a resumed run has several. Only the
// reader of training logs (training_log.cpp) uses it.
//
// Hugging Face's Trainer: 'train_runtime' is the time of the last session. Its rates divide all
// steps of the run by it, so that they are wrong for a session that did not do them all. Its
// evaluations ('eval_runtime') are no time of a step.
// LLaMA-Factory: the clock of trainer_log.jsonl begins anew in each session. Errors: InputError for
// a session of the Trainer whose steps are not said.
#pragma once

#include <string>
#include <vector>

namespace orrery::training_logs {

// The form, where the lines are LLaMA-Factory's, and the seconds of a step then.
std::string read_elapsed(const std::vector<std::string>& lines, std::vector<double>& steps);

// The last session's time over its steps, where both are said, in place of the Trainer's rates.
void read_run_time(const std::vector<std::string>& lines, const std::string& file,
                   std::vector<double>& steps, std::vector<double>& samples_per_s);

}  // namespace orrery::training_logs
