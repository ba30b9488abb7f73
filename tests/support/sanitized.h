// SPDX-License-Identifier: Apache-2.0
//
// Whether the build watches every access, which takes about ten times as long: tests whose cases
// run the same code over and over then take fewer of them.
#pragma once

namespace orrery::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

// One case in so many is taken.
inline constexpr int kShare = kSanitized ? 4 : 1;

}  // namespace orrery::testing
