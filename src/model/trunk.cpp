// SPDX-License-Identifier: Apache-2.0
#include "model/trunk.h"

#include <algorithm>

#include "core/divide.h"

namespace orrery {

std::int64_t tokens_of(const Sample& s, const SampleSize& size) {
  if (s.space == 0) {
    const std::int64_t points = std::max(size.points, s.patch);
    return (points - s.patch) / s.stride + 1 + s.extra;
  }
  const std::int64_t latent =
      s.first_alone ? (size.frames - 1) / s.time + 1 : divided_up(size.frames, s.time);
  const std::int64_t area = (size.height / s.space) * (size.width / s.space);
  return area == 0 ? 0 : divided_up(latent, s.patch_time) * area + s.extra;
}

}  // namespace orrery
