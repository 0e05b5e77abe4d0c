// SPDX-License-Identifier: Apache-2.0
// MANTISSA_LOOP before a function of plain loops compiles it once per instruction set; the loader picks the best one.
// Names are unique among files, anonymous namespaces included: clang 14 gives each choice a name that other files see.
// No clone may change a bit: the build has no -ffast-math and no contraction to FMA, and sums have a fixed order.
// Sanitized builds have one version, since their runtime is not initialised when the choice is made.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MANTISSA_LOOP __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define MANTISSA_LOOP
#endif
