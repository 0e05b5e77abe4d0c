// SPDX-License-Identifier: Apache-2.0
// The random Hadamard transform: its matrix, both axes, and that it cancels in a product.
#include "kernels/cpu/rotate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

namespace mantissa::test {
namespace {

/// R = diag(s) H / 4, H_kj = (-1)^(bits that k and j share), the signs as the sources list them.
double entry(int k, int j) {
    constexpr int kSigns[16] = {1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1};
    return kSigns[k] * (std::popcount(static_cast<unsigned>(k & j)) % 2 == 0 ? 0.25 : -0.25);
}

std::vector<float> normalMatrix(MatrixShape shape, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<std::size_t>(shape.count()));
    for (float& x : values) x = normal(random);
    return values;
}

TEST(Rotate, AUnitVectorBecomesARowOfTheMatrix) {
    for (int k = 0; k < 16; ++k) {
        std::vector<float> x(16), y(16), back(16);
        x[static_cast<std::size_t>(k)] = 1;
        rotate({1, 16}, RotationAxis::Rows, x.data(), y.data());
        for (int j = 0; j < 16; ++j) EXPECT_EQ(static_cast<double>(y[static_cast<std::size_t>(j)]), entry(k, j)) << k << ' ' << j;
        rotateBack({1, 16}, RotationAxis::Rows, y.data(), back.data());
        EXPECT_EQ(back, x);
    }
}

// Along columns it is the transform of the transposed matrix, bit for bit; in place too.
TEST(Rotate, AColumnIsRotatedAsARow) {
    const MatrixShape shape{48, 37}, turnedShape{37, 48};
    const std::vector<float> values = normalMatrix(shape, 1);
    std::vector<float> turned(values.size()), byColumns = values, byRows(values.size());
    for (std::size_t r = 0; r < 48; ++r)
        for (std::size_t c = 0; c < 37; ++c) turned[c * 48 + r] = values[r * 37 + c];
    for (const bool isBack : {false, true}) {
        (isBack ? rotateBack : rotate)(shape, RotationAxis::Columns, byColumns.data(), byColumns.data());
        (isBack ? rotateBack : rotate)(turnedShape, RotationAxis::Rows, turned.data(), turned.data());
        for (std::size_t r = 0; r < 48; ++r)
            for (std::size_t c = 0; c < 37; ++c) ASSERT_EQ(byColumns[r * 37 + c], turned[c * 48 + r]) << r << ' ' << c;
    }
    EXPECT_TRUE(canRotate(shape, RotationAxis::Columns));
    EXPECT_FALSE(canRotate(shape, RotationAxis::Rows));
}

// Each result is a sum of 16 numbers in four stages, so that it is within 4 u of the sum of their magnitudes, and the way back the same.
TEST(Rotate, IsWithinFp32sErrorOfTheMatrixAndOfItsInverse) {
    const MatrixShape shape{64, 32};
    const std::vector<float> values = normalMatrix(shape, 2);
    std::vector<float> y(values.size()), back(values.size());
    rotate(shape, RotationAxis::Rows, values.data(), y.data());
    rotateBack(shape, RotationAxis::Rows, y.data(), back.data());
    for (std::size_t first = 0; first < values.size(); first += 16) {
        double magnitudes = 0;
        for (std::size_t k = 0; k < 16; ++k) magnitudes += std::fabs(static_cast<double>(values[first + k])) / 4;
        for (int j = 0; j < 16; ++j) {
            double sum = 0;
            for (int k = 0; k < 16; ++k) sum += static_cast<double>(values[first + static_cast<std::size_t>(k)]) * entry(k, j);
            const std::size_t i = first + static_cast<std::size_t>(j);
            EXPECT_NEAR(static_cast<double>(y[i]), sum, 4 * 0x1p-24 * magnitudes);
            EXPECT_NEAR(static_cast<double>(back[i]), static_cast<double>(values[i]), 2 * 4 * 0x1p-24 * 4 * magnitudes);
        }
    }
}

// (A R)(R^T B) = A B, where A's rows and B's columns are rotated: dW = dY^T X with both rotated along the tokens. The difference of the two
// products in double is that of the rotations' roundings.
TEST(Rotate, CancelsInAProduct) {
    const std::size_t tokens = 64, rows = 8, cols = 12;
    const std::vector<float> gradient = normalMatrix({64, 8}, 3), input = normalMatrix({64, 12}, 4);
    std::vector<float> rotatedGradient(gradient.size()), rotatedInput(input.size());
    rotate({64, 8}, RotationAxis::Columns, gradient.data(), rotatedGradient.data());
    rotate({64, 12}, RotationAxis::Columns, input.data(), rotatedInput.data());
    EXPECT_NE(gradient, rotatedGradient);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < cols; ++c) {
            double plain = 0, rotated = 0, magnitudes = 0;
            for (std::size_t t = 0; t < tokens; ++t) {
                plain += static_cast<double>(gradient[t * rows + r]) * static_cast<double>(input[t * cols + c]);
                rotated += static_cast<double>(rotatedGradient[t * rows + r]) * static_cast<double>(rotatedInput[t * cols + c]);
                magnitudes +=
                    std::fabs(static_cast<double>(rotatedGradient[t * rows + r]) * static_cast<double>(rotatedInput[t * cols + c]));
            }
            // Each rotated number is within 4 u of the magnitudes it was summed from, at most 4 times the length of its sixteen.
            EXPECT_NEAR(rotated, plain, 64 * 0x1p-24 * (magnitudes + 1)) << r << ' ' << c;
        }
    }
}

}  // namespace
}  // namespace mantissa::test
