// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/case.h"

#include <array>
#include <cmath>

#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

Operand numbers(Role role, Dtype dtype, Bytes before, Expected after) {
    return {.role = role,
            .before = std::move(before),
            .elementBytes = facts(dtype).storageBytes(),
            .dtype = dtype,
            .decode = [dtype](std::span<const std::byte> bytes) { return valuesOf(dtype, bytes); },
            .after = std::move(after)};
}

}  // namespace

std::string_view inputsName(Inputs inputs) {
    constexpr std::array<std::string_view, std::size(kAllInputs)> kNames{"whole", "normal", "subnormal", "overflow", "non-finite"};
    return kNames[static_cast<std::size_t>(inputs)];
}

Expected exactly(Dtype out, const Values& exact, CompareOptions options) {
    Expected expected{.values = {}, .limits = {0}, .options = options};
    for (const double value : exact) expected.values.push_back(static_cast<double>(roundTo(out, static_cast<float>(value))));
    return expected;
}

Expected within(Dtype out, Values values, Values limits, CompareOptions options) {
    for (double& value : values) {
        const auto rounded = static_cast<double>(roundTo(out, static_cast<float>(value)));
        if (!std::isfinite(rounded)) value = rounded;
    }
    return {std::move(values), std::move(limits), options};
}

std::vector<OperationDesc> partsOf(const Case& test) {
    std::vector<OperationDesc> parts{test.desc};
    for (const Case::Follower& follower : test.followers) parts.push_back(follower.desc);
    return parts;
}

CompareOptions optionsFor(std::size_t count) {
    constexpr std::size_t kFew = 16;
    return count < kFew ? CompareOptions{.mayBeConstant = true, .maxZeroShare = 1} : CompareOptions{};
}

Operand reads(Dtype dtype, std::span<const float> values) {
    return numbers(Role::Read, dtype, stored(dtype, values), {});
}

Operand writes(Dtype dtype, Expected after) {
    Bytes room(after.values.size() * facts(dtype).storageBytes());
    return numbers(Role::Written, dtype, std::move(room), std::move(after));
}

Operand updates(Dtype dtype, std::span<const float> before, Expected after) {
    return numbers(Role::Updated, dtype, stored(dtype, before), std::move(after));
}

Operand readsLabels(const std::vector<std::int32_t>& values) {
    return {.before = bytesOf(values), .decode = wholeNumbers<std::int32_t>};
}

Operand writesLabels(const std::vector<std::int32_t>& expected) {
    return {.role = Role::Written,
            .before = Bytes(expected.size() * sizeof(std::int32_t)),
            .decode = wholeNumbers<std::int32_t>,
            .after = {.values = {expected.begin(), expected.end()}, .limits = {0}, .options = kAnything}};
}

Operand writesCount(double expected) {
    return writesLabels({static_cast<std::int32_t>(expected)});
}

Operand absent() {
    return {.role = Role::Absent};
}

}  // namespace mantissa::conformance
