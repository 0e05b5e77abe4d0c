// SPDX-License-Identifier: Apache-2.0
// Memory that is set aside for the moment when none is left, so that what was read is freed and the refusal is said: the destructor of a
// large JSON value allocates, and a failure there ends the program. Any thread.
#pragma once

namespace mantissa {

/// Sets the reserve aside, unless it is there or there is no memory for it. It is address space only: nothing is written to it. The first
/// allocation that fails afterwards takes a half of it and is repeated; the second one frees the other half and throws std::bad_alloc.
/// A program calls it at its start, while there is memory; readers of JSON call it again, as a program that serves goes on after a refusal.
void keepMemoryReserve();

}  // namespace mantissa
