// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

int main(int argc, char** argv) {
  return static_cast<int>(orrery::run_program({argv, static_cast<std::size_t>(argc)}));
}
