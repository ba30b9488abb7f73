// SPDX-License-Identifier: Apache-2.0
#include "io/interrupt.h"

#include <csignal>

namespace orrery {
namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interrupt(int /*signal*/) {
  interrupted = 1;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void watch_interrupt() {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

bool is_interrupted() { return interrupted != 0; }

}  // namespace orrery
