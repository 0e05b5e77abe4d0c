// SPDX-License-Identifier: Apache-2.0
// A case: one operation with its operands' bytes before and their expected values after. Cases are data; `runner.h` runs them.
#pragma once

#include <cstdint>
#include <cstring>
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

/// Kinds of input. Whole: small integers whose sums are exact in fp32 in any order, so that a wrong last bit is detected. Subnormal and
/// Overflow: numbers and results at the two ends of the format. NonFinite: NaN and infinities among others.
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

/// How an operation uses an operand. Updated: read and written in place. Absent: a null operand.
enum class Role : std::uint8_t { Read, Written, Updated, Absent };

struct Expected {
    Values values;
    Values limits;  // one for each value, or one for all
    CompareOptions options;
    /// Wider limits for a device that multiplies in `nativeFormat` itself (Backend::isNative), or the codes of blocks.
    Values nativeLimits{};
    Dtype nativeFormat = Dtype::F32;
};

struct Operand {
    Role role = Role::Read;
    Bytes before;                  // of a written operand only the size matters
    std::size_t elementBytes = 0;  // size of one number
    Dtype dtype = Dtype::F32;      // of its numbers; F32 for integers and flags
    std::function<Values(std::span<const std::byte>)> decode;
    Expected after;   // of a written operand; a read operand must not change
    int sameAs = -1;  // index of another operand that shares the buffer, which is read here; -1: none
};

struct Case {
    OperationDesc desc;
    Inputs inputs = Inputs::Normal;
    std::string shape, layout;
    std::vector<Operand> operands;
    /// An operation that is computed together with `desc` (kernels/fusion.h), and the number of its operands.
    struct Follower {
        OperationDesc desc;
        std::size_t operands = 0;
    };
    /// Not empty: `operands` are those of all parts, one part after the other, and the expected results are those of the backend's own
    /// parts.
    std::vector<Follower> followers{};
    bool isOffLine = false;  // fp32 operands begin one element past a cache line, as parameters in a flat buffer do
};

// ---- Expected results ----

/// Expected values with limit 0. `exact`: values that fp32 represents, or that overflow it; they are rounded here once, to nearest even.
Expected exactly(Dtype out, const Values& exact, CompareOptions options = {});

/// Expected `values` in double, each with its limit; values that rounding takes beyond the format's range are expected there.
Expected within(Dtype out, Values values, Values limits, CompareOptions options = {});

/// The operations of a case, `desc` first.
std::vector<OperationDesc> partsOf(const Case& test);

/// Options by the number of elements: a few elements may legitimately all be equal or zero.
CompareOptions optionsFor(std::size_t count);

// ---- Operands ----

Operand reads(Dtype dtype, std::span<const float> values);
Operand writes(Dtype dtype, Expected after);
Operand updates(Dtype dtype, std::span<const float> before, Expected after);
Operand readsLabels(const std::vector<std::int32_t>& values);
Operand writesLabels(const std::vector<std::int32_t>& expected);
Operand writesCount(double expected);
Operand absent();

// ---- Bytes of structures and numbers ----

template <typename T>
Bytes bytesOf(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}
template <typename T>
Bytes bytesOf(const T& value) {
    return bytesOf(std::vector{value});
}

/// The first value in these bytes.
template <typename T>
T valueIn(std::span<const std::byte> bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

/// Decodes whole numbers of type T.
template <typename T>
Values wholeNumbers(std::span<const std::byte> bytes) {
    Values values;
    for (std::size_t first = 0; first < bytes.size(); first += sizeof(T)) values.push_back(valueIn<T>(bytes.subspan(first)));
    return values;
}

}  // namespace mantissa::conformance
