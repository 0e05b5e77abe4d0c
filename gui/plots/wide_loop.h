// SPDX-License-Identifier: GPL-3.0-or-later
// Compiles a function of plain loops for several instruction sets, chosen when the program loads, if MANTISSA_WIDE_LOOP precedes it.
// Sanitized builds have only one version, as their runtime is not initialised by then.
#pragma once

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MANTISSA_WIDE_LOOP __attribute__((target_clones("avx2", "default")))
#else
#define MANTISSA_WIDE_LOOP
#endif
