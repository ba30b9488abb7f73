// SPDX-License-Identifier: Apache-2.0
//
// The #SBATCH lines of a job: how many GPUs a run has. Reading takes nodes and GPUs of a node, or
// the GPUs of the job; what the job starts is read from its own settings. Writing gives whole
// nodes. Errors: InputError as for any script (exchange/shell).
#pragma once

#include "exchange/import_files.h"

namespace orrery {
struct ResolvedRun;
}

namespace orrery::slurm {

ImportedRun import_header(const ForeignFile& file);
// Leaves the number of GPUs open where a training, of these files, has more of a node or in all
// than the machine's files show.
void compare_with_machine(ImportedRun& all, const std::vector<ForeignFile>& files);
std::string export_header(const ResolvedRun& resolved);

}  // namespace orrery::slurm
