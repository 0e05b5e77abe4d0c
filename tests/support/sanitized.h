// SPDX-License-Identifier: Apache-2.0
// Whether a sanitizer checks this build.
#pragma once

namespace mantissa::test {

/// Tests of arithmetic take fewer cases in such a build, which reach the same code. The release build judges all of them, in a tenth of the
/// time.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace mantissa::test
