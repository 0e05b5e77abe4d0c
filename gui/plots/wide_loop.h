// SPDX-License-Identifier: GPL-3.0-or-later
// MANTISSA_WIDE_LOOP before a function of plain loops: one version for each instruction set, picked when the program loads. Sanitized builds
// have one, as their runtime is not up yet by then.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MANTISSA_WIDE_LOOP __attribute__((target_clones("avx2", "default")))
#else
#define MANTISSA_WIDE_LOOP
#endif
