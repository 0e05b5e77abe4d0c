// SPDX-License-Identifier: Apache-2.0
// A card that is only described, for asking cuDNN what it has for such a card.
#pragma once

#include <string>

namespace mantissa::test {

/// By capability: 70, 80, 90 as V100, A100, H200 (NVIDIA's data sheets; CUDA C++ Programming Guide, "Compute Capabilities"). cuDNN's
/// headers ask the runtime for the capability as well, and get this one from then on.
std::string describedCard(int capability);

}  // namespace mantissa::test
