// SPDX-License-Identifier: Apache-2.0
// The smallest program of someone else that uses an installed orrery.
#include <orrery/quantity.h>
#include <orrery/version.h>

#include <cstdio>

int main() {
  const orrery::Seconds time = orrery::Flops{312e12} / orrery::FlopsPerSecond{156e12};
  std::printf("orrery %s: %.0f s\n", orrery::kVersion, time.si());
  return time == orrery::Seconds{2.0} ? 0 : 1;
}
