// SPDX-License-Identifier: Apache-2.0
// Alternate signal stacks for threads that run oneDNN's products.
#pragma once

namespace mantissa::cpu {

/// Sets an alternate signal stack for the calling thread, once; an existing one is kept. oneDNN runs some FP32 products with the stack
/// pointer in a small heap buffer (found in 2.6.3): a signal frame there, 12 KiB with AMX, would overwrite memory below the buffer.
/// Handlers must be installed with SA_ONSTACK.
void ensureSignalStack();

}  // namespace mantissa::cpu
