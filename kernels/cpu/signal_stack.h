// SPDX-License-Identifier: Apache-2.0
// A stack for the signal handlers of threads that run the library's products.
#pragma once

namespace mantissa::cpu {

/// Gives the calling thread an alternate signal stack, once; one that it has already stays. oneDNN runs some FP32 products with the stack
/// pointer in a small buffer of the heap (found with 2.6.3): the frame of a signal that is taken there, 12 KiB with AMX, would overwrite
/// what lies below the buffer. Handlers have to be installed with SA_ONSTACK.
void ensureSignalStack();

}  // namespace mantissa::cpu
