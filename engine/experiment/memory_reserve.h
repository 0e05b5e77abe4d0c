// SPDX-License-Identifier: Apache-2.0
// Memory that is set aside for the moment when none is left, so that what was read is freed and the refusal is said: the destructor of a
// large JSON value allocates, and a failure there ends the program. Any thread.
#pragma once

namespace mantissa {

/// Sets the reserve aside, unless it is there or there is no memory for it. It is address space only: nothing is written to it. It is freed
/// by an allocation that fails while an exception unwinds the stack; any other one throws std::bad_alloc, as usual. A program calls it at
/// its start, while there is memory; readers of JSON call it again, as a program that serves goes on after a refusal.
void keepMemoryReserve();

}  // namespace mantissa
