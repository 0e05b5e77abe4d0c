// SPDX-License-Identifier: Apache-2.0
// A case: one operation with its operands' bytes before and what has to be in them after. Cases are data; `runner.h` runs them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/conformance/compare.h"
#include "kernels/conformance/guarded_buffer.h"

namespace mantissa::conformance {

using Values = std::vector<double>;
using Floats = std::vector<float>;

/// Whole: small whole numbers whose sums are exact in fp32 in any order, so that one last bit is seen. Subnormal and Overflow: numbers and
/// results at the two ends of the format. NonFinite: NaN and infinities planted among others.
enum class Inputs : std::uint8_t { Whole, Normal, Subnormal, Overflow, NonFinite };
inline constexpr Inputs kAllInputs[] = {Inputs::Whole, Inputs::Normal, Inputs::Subnormal, Inputs::Overflow, Inputs::NonFinite};
std::string_view inputsName(Inputs inputs);

inline std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}
inline double wide(float value) {
    return static_cast<double>(value);
}
inline std::string formatName(Dtype dtype) {
    return std::string(facts(dtype).name);
}

/// Updated: read and written in place. Absent: a null operand.
enum class Role : std::uint8_t { Read, Written, Updated, Absent };

struct Expected {
    Values values;
    Values limits;  // one for each, or one for all
    CompareOptions options;
    Values nativeLimits{};               // of a device that multiplies in `nativeFormat` itself (Backend::isNative), where they are wider
    Dtype nativeFormat = Dtype::F32;
};

struct Operand {
    Role role = Role::Read;
    Bytes before;                  // of a written operand only the size counts
    std::size_t elementBytes = 0;  // of numbers
    Dtype dtype = Dtype::F32;      // of its numbers; whole numbers and flags count as fp32
    std::function<Values(std::span<const std::byte>)> decode;
    Expected after;   // a read operand has to stay as it is, to the bit
    int sameAs = -1;  // read operands may be one buffer: the index of the other one
};

struct Case {
    OperationDesc desc;
    Inputs inputs = Inputs::Normal;
    std::string shape, layout;
    std::vector<Operand> operands;
    bool isOffLine = false;  // fp32 operands begin one element past a cache line, as parameters in a flat buffer do
};

// ---- What comes out ----

/// Limit 0. `exact`: numbers that fp32 holds, or that overflow it; they are rounded here once, to nearest even.
Expected exactly(Dtype out, const Values& exact, CompareOptions options = {});

/// `values` in double, each with its limit; what rounding takes beyond the format's range is expected there.
Expected within(Dtype out, Values values, Values limits, CompareOptions options = {});

/// Few elements may all be equal, or all zero, by rights.
CompareOptions optionsFor(std::size_t count);

// ---- Operands ----

Operand reads(Dtype dtype, std::span<const float> values);
Operand writes(Dtype dtype, Expected after);
Operand updates(Dtype dtype, std::span<const float> before, Expected after);
Operand readsLabels(const std::vector<std::int32_t>& values);
Operand writesLabels(const std::vector<std::int32_t>& expected);
Operand writesCount(double expected);
Operand absent();

/// Bytes that `decode` turns into numbers: structures.
template <typename T>
Bytes bytesOf(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return {bytes.begin(), bytes.end()};
}

}  // namespace mantissa::conformance
