// SPDX-License-Identifier: Apache-2.0
// Arrays rounded as `mantissa convert` rounds them, by every vector path that this processor can run, against an independent reference in
// integers. By default: every number, tie and neighbour of the format, and a sweep of all exponents. With MANTISSA_SWEEP=full (ctest -C
// sweep -L sweep) also the 2^32 inputs, one after the other, by as many threads as there are cores.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kernels/cpu/round_paths.h"
#include "tests/support/rounding_inputs.h"

namespace mantissa::test {
namespace {

bool isFullSweep() {
    const char* request = std::getenv("MANTISSA_SWEEP");
    return request != nullptr && std::string(request) == "full";
}

struct Case {
    Dtype dtype;
    Rounding rounding;
    bool saturate;
};

std::string nameOf(Rounding rounding) {
    return rounding == Rounding::NearestEven   ? "NearestEven"
           : rounding == Rounding::NearestAway ? "NearestAway"
           : rounding == Rounding::TowardZero  ? "TowardZero"
                                               : "Stochastic";
}
std::string nameOf(const Case& c) {
    return std::string(facts(c.dtype).name) + nameOf(c.rounding) + (c.saturate ? "Saturating" : "");
}

std::vector<Case> allCases() {
    std::vector<Case> cases;
    for (const Dtype dtype : kAllDtypes) {
        if (dtype == Dtype::F32) continue;
        for (const Rounding rounding : kAllRoundings) {
            for (const bool saturate : {false, true}) cases.push_back({dtype, rounding, saturate});
        }
    }
    return cases;
}

/// Nearest-even in all tensor formats, the two other roundings that hardware does to tf32, and saturating fp8. None but where requested.
std::vector<Case> sweepCases() {
    if (!isFullSweep()) return {};
    std::vector<Case> cases;
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::TF32, Dtype::E4M3, Dtype::E5M2})
        cases.push_back({dtype, Rounding::NearestEven, false});
    for (const Rounding rounding : {Rounding::NearestAway, Rounding::TowardZero}) cases.push_back({Dtype::TF32, rounding, false});
    for (const Dtype dtype : {Dtype::E4M3, Dtype::E5M2}) cases.push_back({dtype, Rounding::NearestEven, true});
    return cases;
}

/// One thread's work: blocks of inputs, rounded by all paths and looked at one by one.
class Checker {
public:
    explicit Checker(const Case& c) : m_case(c), m_format(c.dtype == Dtype::E8M0 ? nullptr : &definitionOf(c.dtype)) {}

    /// `firstIndex`: of the inputs, for stochastic rounding.
    void check(const std::vector<float>& inputs, std::uint64_t firstIndex) {
        const RoundingMode mode{m_case.rounding, m_case.saturate, 3, 99};
        m_expected.resize(inputs.size());
        m_rounded.resize(inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::uint32_t random = m_case.rounding == Rounding::Stochastic ? randomBits(mode, firstIndex + i) : 0;
            m_expected[i] = expected(floatBits(inputs[i]), random);
        }
        for (const cpu::RoundPath& path : cpu::roundPaths()) {
            cpu::roundOn(path, m_case.dtype, inputs.data(), m_rounded.data(), inputs.size(), mode, firstIndex);
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                if (isSameNumber(floatBits(m_rounded[i]), m_expected[i])) continue;
                if (m_mismatches++ == 0) describe(path, inputs[i], m_rounded[i], m_expected[i]);
            }
        }
        m_count += inputs.size();
    }

    std::uint64_t count() const { return m_count; }
    std::uint64_t mismatches() const { return m_mismatches; }
    const std::string& first() const { return m_first; }

private:
    std::uint32_t expected(std::uint32_t bits, std::uint32_t random) const {
        if (m_format == nullptr) return referenceRoundE8m0(m_case.rounding, m_case.saturate, bits, random);
        return referenceRound(*m_format, m_case.rounding, m_case.saturate, bits, random);
    }
    void describe(const cpu::RoundPath& path, float input, float actual, std::uint32_t wanted) {
        char text[200];
        std::snprintf(text, sizeof text, "%s: %a (0x%08x) gives %a, not %a", path.name, static_cast<double>(input), floatBits(input),
                      static_cast<double>(actual), static_cast<double>(floatFromBits(wanted)));
        m_first = text;
    }

    Case m_case;
    const FormatDefinition* m_format;
    std::vector<std::uint32_t> m_expected;
    std::vector<float> m_rounded;
    std::uint64_t m_count = 0, m_mismatches = 0;
    std::string m_first;
};

class RoundingProof : public ::testing::TestWithParam<Case> {};

TEST_P(RoundingProof, EqualsTheReference) {
    std::vector<float> inputs;
    const auto use = [&](std::uint32_t bits) { inputs.push_back(floatFromBits(bits)); };
    forRoundingInputs(use);
    if (GetParam().dtype != Dtype::E8M0) forNumbersAndTies(definitionOf(GetParam().dtype), use);
    Checker checker(GetParam());
    checker.check(inputs, 1);  // an index that is no multiple of the generator's blocks
    EXPECT_EQ(checker.mismatches(), 0u) << checker.first();
}

class RoundingSweep : public ::testing::TestWithParam<Case> {};

TEST_P(RoundingSweep, EqualsTheReferenceForAllInputs) {
    constexpr std::uint64_t kInputs = std::uint64_t{1} << 32, kPiece = 1 << 18;
    const auto start = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> next = 0;
    std::uint64_t count = 0, mismatches = 0;
    std::string first;
    std::mutex mutex;
    const auto work = [&] {
        Checker checker(GetParam());
        std::vector<float> inputs(kPiece);
        for (std::uint64_t from = next.fetch_add(kPiece); from < kInputs; from = next.fetch_add(kPiece)) {
            for (std::uint64_t i = 0; i < kPiece; ++i) inputs[i] = floatFromBits(static_cast<std::uint32_t>(from + i));
            checker.check(inputs, from);
        }
        const std::lock_guard lock(mutex);
        count += checker.count();
        mismatches += checker.mismatches();
        if (first.empty()) first = checker.first();
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("| %s | %llu | %zu | %llu | %.0f |\n", nameOf(GetParam()).c_str(), static_cast<unsigned long long>(count),
                cpu::roundPaths().size(), static_cast<unsigned long long>(mismatches), seconds);
    EXPECT_EQ(count, kInputs);
    EXPECT_EQ(mismatches, 0u) << first;
}

INSTANTIATE_TEST_SUITE_P(All, RoundingProof, ::testing::ValuesIn(allCases()), [](const auto& test) { return nameOf(test.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RoundingSweep);
INSTANTIATE_TEST_SUITE_P(All, RoundingSweep, ::testing::ValuesIn(sweepCases()), [](const auto& test) { return nameOf(test.param); });

}  // namespace
}  // namespace mantissa::test
