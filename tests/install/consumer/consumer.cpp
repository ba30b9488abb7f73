// SPDX-License-Identifier: Apache-2.0
// The smallest program of someone else that uses an installed orrery; its argument is the directory
// of the installed configs.
#include <orrery/orrery.h>
#include <orrery/version.h>

#include <cstdio>

int main(int /*argc*/, char** argv) {
  const orrery::RunAnswer answer = orrery::estimate_run(
      R"({"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
          "training": {"sequence_length": 8192, "global_batch": 256}})",
      orrery::installed_library(argv[1]));
  std::printf("orrery %s: %s, a step takes %.2f s\n", orrery::kVersion,
              answer.feasible ? "it fits" : "it does not fit", answer.step_time.si());
  return answer.feasible && answer.step_time > orrery::Seconds{0} ? 0 : 1;
}
