// SPDX-License-Identifier: Apache-2.0
// Looking on the emulated card: tensors that several blocks look at, looks that see a part, and looks that follow one another.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/kernels/cuda/beside_cpu.h"
#include "tests/kernels/cuda/repeated.h"
#include "tests/support/non_finite.h"

namespace mantissa::test {
namespace {

constexpr std::int64_t kLooked = 50'003;  // seven blocks, the last chunk not whole

template <typename T>
T structureOf(const Bytes& bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

/// Cells that tensor statistics leaves as they were are no part of what it says.
void expectSame(const ElementStats& a, const ElementStats& b) {
    EXPECT_EQ(a.classes, b.classes);
    EXPECT_EQ(a.smallest, b.smallest);
    const auto cellsOf = [](const ElementStats& stats, std::size_t cell) {
        const bool isHeld = cell >= stats.firstCell() && cell < stats.firstCell() + stats.cellCount();
        return isHeld ? stats.cells[cell] : 0;
    };
    for (std::size_t cell = 0; cell < a.cells.size(); ++cell) ASSERT_EQ(cellsOf(a, cell), cellsOf(b, cell)) << cell;
}

/// Every exponent, subnormals, zeros, and here and there what is not finite.
std::vector<float> spreadNumbers(unsigned seed, bool isFinite) {
    std::vector<float> values = normalNumbers(kLooked, seed);
    const float planted[] = {kInf, -kInf, kNan, 0.0f, -0.0f};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % 5 == 1) values[i] = std::ldexp(values[i], static_cast<int>(i % 270) - 145);
        if (i % 977 == 976) values[i] = isFinite ? 0.0f : planted[i / 977 % 5];
    }
    return values;
}

TEST(CudaStats, SeveralBlocksSeeWhatTheCpuSees) {
    for (const bool isFinite : {true, false}) {
        for (const Dtype dtype : {Dtype::F32, Dtype::F16}) {
            const Bytes x = stored(dtype, spreadNumbers(1, isFinite));
            expectSameAsCpu({.desc = ClassifyDesc{kLooked, dtype}, .operands = {x, Bytes(sizeof(ElementClasses))}});
            for (const bool isPartial : {false, true}) {
                const Trial trial{.desc = StatsDesc{kLooked, dtype, isPartial},
                                  .operands = {x, bytesOfAll(std::vector{StepScalars{.step = 9}}), Bytes(sizeof(ElementStats))}};
                expectSame(structureOf<ElementStats>(resultsOnCard(trial)[2]),
                           structureOf<ElementStats>(resultsOn(*createCpuBackend(), trial)[2]));
            }
        }
    }
}

TEST(CudaStats, AnUpdateOfManyBlocks) {
    std::vector<float> after = spreadNumbers(2, true), gradients = spreadNumbers(3, true);
    const std::vector<float> before = spreadNumbers(2, true), moments(kLooked, 0.0f);
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (i % 3 == 0) after[i] = after[i] * 1.5f;
        if (i % 4 != 0) gradients[i] = -0.0f;
    }
    for (const bool decays : {false, true}) {
        const Trial trial{.desc = UpdateStatsDesc{kLooked, Dtype::F32, decays, false},
                          .operands = {bytesOfAll(before), bytesOfAll(after), bytesOfAll(gradients), bytesOfAll(moments),
                                       bytesOfAll(std::vector{StepScalars{.lr = 0.1}}), Bytes(sizeof(UpdateStats))}};
        const auto actual = structureOf<UpdateStats>(resultsOnCard(trial)[5]),
                   expected = structureOf<UpdateStats>(resultsOn(*createCpuBackend(), trial)[5]);
        expectSame(actual.moved, expected.moved);
        EXPECT_EQ(actual.meant, expected.meant);
        EXPECT_EQ(actual.lost, expected.lost);
        EXPECT_GT(actual.lost, 0);
        EXPECT_LT(actual.lost, actual.meant);
    }
}

// What blocks meet in is left empty, and says nothing about the next look.
TEST(CudaStats, ALookThatIsRepeatedSeesTheSame) {
    expectSameInEveryLaunch(
        {.desc = StatsDesc{kLooked},
         .operands = {bytesOfAll(spreadNumbers(4, false)), bytesOfAll(std::vector{StepScalars{}}), Bytes(sizeof(ElementStats))}});
}

}  // namespace
}  // namespace mantissa::test
