// SPDX-License-Identifier: Apache-2.0
// Inside of round_array: fp16 by the processor's own conversions (F16C) where it has them, which give the same bits as
// kernels/dtype/rounding.h, else by that.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mantissa::cpu {

struct F16Arrays {
    const char* name;
    void (*round)(const float* src, float* dst, std::size_t count);
    void (*encode)(const float* src, std::uint16_t* dst, std::size_t count);
    void (*decode)(const std::uint16_t* src, float* dst, std::size_t count);
};

const F16Arrays& portableF16();  // runs everywhere
const F16Arrays& fastestF16();   // the best that this processor can run

}  // namespace mantissa::cpu
