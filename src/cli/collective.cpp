// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/flags.h"
#include "core/error.h"
#include "engine/collective_question.h"

namespace orrery {

void declare_collective(CLI::App& app, Json& request) {
  add_word(app, request, "KIND", "kind", alternatives(collective_names()));
  add_flag_of(app, request, "--node", "kind of node: name or path");
  add_file(app, request, "--cluster", "the `cluster` object of a run file, or - for stdin")
      ->type_name("FILE");
  add_flag_of(app, request, "--gpus", "GPUs in all");
  add_flag_of(app, request, "--calibration",
              "constants fitted on measurements: name or path (docs/calibrate.md)");
  add_flag_of(app, request, "--size",
              "size of the full buffer: a range, a list (64KiB,1MiB) or one (1MiB..16GiB)");
  add_flag_of(app, request, "--step", "factor between the sizes of a range (2)");
  add_flag_of(app, request, "--algorithm",
              "use this one, even if it is slower: " + alternatives(collective_algorithm_names()));
  add_flag_of<std::int64_t>(app, request, "--ranks-per-node",
                            "GPUs of each node in the group (all)");
  add_flag_of<std::int64_t>(app, request, "--groups",
                            "equal groups that communicate at the same time (1)");
  add_flag_of<double>(app, request, "--busiest-rank",
                      "of an all-to-all: bytes of the busiest rank over the mean (1)");
  add_list(app, request, "--set", "any key of the cluster: cluster.tiers.infiniband.latency=5us")
      ->type_name("PATH=VALUE");
  add_files(app, request, "--against", "against",
            "measured collectives to compare with: nccl-tests' output, CSV of "
            "collective,ranks,bytes,us (or busbw), JSON of validation/measurements")
      ->type_name("FILE");
}

}  // namespace orrery
